"""Scales of products in tensor memory."""

from dataclasses import dataclass

from ...._names import UNITS
from .. import blackwell


@dataclass(frozen=True)
class TensorMemoryScalesLayout(blackwell.TensorMemoryScalesLayout):
    """The scales of a product's operand, whose blocks follow one another along the rows first, or along K."""

    block_rep_order: str = "mnThenK"

    _unit = UNITS["nvidia.rubin"]

    def _check(self):
        super()._check()
        if self.block_rep_order not in ("mnThenK", "kThenMn"):
            raise ValueError(f"block_rep_order must be 'mnThenK' or 'kThenMn', not {self.block_rep_order!r}")

    def _ir_fields(self):
        return super()._ir_fields() + [("blockRepOrder", self.block_rep_order)] * (self.block_rep_order != "mnThenK")
