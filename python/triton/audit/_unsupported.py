"""What an audit has nothing for, said in one sentence: the name of the call and the way out."""

import re

from ..errors import TritonError


class UnsupportedCall(TritonError, RuntimeError):
    """A call that needs a GPU, or PyTorch's code for one."""

    def __init__(self, name, way_out):
        self.name, self.way_out = name, way_out
        super().__init__(f"`{name}` is not supported in an audit, which has no GPU; {way_out}")

    def __reduce__(self):
        return type(self), (self.name, self.way_out)


def refuse(name, way_out):
    """A function that says that it is not supported."""

    def refused(*args, **kwargs):
        raise UnsupportedCall(name, way_out)

    return refused


LEAVE_OUT = "leave the test out of the audit (`--deselect`), or test what it launches without this call"
EXTENSION = "build the kernels that it has in C++ or CUDA on a GPU; the audit sees kernels of Triton alone"

#: Messages of PyTorch, and of the loader of extensions, where code for a GPU is missing: pattern, name, way out.
_MESSAGES = (
    (r"Could not run '([\w:.]+)' with arguments from the '(?:CUDA|CPU|Meta)' backend", r"\1", LEAVE_OUT),
    (r"\"(\w+)_cpu\" not implemented for '(\w+)'", r"\1 of \2", LEAVE_OUT),
    (r"module 'torch\._C' has no attribute '(_cuda\w+)'", r"torch._C.\1", LEAVE_OUT),
    (r"cannot import name '(_cuda\w+)' from 'torch\._C'", r"torch._C.\1", LEAVE_OUT),
    (r"module 'torch\.cuda' has no attribute '(\w+)'", r"torch.cuda.\1", LEAVE_OUT),
    (r"Torch not compiled with CUDA enabled", "torch.cuda", LEAVE_OUT),
    (r"Cannot get CUDA generator", "torch.Generator", LEAVE_OUT),
    (r"(lib(?:cuda|cudart|c10_cuda|torch_cuda|amdhip64)[\w.]*\.so[\w.]*): cannot open shared object", r"\1", EXTENSION),
    (
        r"No module named '((?:flash_attn|causal_conv1d|mamba_ssm|apex|transformer_engine|deep_gemm)\w*)'",
        r"\1",
        EXTENSION,
    ),
    (r"CUDA_HOME environment variable is not set", "torch.utils.cpp_extension", EXTENSION),
    (r"fatal error: cuda\w*\.h", "torch.utils.cpp_extension", EXTENSION),
)


def explain(error):
    """The sentence for an exception that comes of a missing GPU; None for any other."""
    while error is not None:
        if isinstance(error, UnsupportedCall):
            return str(error)
        for pattern, name, way_out in _MESSAGES:
            match = re.search(pattern, str(error))
            if match:
                return str(UnsupportedCall(match.expand(name), way_out))
        error = error.__cause__
    return None
