"""Pictures: each function draws on the Axes it is given and returns it.

Titles and axis labels are the caller's, in the caller's language.
"""
