import triton.language as tl
from .. import constants
from . import helper as again

DEPTH = tl.constexpr(constants.UNCHECKED + 1)
