"""Memora v0.12, the terminal program: a thin loop over the package.

`chat` talks to a chat model, `extraction` finds lasting facts in what the user said,
`conversation` keeps the turns, `commands` is what can be typed, `terminal` reads and prints.
"""
