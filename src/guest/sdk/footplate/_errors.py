"""What a call raises when it gave no result, and how that is told where nobody catches it."""

import sys


class Error(Exception):
    """A call gave no result. `payload` is the whole answer, `code` its stable name."""

    def __init__(self, payload):
        if not isinstance(payload, dict):
            payload = {"error": "failed", "message": str(payload)}
        super().__init__(str(payload.get("message", "")))
        self.payload = payload

    def __reduce__(self):
        return (type(self), (self.payload,))

    @property
    def code(self):
        return self.payload.get("error")


def _told_by(hook):
    """As `hook` tells it, up to the last line that is not in this package: what a call was given and
    what came of it is said there. Other errors are told whole."""

    def tell(kind, error, trace):
        seen, told = set(), [error]
        while told:
            one = told.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            told += [one.__cause__, one.__context__]
            if isinstance(one, (Error, TypeError)):
                _end_outside(one.__traceback__)
        hook(kind, error, trace)

    return tell


def _end_outside(trace):
    last = None
    while trace is not None:
        if trace.tb_frame.f_globals.get("__package__") != __package__:
            last = trace
        trace = trace.tb_next
    if last is not None:
        last.tb_next = None


sys.excepthook = _told_by(sys.excepthook)


class Denied(Error):
    """Somebody said no. `feedback` holds their words, if they gave any."""

    @property
    def reason(self):
        return str(self)

    @property
    def feedback(self):
        return self.payload.get("feedback")


class Blocked(Error):
    """The mode or a rule forbids it, without a question."""


class InvalidInput(Error):
    """The arguments are not what the function takes."""


class NoApprover(Error):
    """It had to be asked, and nobody is there."""


class UnknownTool(Error):
    """There is no such function in this session."""


class BudgetSpent(Error):
    """A limit was reached."""


class Interrupted(Error):
    """It was cut off; whether it took effect may be unknown."""


class Failed(Error):
    """It ran and did not succeed."""


_KINDS = {
    "permission_denied": Denied,
    "approval_expired": Denied,
    "blocked_in_plan_mode": Blocked,
    "blocked_by_monitor": Blocked,
    "denied_by_rule": Blocked,
    "invalid_input": InvalidInput,
    "no_approver": NoApprover,
    "unknown_tool": UnknownTool,
    "budget_spent": BudgetSpent,
    "interrupted": Interrupted,
    "failed": Failed,
}
for _kind in (Error, *_KINDS.values()):
    # They are told by the name that a script knows.
    _kind.__module__ = __package__


def error_of(payload):
    code = payload.get("error") if isinstance(payload, dict) else None
    return _KINDS.get(code, Error)(payload)
