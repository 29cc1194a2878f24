"""What a call raises when it gave no result."""


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


def error_of(payload):
    code = payload.get("error") if isinstance(payload, dict) else None
    return _KINDS.get(code, Error)(payload)
