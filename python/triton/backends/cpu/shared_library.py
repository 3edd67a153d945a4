"""A kernel for the processor as two shared libraries, as AOTInductor of PyTorch packs them.

``asm["so"]`` exports the kernel under its name, and ``asm["launcher.so"]`` a function ``run_from_nativert`` that gives
it the arguments of a launch (torch/csrc/inductor/aoti_runtime/cpu_triton_runtime_wrappers.h). They need neither Python
nor this package. A C compiler builds them, as one builds the program that loads them.
"""

import functools

from ... import _C
from ..._build import compile_so_from_src

STAGES = ("so", "launcher.so")

_KERNEL = """
#include <errno.h>
__attribute__((visibility("default"))) int {name}(const uint64_t *arguments, const int32_t *grid, int64_t programs);
int {name}(const uint64_t *arguments, const int32_t *grid, int64_t programs) {{
  return {function}_missing_feature() != NULL ? ENOEXEC : {function}_run(arguments, grid, programs);
}}
"""

_LAUNCHER = """
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `arguments` has an entry for each parameter of the kernel: an array's address, a number's address, or NULL for a
   constant. How many threads share the programs follows from OpenMP. */
void run_from_nativert(uint32_t x, uint32_t y, uint32_t z, int threads, void **arguments, void *kernel);
void run_from_nativert(uint32_t x, uint32_t y, uint32_t z, int threads, void **arguments, void *kernel) {{
  const int32_t grid[3] = {{(int32_t)x, (int32_t)y, (int32_t)z}};
  uint64_t values[{count}] = {{0}};
  int (*run)(const uint64_t *, const int32_t *, int64_t) = NULL;
  int status;
  (void)threads;
  memcpy(&run, &kernel, sizeof(run));
{copies}  status = run(values, grid, (int64_t)x * y * z);
  if (status != 0) {{
    fprintf(stderr, "Triton Error [CPU]: {name}: %s\\n",
            status == ENOEXEC ? "this processor lacks what the kernel was compiled for" : strerror(status));
    abort();
  }}
}}
"""

#: Bytes of a number of the type.
_SIZES = {"i1": 1, "u1": 1, "fp32": 4, "fp64": 8} | {f"{s}{bits}": bits // 8 for s in "iu" for bits in (8, 16, 32, 64)}


@functools.cache
def _flags():
    """OpenMP, where the compiler has it."""
    flags = ["-O2", "-fPIC"]
    try:
        compile_so_from_src("int answer(void) { return 42; }", "openmp", ccflags=[*flags, "-fopenmp"])
    except RuntimeError:
        return flags
    return [*flags, "-fopenmp"]


def _build(text, name):
    with open(compile_so_from_src(text, name, libraries=["m", "mvec"], ccflags=_flags()), "rb") as file:
        return file.read()


def _kernel(compiled):
    """The C of the kernel, whose constants have been compiled in."""
    signature = compiled.src.signature
    items = ["None" if kind == "constexpr" else kind for kind in signature.values()]
    parameters = [(name, kind == "constexpr", False) for name, kind in signature.items()]
    metadata = compiled.metadata
    variant = _C.AotSpecification.read(
        compiled.name, compiled.name, ", ".join(items), "1, 1, 1", metadata.num_warps, metadata.num_stages, parameters
    )
    text = dict(variant.generate(_handle_with_ir(compiled)))[".c"]
    return text + _KERNEL.format(name=compiled.name, function=variant.function_name)


def _handle_with_ir(compiled):
    """That of the kernel; of one from a bundle, which has machine code alone, a new one."""
    if not compiled._handle.is_from_bundle:
        return compiled._handle
    target, options = compiled._target, compiled._options
    place = target.backend, target.arch, target.warp_size
    return compiled.src._compile(place, options.for_compiler(), options.num_cpu_threads, "o")


def _launcher(compiled):
    copies = []
    for index, (name, kind) in enumerate(compiled.src.signature.items()):
        if kind == "constexpr":
            continue
        value = f"values[{len(copies)}]"
        if kind.startswith("*"):
            copies.append(f"  {value} = (uint64_t)(uintptr_t)arguments[{index}];\n")
        elif kind in _SIZES:
            copies.append(f"  memcpy(&{value}, arguments[{index}], {_SIZES[kind]});\n")
        else:
            raise RuntimeError(
                f"kernel `{compiled.name}`: a shared library takes no argument `{name}` of type `{kind}`"
            )
    return _LAUNCHER.format(name=compiled.name, count=max(len(copies), 1), copies="".join(copies))


def build(compiled, stage):
    """The bytes of the shared library. Raises ValueError when the kernel needs more than its arguments (it prints), and
    RuntimeError when a C compiler fails or is missing."""
    if not hasattr(compiled.src, "signature"):
        raise RuntimeError(f"kernel `{compiled.name}`: a shared library is made only of a kernel in Python")
    return _build(_kernel(compiled) if stage == "so" else _launcher(compiled), compiled.name)
