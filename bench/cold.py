"""One measurement in a process of its own, printed as one number; see bench.py.

cold.py import                   milliseconds that `import triton` takes
cold.py compile KERNEL BLOCK N   milliseconds from the decorated source to a callable, for the N-th kernel of a process
cold.py memory                   peak memory in MB after compiling and running vector add
"""

import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))


def measure_import():
    start = time.perf_counter()
    import triton  # noqa: F401

    return (time.perf_counter() - start) * 1e3


def warmup_vector_add(block):
    import numpy as np
    from kernels.vector_add import add_kernel

    x = np.zeros(1 << 17, np.float32)
    return lambda: add_kernel.warmup(x, x, x, x.size, BLOCK_SIZE=block, grid=(1,))


def warmup_softmax(block):
    import numpy as np
    from kernels.fused_softmax import softmax_kernel

    x = np.zeros((2, 1 << 16), np.float32)
    return lambda: softmax_kernel.warmup(x, x, block, block, 2, block - 3, BLOCK_SIZE=block, grid=(1,))


def warmup_matmul(block):
    import numpy as np
    from kernels.matmul import matmul_kernel

    x = np.zeros((1024, 1024), np.float32)
    return lambda: matmul_kernel.warmup(
        x,
        x,
        x,
        1024,
        1024,
        1024,
        1024,
        1,
        1024,
        1,
        1024,
        1,
        BLOCK_SIZE_M=64,
        BLOCK_SIZE_N=64,
        BLOCK_SIZE_K=block,
        GROUP_SIZE_M=8,
        ACTIVATION="",
        grid=(1,),
    )


def warmup_other(block):
    import numpy as np
    from kernels.dropout import seeded_dropout_kernel

    x = np.zeros(1 << 10, np.float32)
    return lambda: seeded_dropout_kernel.warmup(x, x, x.size, 0.5, 1, BLOCK_SIZE=block, grid=(1,))


KERNELS = {"vector_add": warmup_vector_add, "softmax": warmup_softmax, "matmul": warmup_matmul}


def measure_compile(kernel, block, number):
    import numpy  # noqa: F401
    import triton

    call = KERNELS[kernel](block)
    if number > 1:
        warmup_other(256)()
    start = time.perf_counter()
    compiled = call()
    elapsed = (time.perf_counter() - start) * 1e3
    assert isinstance(compiled, triton.compiler.CompiledKernel)
    return elapsed


def measure_memory():
    import numpy as np
    from kernels.vector_add import add_kernel

    x = np.arange(1 << 16, dtype=np.float32)
    out = np.empty_like(x)
    add_kernel[(64,)](x, x, out, x.size, BLOCK_SIZE=1024)
    assert np.array_equal(out, x + x)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    if sys.argv[1] == "import":
        print(measure_import())
    elif sys.argv[1] == "memory":
        print(measure_memory())
    else:
        print(measure_compile(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
