// The CPU backend's passes between ttcir and LLVM IR, in the order in which they run.
#ifndef TRITON_BACKENDS_CPU_PASSES
#define TRITON_BACKENDS_CPU_PASSES

include "mlir/Pass/PassBase.td"

def VerifyTtcir : Pass<"cpu-verify-ttcir", "mlir::ModuleOp"> {
  let summary = "Check that only loops over native vectors are left";
  let description = [{
    The end of the stage `ttcir`: every operation belongs to arith, math, vector, scf, cf, func, ub or llvm, no value
    is a tensor, and no vector has more than one dimension or more bits than four native vectors. What is left over is
    reported at the kernel's line as not supported.
  }];
}

def CheckInlineAssembly : Pass<"cpu-check-inline-assembly", "mlir::ModuleOp"> {
  let summary = "Check that inline assembly assembles for this processor";
  let description = [{
    Each text is compiled alone, in a function of its own, so that an error names the kernel's line: the code generator
    does not know the lines and would report it after everything else was compiled.
  }];
  let options = [Option<"arch", "arch", "std::string", [{""}], "processor to compile for; empty: the host's">];
}

def ConvertDivision : Pass<"cpu-convert-division", "mlir::ModuleOp"> {
  let summary = "Divide vectors of integers in floating point, and keep other divisions from trapping";
  let description = [{
    The processor has no instruction that divides vectors of integers. Sixteen scalar divisions take ten times as long
    as a division in floating point, which is exact for up to 32 bits. Divisions of scalars and of i64 remain integer
    divisions, with a divisor of 1 where the instruction would trap. In kernels, division by zero has an unspecified
    result, and lanes that a mask switches off later may divide by zero.
    ```mlir
    %q = arith.divsi %a, %b : vector<16xi32>
    // becomes
    %af = arith.sitofp %a : vector<16xi32> to vector<16xf64>
    %bf = arith.sitofp %b : vector<16xi32> to vector<16xf64>
    %qf = arith.divf %af, %bf : vector<16xf64>
    %q = arith.fptosi %qf : vector<16xf64> to vector<16xi32>
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ConvertMath : Pass<"cpu-convert-math", "mlir::ModuleOp"> {
  let summary = "Replace math operations that are not instructions by inline code or calls of libmvec and libm";
  let description = [{
    `exp` and `exp2`, and `erf` of 16 floats, become inline polynomials; other functions become one call for each native
    vector. fp16 and bf16 are computed in f32.
    ```mlir
    %y = math.tanh %x : vector<16xf32>
    // becomes
    %y = llvm.call @_ZGVeN16v_tanhf(%x) : (vector<16xf32>) -> vector<16xf32>
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", [{""}], "processor to compile for; empty: the host's">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
                           "mlir::vector::VectorDialect"];
}

def ConvertLoopsToLLVM : Pass<"cpu-convert-loops-to-llvm", "mlir::ModuleOp"> {
  let summary = "Convert scf to cf, and arith, math, vector, cf, func and ub to the llvm dialect in one conversion";
  let dependentDialects = ["mlir::cf::ControlFlowDialect", "mlir::LLVM::LLVMDialect"];
}

#endif
