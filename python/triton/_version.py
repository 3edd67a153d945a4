"""The version of the package, as it was built: ``3.9.0+nereid.<commit>``."""

from . import _C

__version__ = _C.version()
