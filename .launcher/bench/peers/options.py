"""Checks of the command line that all programs here share: each says the name, the value and what was expected."""


def known(parser, name, given, expected):
    """A list, separated by commas, whose members are known."""
    for one in given.split(","):
        if one not in expected:
            parser.error("%s: %s (expected: some of %s)" % (name, one, ", ".join(expected)))


def within(parser, name, value, low, high):
    if not low <= value <= high:
        parser.error("%s: %s (expected: %s to %s)" % (name, value, low, high))
