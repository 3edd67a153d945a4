"""The classes of functions that kernels call. `triton.runtime` defines them and sets them here, for the language:
importing the one does not load the other."""

JITFunction = ConstexprFunction = constexpr_function = None
#: For values that only Python knows: calls of them, functions of the language, and what distinguishes them.
ConstantCall = MarkedFunction = fingerprint = None
