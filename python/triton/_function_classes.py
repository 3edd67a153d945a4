"""The classes of functions that kernels call. `triton.runtime` defines them and sets them here, for the language:
importing the one does not load the other."""

JITFunction = ConstexprFunction = constexpr_function = None
