"""The classes of functions that kernels call. `triton.runtime.jit` defines them and sets them here, for the language:
importing the one does not load the other."""

JITFunction = ConstexprFunction = None
