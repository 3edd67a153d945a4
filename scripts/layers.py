"""The rooms of the code and which rooms each may include: the one table of allowed dependencies.

check_layers.py holds every include against it; generate_layer_docs.py writes it into docs/rooms.md. A room's
folder includes its subfolders, unless these are rooms of their own.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    path: str
    purpose: str  # Markdown, for docs/rooms.md
    uses: tuple = ()  # paths of other rooms


# In the order of a compilation: a room uses only rooms above it.
ROOMS = (
    Room("include/triton", "the public C++ API, and for C the reader and the launcher of bundles; nothing else"),
    Room(
        "src/base",
        "what everything needs and nothing owns: sources and diagnostics, targets and options, signatures, the "
        "environment, the interface of the pass runner, errors, what a compiled and a loaded kernel are",
    ),
    Room(
        "src/numerics",
        "arithmetic on the host: directed rounding, the functions of libdevice, the text that printf makes of numbers",
    ),
    Room("src/ptx", "the text of inline PTX as instructions and operands"),
    Room("src/layout", "linear layouts and their drawing ([layouts.md](layouts.md)); no MLIR"),
    Room("src/ir", "the dialect `tt`"),
    Room(
        "src/analysis",
        "contiguity, divisibility and ranges of indices; what operations do to memory, and through which arguments",
        ("src/ir",),
    ),
    Room(
        "src/gpu/ir",
        "the dialect `ttg`: encodings as constructors of linear layouts, buffers in shared memory",
        ("src/ir", "src/layout"),
    ),
    Room(
        "src/frontend",
        "lexer, parser, compile-time objects, the loader of `.py` files, and in `prelude` the library functions that "
        "are written in the kernel language; no MLIR",
        ("src/base",),
    ),
    Room(
        "src/frontend/lowering",
        "syntax tree → TTIR, for Gluon TTGIR: statements, constant evaluation, semantics, builtins",
        ("src/base", "src/frontend", "src/gpu/ir", "src/ir"),
    ),
    Room(
        "src/passes/ptx",
        "inline PTX → operations that every target has",
        ("src/base", "src/ir", "src/ptx"),
    ),
    Room(
        "src/passes/tt",
        "passes on TTIR that every target runs, one a file",
        ("src/analysis", "src/base", "src/ir", "src/passes/ptx"),
    ),
    Room("src/passes/llvm", "passes on the LLVM dialect that several backends run", ("src/ir",)),
    Room(
        "src/gpu/target",
        "what the middle end asks a GPU about, and the registry of the backends that answer",
        ("src/analysis", "src/gpu/ir"),
    ),
    Room(
        "src/gpu/analysis",
        "what a program may take of a multiprocessor; numbers that were tuned ([tuned-numbers.md](tuned-numbers.md)); "
        "placement of shared memory, and which accesses of it must wait for which; plans of layout conversions, "
        "reductions and scans; how wide an access may be",
        ("src/analysis", "src/gpu/ir", "src/gpu/target", "src/ir", "src/layout"),
    ),
    Room(
        "src/gpu/tiles",
        "what tiles a program computes, of which types, at which addresses and with how many warps",
        ("src/analysis", "src/base", "src/gpu/analysis", "src/gpu/ir", "src/gpu/target", "src/ir"),
    ),
    Room(
        "src/gpu/layouts",
        "which thread holds which element, and what follows from that",
        ("src/base", "src/gpu/analysis", "src/gpu/ir", "src/gpu/target", "src/ir"),
    ),
    Room(
        "src/gpu/products",
        "matrix products and their operands, for the units that compute them",
        ("src/base", "src/gpu/analysis", "src/gpu/ir", "src/gpu/target", "src/ir"),
    ),
    Room(
        "src/gpu/copies",
        "the engine that copies blocks of arrays beside a program: which loads and stores it does, buffers, maps and "
        "warps for it",
        ("src/analysis", "src/base", "src/gpu/analysis", "src/gpu/ir", "src/gpu/target", "src/ir"),
    ),
    Room(
        "src/gpu/loops",
        "what the iterations of a loop do beside one another: pipelines, flattened loops, products that go on",
        ("src/analysis", "src/base", "src/gpu/analysis", "src/gpu/ir", "src/gpu/target", "src/ir"),
    ),
    Room(
        "src/gpu/memory",
        "places in shared memory, barriers and fences",
        ("src/base", "src/gpu/analysis", "src/gpu/ir", "src/gpu/target"),
    ),
    Room(
        "src/gpu",
        "the stage ttgir: the passes of all topics in their order, and the rules that hold between them",
        (
            "src/analysis",
            "src/gpu/analysis",
            "src/gpu/copies",
            "src/gpu/ir",
            "src/gpu/layouts",
            "src/gpu/loops",
            "src/gpu/memory",
            "src/gpu/products",
            "src/gpu/target",
            "src/gpu/tiles",
        ),
    ),
    Room(
        "src/gpu/lowering",
        "TTGIR → the LLVM dialect: the code of one thread; what a target writes itself is `TargetEmitter.h`",
        (
            "src/analysis",
            "src/base",
            "src/gpu/analysis",
            "src/gpu/ir",
            "src/gpu/target",
            "src/ir",
            "src/numerics",
            "src/passes/llvm",
        ),
    ),
    Room(
        "src/simulator/core",
        "runs a decoded kernel a warp at a time, every access checked ([simulator.md](simulator.md))",
        ("src/numerics",),
    ),
    Room(
        "src/simulator/nvptx",
        "decodes what LLVM IR for NVIDIA GPUs has of its own: intrinsics, inline PTX, matrix instructions",
        ("src/numerics", "src/ptx", "src/simulator/core"),
    ),
    Room(
        "src/simulator/amdgpu",
        "decodes what LLVM IR for AMD GPUs has of its own: intrinsics, buffer resources, matrix instructions",
        ("src/numerics", "src/simulator/core"),
    ),
    Room(
        "src/simulator",
        "chooses the decoder of a module",
        ("src/simulator/amdgpu", "src/simulator/core", "src/simulator/nvptx"),
    ),
    Room(
        "src/backends",
        "the interface of a backend; what a kernel in MLIR takes, as launches know it; what a kernel leaves behind; "
        "errors of LLVM that would end the process",
        ("src/base", "src/gpu/ir", "src/ir", "src/numerics"),
    ),
    Room(
        "src/backends/cpu/runtime",
        "running kernels of this processor over a grid: the thread pool, and the functions that kernels call",
        ("src/base",),
    ),
    Room(
        "src/backends/cpu/emitters",
        "what the CPU's lowering shares: facts of the processor, conversions, products",
        ("src/numerics",),
    ),
    Room(
        "src/backends/cpu/codegen",
        "TTIR → loops over native vectors",
        ("src/backends/cpu/emitters", "src/backends/cpu/runtime", "src/ir", "src/passes/llvm"),
    ),
    Room(
        "src/backends/cpu",
        "the backend of this processor: options, stages, the linker of object code",
        (
            "src/backends",
            "src/backends/cpu/codegen",
            "src/backends/cpu/emitters",
            "src/backends/cpu/runtime",
            "src/base",
            "src/ir",
            "src/numerics",
            "src/passes/llvm",
            "src/passes/tt",
        ),
    ),
    Room(
        "src/backends/gpu/llvm",
        "passes over LLVM IR that GPUs of all vendors may need",
        ("src/base", "src/gpu/analysis"),
    ),
    Room(
        "src/backends/gpu",
        "the stages from TTIR to LLVM IR, which the backends of all GPUs share",
        (
            "src/backends",
            "src/backends/gpu/llvm",
            "src/base",
            "src/gpu",
            "src/gpu/analysis",
            "src/gpu/ir",
            "src/gpu/lowering",
            "src/gpu/target",
            "src/passes/llvm",
            "src/passes/tt",
        ),
    ),
    Room(
        "src/backends/gpu/driver",
        "loading a vendor's driver, and kernels of machine code through it",
        ("src/base",),
    ),
    Room(
        "src/backends/gpu/library",
        "linking kernels to a vendor's library of mathematical functions",
        (),
    ),
    Room(
        "src/backends/amd/driver",
        "AMD's driver, and launches through it",
        ("src/backends", "src/backends/gpu/driver", "src/base"),
    ),
    Room(
        "src/backends/amd/lowering",
        "what AMD's GPUs have instructions for: the intrinsics of LLVM's target, and how architectures differ",
        ("src/gpu/lowering", "src/numerics"),
    ),
    Room(
        "src/backends/amd/target",
        "AMD's architectures, as the middle end asks about them",
        ("src/backends/amd/lowering", "src/gpu/target"),
    ),
    Room(
        "src/backends/amd/llvm",
        "passes over LLVM IR for AMD's GPUs",
        ("src/backends/amd/lowering", "src/base"),
    ),
    Room(
        "src/backends/amd/library",
        "the mathematical functions of AMD GPUs, in `device` for the GPU itself, and how kernels are linked to them",
        ("src/backends/gpu/library", "src/base"),
    ),
    Room(
        "src/backends/amd",
        "the backend of AMD GPUs: options, stages, assembly, code objects",
        (
            "src/backends",
            "src/backends/amd/driver",
            "src/backends/amd/library",
            "src/backends/amd/llvm",
            "src/backends/amd/lowering",
            "src/backends/amd/target",
            "src/backends/gpu",
            "src/backends/gpu/llvm",
            "src/base",
            "src/gpu/analysis",
            "src/gpu/target",
            "src/ir",
        ),
    ),
    Room(
        "src/backends/nvidia/lowering",
        "what NVIDIA's GPUs have instructions for: NVVM's intrinsics, inline PTX, libdevice",
        ("src/base", "src/gpu/ir", "src/gpu/lowering"),
    ),
    Room(
        "src/backends/nvidia/target",
        "NVIDIA's architectures, as the middle end asks about them",
        ("src/backends/nvidia/lowering", "src/gpu/target"),
    ),
    Room(
        "src/backends/nvidia/llvm",
        "passes over LLVM IR for NVIDIA's GPUs",
        ("src/base", "src/gpu/analysis"),
    ),
    Room(
        "src/backends/nvidia",
        "the backend of NVIDIA GPUs: options, stages, PTX, the assembler, the driver",
        (
            "src/backends",
            "src/backends/gpu",
            "src/backends/gpu/driver",
            "src/backends/gpu/library",
            "src/backends/gpu/llvm",
            "src/backends/nvidia/llvm",
            "src/backends/nvidia/target",
            "src/base",
            "src/gpu/target",
        ),
    ),
    Room(
        "src/backends/simulated",
        "a GPU's backend up to its LLVM IR, which the simulator runs",
        ("src/backends", "src/base", "src/simulator", "src/simulator/core"),
    ),
    Room(
        "src/compiler",
        "`compile()`: backends, stages, the pass runner, dumps, overrides, the cache, bundles that are loaded",
        (
            "include/triton",
            "src/analysis",
            "src/backends",
            "src/backends/amd",
            "src/backends/cpu",
            "src/backends/nvidia",
            "src/backends/simulated",
            "src/base",
            "src/frontend",
            "src/frontend/lowering",
            "src/gpu/ir",
            "src/ir",
            "src/passes/tt",
        ),
    ),
    Room(
        "src/runtime",
        "which facts of a launch's arguments select the compiled variant; parameters of kernels for callers without "
        "Python; estimated times of launches",
        ("src/base", "src/frontend"),
    ),
    Room(
        "src/aot",
        "ahead-of-time compilation: variants of kernels as C, a linker for them, operators in C++, bundles of kernels "
        "([aot.md](aot.md))",
        (
            "include/triton",
            "src/backends",
            "src/backends/cpu",
            "src/backends/cpu/emitters",
            "src/base",
            "src/compiler",
            "src/frontend",
            "src/frontend/lowering",
            "src/numerics",
            "src/runtime",
        ),
    ),
    Room(
        "src/profiler",
        "what a running program does and how long it takes: sessions, scopes, metrics, and the formats of profiles "
        "([profiler.md](profiler.md))",
        ("src/base", "src/compiler"),
    ),
    Room(
        "src/api",
        "the implementation of `libtriton.so`; the library exports nothing more",
        (
            "include/triton",
            "src/base",
            "src/compiler",
            "src/frontend",
            "src/frontend/lowering",
            "src/profiler",
            "src/runtime",
        ),
    ),
    Room(
        "src/explorer",
        "the data and the page of `tritonc explore` ([explorer.md](explorer.md)), and its server",
        ("src/base", "src/compiler", "src/gpu/ir"),
    ),
    Room(
        "src/settings",
        "how tools compile a kernel that nobody launches: comments above kernels and `.triton.toml` "
        "([tritonc.md](tritonc.md#settings))",
        ("src/base", "src/compiler", "src/frontend", "src/frontend/lowering"),
    ),
    Room(
        "src/language_server",
        "the server that editors ask about kernels ([editors.md](editors.md)): guesses of arguments, lowerings that go "
        "on after errors, compilations that show layouts, and an answer for each kind of question",
        (
            "src/base",
            "src/compiler",
            "src/frontend",
            "src/frontend/lowering",
            "src/gpu/ir",
            "src/layout",
            "src/settings",
        ),
    ),
    Room(
        "tools/tritonc",
        "the command line ([tritonc.md](tritonc.md))",
        (
            "include/triton",
            "src/aot",
            "src/api",
            "src/base",
            "src/compiler",
            "src/explorer",
            "src/frontend",
            "src/frontend/lowering",
            "src/gpu/ir",
            "src/ir",
            "src/language_server",
            "src/layout",
            "src/settings",
        ),
    ),
    Room(
        "python/bindings",
        "the extension module of the package `triton`",
        (
            "src/aot",
            "src/base",
            "src/compiler",
            "src/explorer",
            "src/frontend",
            "src/frontend/lowering",
            "src/gpu/ir",
            "src/layout",
            "src/ir",
            "src/profiler",
            "src/runtime",
            "tools/tritonc",
        ),
    ),
    Room(
        "tools/triton-opt",
        "runs passes on IR files",
        (
            "src/base",
            "src/backends/cpu",
            "src/backends/amd/llvm",
            "src/backends/amd/target",
            "src/backends/cpu/codegen",
            "src/backends/gpu/llvm",
            "src/backends/nvidia/llvm",
            "src/backends/nvidia/target",
            "src/gpu",
            "src/gpu/ir",
            "src/gpu/lowering",
            "src/ir",
            "src/passes/llvm",
            "src/passes/ptx",
            "src/passes/tt",
        ),
    ),
    Room(
        "tools/triton-frontend-dump",
        "prints what the frontend makes of a file, for its tests",
        ("src/base", "src/frontend", "src/frontend/lowering"),
    ),
    Room(
        "tools/triton-generate-stubs",
        "writes the package's stubs and the reference of builtins from the tables of the frontend",
        ("src/base", "src/frontend", "src/frontend/lowering"),
    ),
)
