"""Checks for the exercises, a file for each lesson; an answer is tried on cases worked by hand.

Nothing is sent anywhere, and nothing of a learner's answer is kept.
"""
