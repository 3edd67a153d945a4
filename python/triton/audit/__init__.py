"""Programs and test suites that say `cuda`, run on a machine without a GPU, with every access of their kernels checked
(docs/audit.md):

    python -m triton.audit pytest tests
    python -m triton.audit program.py

``assert_invariant`` is for programs on any device.
"""

from ._invariance import assert_invariant

__all__ = ["assert_invariant"]
