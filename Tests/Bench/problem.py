"""The one exception that the bench prints as a sentence instead of a trace."""


class Problem(Exception):
    """Something that stops a scenario; its text is a sentence that says what to do."""


class Skipped(Exception):
    """A scenario that this machine cannot run; its text says why."""
