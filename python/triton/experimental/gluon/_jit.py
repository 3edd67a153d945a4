"""Kernels and functions in Gluon."""

from ... import knobs
from ...compiler import ASTSource
from ...runtime.jit import JITFunction, _decorate


class GluonJITFunction(JITFunction):
    """A kernel in Gluon: like a `triton.JITFunction`, except that all its blocks have layouts."""

    # The package sets these: a class of layouts, any of which reads the text of an encoding, and what makes the state
    # of an interpreted program.
    layout_class = make_program = None

    def is_gluon(self):
        return True


class GluonASTSource(ASTSource):
    """A kernel in Gluon, and the types and constants to compile it for, like a `triton.compiler.ASTSource`."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        if not isinstance(fn, GluonJITFunction):
            raise TypeError(f"GluonASTSource is for kernels in Gluon, not {fn!r}")
        super().__init__(fn, signature, constexprs, attrs)
        self.language = "gluon"
        self.ext = "ttgir"


def jit(
    fn=None,
    *,
    version=None,
    repr=None,
    launch_metadata=None,
    do_not_specialize=None,
    do_not_specialize_on_alignment=None,
    debug=None,
    noinline=None,
    invariant=False,
):
    """Turns a function that is written in Gluon into a kernel, as ``triton.jit`` does for the kernel language."""

    def make(function):
        if knobs.runtime.interpret:
            from ...runtime.interpreter import InterpretedFunction

            return InterpretedFunction(
                function,
                do_not_specialize=do_not_specialize,
                debug=debug,
                launch_metadata=launch_metadata,
                invariant=invariant,
                make_program=GluonJITFunction.make_program,
            )
        return GluonJITFunction(
            function,
            version=version,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
            invariant=invariant,
        )

    return _decorate(fn, make, "gluon.jit")
