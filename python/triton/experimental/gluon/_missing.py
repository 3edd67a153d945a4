"""What the parts of Gluon say that are not here."""

from ...errors import TritonError


class _MissingClass(type):
    """A class of Gluon by name: annotations and `isinstance` may name it, and no object of it can be made."""

    def __call__(cls, *args, **arguments):
        raise TritonError(f"`{cls.__name__}` is a part of Gluon, which this package does not implement")


def missing(name):
    return _MissingClass(name, (), {})


def refuse_import(module):
    """For modules whose absence libraries test for by importing them."""
    raise ModuleNotFoundError(
        f"`{module}` is a part of Gluon, which this package does not implement: use the library's kernels in "
        "triton.language",
        name=module.rpartition(".")[2],  # with all of it, `from package import module` would hide the message
    )
