"""Exceptions of launches and tuning."""

from ..errors import TritonError


class OutOfResources(TritonError):
    """A kernel needs more of a resource than the device has."""

    def __init__(self, required, limit, name):
        self.required, self.limit, self.name = required, limit, name
        super().__init__(
            f"out of resource: {name}, required: {required}, hardware limit: {limit}; reduce the block "
            "sizes or `num_stages`"
        )

    def __reduce__(self):
        return type(self), (self.required, self.limit, self.name)


class FrozenError(TritonError, RuntimeError):
    """After `triton.freeze`, a launch needs a variant of its kernel that is not in memory, or a tuning run."""


class SimulationError(TritonError, RuntimeError):
    """Errors of a kernel in the simulator. ``findings`` has a text for each, with its place in the source."""

    #: Called with each new exception, which the program may catch: where `triton.audit` keeps findings.
    listener = None

    def __init__(self, error_message=None, findings=()):
        self.error_message, self.findings = error_message, list(findings)
        super().__init__(error_message or "")
        if self.listener is not None:
            type(self).listener(self)

    def __reduce__(self):
        return type(self), (self.error_message, self.findings)


class GraphCaptureError(TritonError, RuntimeError):
    """A launch would have compiled or tuned while its stream captures a graph."""


class InterpreterError(TritonError, RuntimeError):
    """A failure inside a kernel run by the interpreter."""

    def __init__(self, error_message=None):
        self.error_message = error_message
        super().__init__(error_message or "")


class PTXASError(TritonError):
    """The PTX assembler refused a kernel."""

    def __init__(self, error_message=None):
        self.error_message = error_message
        super().__init__(f"PTXAS error: {error_message or ''}")


class AutotunerError(TritonError):
    """No configuration is left to try."""
