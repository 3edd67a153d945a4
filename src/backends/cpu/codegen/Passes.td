// Passes that turn TTIR into ttcir, the CPU's loops over native vectors.
#ifndef TRITON_BACKENDS_CPU_CODEGEN_PASSES_TD
#define TRITON_BACKENDS_CPU_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTilesPass : Pass<"triton-cpu-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "kernels over tensors as loops over native vectors";
  let description = [{
    Replaces every kernel (`tt.func` with a body) by an `llvm.func` with the signature of `cpu::CpuEntry`, which runs
    a range of programs of the grid. Branches between blocks become conditions and loops. Expects no calls, and no
    loop-carried tensors of pointers.
    Tensors become loops over vectors of at most the native width, so that the size of the code does not depend on the
    size of the tensors; what crosses a loop lies in the scratch area, whose size becomes the module's attribute
    `triton_cpu.scratch_bytes`.

    Before:
    ```mlir
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>>
    %y = arith.addf %x, %x : tensor<1024xf32>
    tt.store %q, %y : tensor<1024x!tt.ptr<f32>>
    ```
    After:
    ```mlir
    scf.for %i = %c0 to %c1024 step %c16 : i64 {
      %x = llvm.load %pi {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %y = arith.addf %x, %x : vector<16xf32>
      llvm.store %y, %qi {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
    }
    ```
  }];
  let constructor = "::triton::cpu::createLowerTilesPass()";
  let options = [
    Option<"arch", "arch", "std::string", "", "processor to compile for, by LLVM's name; empty: the host">,
    Option<"debug", "debug", "bool", "false", "check device_assert">,
    Option<"fuse", "fp-fusion", "bool", "true", "a*b+c may become one fused operation">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif
