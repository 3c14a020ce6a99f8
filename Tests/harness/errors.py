"""The one exception that the bench prints as a sentence instead of a trace."""


class Problem(Exception):
    """An error that ends a scenario; its text is a sentence with a remedy."""


class Skipped(Exception):
    """A scenario that this machine cannot run; its text says why.

    What it promises is then not shown, unless all its rows are `for_information`.
    """

    def __init__(self, reason: str, for_information: bool = False):
        super().__init__(reason)
        self.for_information = for_information
