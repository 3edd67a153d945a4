// The lowering of the dialects tt and ttg to LLVM.
#ifndef TRITON_GPU_LOWERING_PASSES_TD
#define TRITON_GPU_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTritonGPUToLLVM : Pass<"convert-triton-gpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower a program with layouts to the code of one thread";
  let description = [{
    Every tensor becomes the values that one thread holds, in the order of its layout's registers; kernels become
    functions of the target's calling convention. What LLVM IR has no words for, such as shuffles and matrix products, the
    target that the module names writes itself. Needs the offsets of allocate-shared-memory and the barriers of
    tritongpu-insert-barriers.

    ```mlir
    %s = arith.addf %x, %y : tensor<256xf32, #blocked>   // two elements a thread
    ```
    becomes
    ```mlir
    %s0 = llvm.fadd %x0, %y0 : f32
    %s1 = llvm.fadd %x1, %y1 : f32
    ```
  }];
  let options = [
    Option<"flushDenormals", "flush-denormals", "bool", "false",
           "subnormal f32 inputs and results of approximations may become 0">,
    Option<"checkAssertions", "check-assertions", "bool", "false", "stop programs whose assertions fail">,
    Option<"maxRegisters", "max-registers", "unsigned", "0",
           "of a thread, on NVIDIA's GPUs; 0: the assembler chooses">,
    Option<"ptxVersion", "ptx-version", "unsigned", "0",
           "the newest version of PTX that may be used, times 10, on NVIDIA's GPUs; 0: any">,
    Option<"buffers", "buffers", "::triton::gpu::BufferUse", "::triton::gpu::BufferUse::All",
           "what goes through buffer resources on AMD's GPUs", [{::llvm::cl::values(
             clEnumValN(::triton::gpu::BufferUse::None, "none", "nothing"),
             clEnumValN(::triton::gpu::BufferUse::Accesses, "accesses", "loads and stores"),
             clEnumValN(::triton::gpu::BufferUse::All, "all", "atomic operations, too"))}]>,
    Option<"definesAll", "defines-all", "bool", "false",
           "what programs leave undefined is zero, for simulators: LLVM drops stores of undefined values">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif
