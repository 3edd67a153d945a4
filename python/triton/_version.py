"""The version of the package."""

__version__ = "3.6.0+nereid"
