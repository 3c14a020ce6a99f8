"""Marks the functions that are checks."""


def check(body):
    """Marks a function of a page and a server as a check."""
    body.is_check = True
    return body


def checks_of(module):
    """The checks of a module, in their order."""
    return [one for one in vars(module).values() if getattr(one, "is_check", False)]
