"""Products of AMD's matrix units, for kernels in Gluon that run on several architectures."""

from triton.experimental import gluon
from triton.experimental.gluon.language.amd import cdna3, cdna4, gfx1250
from triton.language.target_info import current_target


@gluon.jit
def multiply(a, b, acc):
    """acc + a b, by the unit of the architecture. The operands have its layouts."""
    if current_target().arch == "gfx1250":
        acc = gfx1250.wmma(a, b, acc)
    elif current_target().arch == "gfx950":
        acc = cdna4.mfma(a, b, acc)
    else:
        acc = cdna3.mfma(a, b, acc)
    return acc
