"""The version of the package, as it was built: ``3.9.0+nereid.g<commit>``."""

from . import _C

__version__ = _C.version()
__commit__ = __version__.partition(".g")[2] or None  # None where git did not know it
