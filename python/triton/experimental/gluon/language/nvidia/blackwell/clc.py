"""Work of programs that have not started."""

from ...... import language as tl
from ......language._aggregate import aggregate
from ......language.types import constexpr
from ...._jit import jit
from ...._names import complete as _complete
from ..._core import nvidia_blackwell_clc__program as _program
from ..._core import nvidia_blackwell_clc_try_cancel as try_cancel  # noqa: F401
from ..._types import clc_result_type  # noqa: F401


@aggregate
class clc_result:
    """An answer to `try_cancel`: whether a program was found whose work is to be done, and which."""

    canceled: tl.tensor
    x: tl.tensor
    y: tl.tensor
    z: tl.tensor

    @jit
    def is_canceled(self):
        return self.canceled

    @jit
    def program_id(self, dim: constexpr):
        tl.static_assert(dim in (0, 1, 2), "`dim` of `program_id` must be 0, 1 or 2")
        numbers = (self.x, self.y, self.z)
        return numbers[dim]


@jit
def load_result(src):
    """The answer in the buffer `src`, for which the program has waited."""
    canceled, x, y, z = _program(src)
    return clc_result(canceled, x, y, z)


__getattr__, __dir__ = _complete(__name__)
