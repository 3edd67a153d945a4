"""`triton.Config`: one of the configurations among which `triton.autotune` chooses."""

from .. import _C


class Config:
    """Values for constants of a kernel and launch options that are tried together.

    ``pre_hook`` is called before each launch with the dict of all arguments. ``ir_override`` names a file of IR that
    replaces the stage of its suffix.
    """

    _OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override", "num_cpu_threads")

    def __init__(
        self,
        kwargs,
        num_warps=4,
        num_stages=3,
        num_ctas=1,
        maxnreg=None,
        pre_hook=None,
        ir_override=None,
        *,
        num_cpu_threads=None,
    ):
        plain = _C.plain_number  # equal configurations have equal texts
        self.kwargs = {name: plain(value) for name, value in kwargs.items()}
        self.num_warps, self.num_stages, self.num_ctas = plain(num_warps), plain(num_stages), plain(num_ctas)
        self.maxnreg, self.ir_override, self.num_cpu_threads = plain(maxnreg), ir_override, plain(num_cpu_threads)
        self.pre_hook = pre_hook

    def __setstate__(self, state):
        """What older versions stored lacks the newer fields."""
        self.__init__(state.get("kwargs", {}))
        self.__dict__.update(state)

    def all_kwargs(self):
        """The constants, and the options that are not None."""
        chosen = dict(self.kwargs)  # a loop, because each launch of a tuned kernel asks
        for name in self._OPTIONS:
            value = getattr(self, name)
            if value is not None:
                chosen[name] = value
        return chosen

    def _identity(self):
        return (tuple(sorted(self.all_kwargs().items(), key=lambda item: item[0])), self.pre_hook)

    def __hash__(self):
        return hash(str(self._identity()[0]))

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()

    def __str__(self):
        options = {name: getattr(self, name) for name in self._OPTIONS}
        if self.num_cpu_threads is None:
            del options["num_cpu_threads"]
        return ", ".join(f"{name}: {value}" for name, value in {**self.kwargs, **options}.items())

    def __repr__(self):
        return f"Config({self})"
