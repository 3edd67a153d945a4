// The passes over the dialect tt. Each has a source file and a lit test (test/) of its name.
#ifndef TRITON_PASSES_TT_PASSES_TD
#define TRITON_PASSES_TT_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonInlineCalls : Pass<"triton-inline-calls", "::mlir::ModuleOp"> {
  let summary = "inline every call of a function that is not noinline";
  let description = [{
    Runs the upstream inliner, but only in a module that holds calls: building the call graph and simplifying each
    function is wasted on the usual kernel, which calls nothing.

    The inliner leaves a call inside of a loop or branch if the function has branches between blocks, as functions with
    early returns have in IR that Triton wrote. With `every-call`, for targets without calls, these branches become `scf.if`
    first, and `noinline` does not count.
  }];
  let options = [
    Option<"everyCall", "every-call", "bool", "false", "the target has no calls">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

def TritonCombine : Pass<"triton-combine", "::mlir::ModuleOp"> {
  let summary = "merge operations into cheaper ones";
  let description = [{
    Uniform offsets move into the scalar base, so that what remains of an address is the same in every iteration:

    ```mlir
    %p = tt.addptr %base, %lanes : tensor<64x!tt.ptr<f32>>, tensor<64xi32>      // %base = tt.splat %scalar
    %q = tt.addptr %p, %uniform : tensor<64x!tt.ptr<f32>>, tensor<64xi32>       // %uniform = tt.splat %step
    ```
    becomes
    ```mlir
    %moved = tt.addptr %scalar, %step : !tt.ptr<f32>, i32
    %base2 = tt.splat %moved : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %q = tt.addptr %base2, %lanes : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    ```

    A sum with a matrix product whose accumulator is zero becomes its accumulator. A select that repeats a load's
    uniform mask becomes the load's value for masked elements. The sum of a broadcast product becomes a matrix product.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonFoldAssumptions : Pass<"triton-fold-assumptions", "::mlir::ModuleOp"> {
  let summary = "decide conditions that assumptions imply";
  let description = [{
    After an assumption its condition is true, and so are comparisons of the same value with constants that it implies;
    those that it excludes are false.

    ```mlir
    %positive = arith.cmpi sgt, %n, %zero : i32
    llvm.intr.assume %positive : i1
    %any = arith.cmpi ne, %n, %zero : i32
    scf.if %any {
    ```
    becomes
    ```mlir
    %positive = arith.cmpi sgt, %n, %zero : i32
    llvm.intr.assume %positive : i1
    %true = arith.constant true
    scf.if %true {
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonReorderBroadcast : Pass<"triton-reorder-broadcast", "::mlir::ModuleOp"> {
  let summary = "compute before broadcasting rather than after";
  let description = [{
    An elementwise operation on splats becomes a splat of the scalar operation. An elementwise operation on splats and
    broadcasts from the same shape becomes a broadcast of the operation on the smaller tensors.

    ```mlir
    %x = tt.broadcast %a : tensor<64x1xi32> -> tensor<64x32xi32>
    %y = arith.muli %x, %stride : tensor<64x32xi32>                             // %stride = tt.splat %s
    ```
    becomes
    ```mlir
    %stride2 = tt.splat %s : i32 -> tensor<64x1xi32>
    %x = arith.muli %a, %stride2 : tensor<64x1xi32>
    %y = tt.broadcast %x : tensor<64x1xi32> -> tensor<64x32xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonRewriteTensorPointer : Pass<"triton-rewrite-tensor-pointer", "::mlir::ModuleOp"> {
  let summary = "turn block pointers into tensors of pointers";
  let description = [{
    A block pointer becomes its parts: base, extents, strides and offsets. This also applies to block pointers that loops,
    branches and calls carry. An access computes addresses from the parts, and a mask for the dimensions that it checks.

    ```mlir
    %x = tt.load %block {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
    ```
    becomes, with `%offset` and `%extent` those of dimension 0,
    ```mlir
    %i = arith.addi %range, %offsetSplat : tensor<64xi64>
    %low = arith.cmpi sge, %i, %zero : tensor<64xi64>
    %high = arith.cmpi slt, %i, %extentSplat : tensor<64xi64>
    %mask = arith.andi %low, %high : tensor<64xi1>
    %x = tt.load %pointers, %mask, %zeros : tensor<64x!tt.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TritonDropUnitDimensions : Pass<"triton-drop-unit-dimensions", "::mlir::ModuleOp"> {
  let summary = "leave leading dimensions of extent 1 out of what descriptors load and store";
  let description = [{
    Descriptors of arrays with a dimension for batches or experts have blocks of extent 1 there, and kernels reshape what
    they load to the matrix that it is. The load gives the matrix, and a store takes it, so that all that follows sees
    matrices: layouts, copy engines, and pointers where there is no such engine.

    ```mlir
    %x = tt.descriptor_load %d[%e, %m, %k] : !tt.tensordesc<tensor<1x128x64xf16>> -> tensor<1x128x64xf16>
    %y = tt.reshape %x : tensor<1x128x64xf16> -> tensor<128x64xf16>
    ```
    becomes
    ```mlir
    %y = tt.descriptor_load %d[%e, %m, %k] : !tt.tensordesc<tensor<1x128x64xf16>> -> tensor<128x64xf16>
    ```

    A load whose users make different shapes of it stays as it is.
  }];
}

def TritonRewriteTensorDescriptorToPointer
    : Pass<"triton-rewrite-tensor-descriptor-to-pointer", "::mlir::ModuleOp"> {
  let summary = "turn tensor descriptors into tensors of pointers";
  let description = [{
    This pass is for targets without hardware for descriptors. A descriptor becomes its parts: base, extents, strides and
    the kind of padding value. This also applies to descriptors that loops, branches, calls and parameters of kernels
    carry. Every access is masked by the extents. With `bulk-copy-obstacle`, why accesses are not bulk copies, each is a
    missed optimization.
  }];
  let options = [
    Option<"bulkCopyObstacle", "bulk-copy-obstacle", "std::string", "", "a sentence; empty: nobody expects bulk copies">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TritonDecomposeScaledDot : Pass<"triton-decompose-scaled-dot", "::mlir::ModuleOp"> {
  let summary = "turn scaled products into products";
  let description = [{
    Operands in microscaling formats become numbers that matrix units of all targets multiply, and each is multiplied by
    the scale of its group. 4-bit elements are unpacked.

    ```mlir
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false}
        : tensor<64x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    ```
    becomes
    ```mlir
    %numbers = tt.fp_to_fp %a : tensor<64x64xf8E4M3FN> -> tensor<64x64xbf16>
    %scaled = arith.mulf %numbers, %scales : tensor<64x64xbf16>     // %scales: %s as powers of two, each 32 times
    %b16 = tt.fp_to_fp %b : tensor<64x64xf8E4M3FN> -> tensor<64x64xbf16>
    %d = tt.dot %scaled, %b16, %c : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
    ```

    The type is bf16, which holds the elements of all formats but fp16 with their scales. With fp16 elements it is fp16,
    and f32 for a product in tf32 where there are scales or elements of bf16. `fastMath` leaves out that the scale 255 is
    NaN.

    Targets that take PTX unpack four bytes of 4-bit elements at a time, by instructions that look bytes up in a table.

    Where units multiply 8- and 4-bit floats with a power of two for each 32 of them, such products remain if one of
    their instructions is not larger.
  }];
  let options = [
    ListOption<"scalingDepths", "scaling-depths", "unsigned",
               "the depths that matrix units multiply with scales for results of 16 rows and columns, and of 32; 0: none">,
    Option<"takesPtx", "takes-ptx", "bool", "false", "the target takes PTX as inline assembly">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonScalarizeInductions : Pass<"triton-scalarize-inductions", "::mlir::ModuleOp"> {
  let summary = "carry a scalar offset through a loop instead of a tensor";
  let description = [{
    A loop-carried tensor of integers or pointers to which each iteration adds one value everywhere becomes the initial
    tensor plus a carried scalar.

    ```mlir
    %r = scf.for %i = %lb to %ub step %c1 iter_args(%p = %init) -> (tensor<64x!tt.ptr<f32>>) : i32 {
      %x = tt.load %p : tensor<64x!tt.ptr<f32>>
      %next = tt.addptr %p, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>     // %step = tt.splat %s
      scf.yield %next : tensor<64x!tt.ptr<f32>>
    }
    ```
    becomes
    ```mlir
    %r = scf.for %i = %lb to %ub step %c1 iter_args(%offset = %c0) -> (i64) : i32 {
      %offsets = tt.splat %offset : i64 -> tensor<64xi64>
      %p = tt.addptr %init, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
      %x = tt.load %p : tensor<64x!tt.ptr<f32>>
      %wide = arith.extsi %s : i32 to i64
      %next = arith.addi %offset, %wide : i64
      scf.yield %next : i64
    }
    ```
  }];
  let options = [Option<"onlyBuffers", "only-buffers", "bool", "false",
                        "only pointers that are known to need no more than a scalar base and offsets of 31 bits">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonFindDisjointArguments : Pass<"triton-find-disjoint-arguments", "::mlir::ModuleOp"> {
  let summary = "say between which arguments it matters that they are disjoint";
  let description = [{
    Arguments of a kernel with different numbers `tt.storage` point into memory that does not overlap. The pass lists the
    pairs of such arguments where a loop stores through the first and accesses memory through the other. Of a loop with a
    `gpu.barrier`, which orders its loads after all stores, the first may be any through which the kernel stores. Only of
    these pairs may later passes ask (`analysis::areDisjoint`), for example whether a load of a later iteration may run
    ahead of a store.

    ```mlir
    tt.func @kernel(%x: !tt.ptr<f32> {tt.storage = 0 : i32}, %y: !tt.ptr<f32> {tt.storage = 1 : i32}, %n: i32) {
      scf.for ... {
        %v = tt.load %p    // through %x
        tt.store %q, %v    // through %y
      }
    ```
    becomes
    ```mlir
    tt.func @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) attributes {tt.disjoint_pairs = array<i32: 1, 0>} {
    ```

    The compiled kernel has this list too. A launch compares the arrays that it gets, and takes a variant that was compiled
    without these pairs where they overlap. A kernel without pairs costs its launches nothing.
  }];
}

def TritonLicm : Pass<"triton-licm", "::mlir::ModuleOp"> {
  let summary = "move what does not change out of loops, loads included";
  let description = [{
    Operations without memory effects move as upstream does it, but for loops where the loop around them may run zero
    times. A load moves out of a loop that writes no memory; where
    the loop may run zero times, the load gets the mask "runs at least once". A loop whose `llvm.loop_annotation`
    disables the motion is left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonLoopUnroll : Pass<"triton-loop-unroll", "::mlir::ModuleOp"> {
  let summary = "unroll loops by their attribute tt.loop_unroll_factor";
  let description = [{
    A factor below 2 means no unrolling. Iterations that do not fill a group run in a loop after the unrolled one.
    Factors of nested loops multiply. A factor that would make more than 8192 operations is ignored, with a warning.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonVerifyTtir : Pass<"triton-verify-ttir", "::mlir::ModuleOp"> {
  let summary = "check what the stage ttir leaves behind";
  let description = [{
    After the stage, only operations of the dialects arith, builtin, cf, math, scf, tt and ub are left. Three other
    operations are allowed: `llvm.intr.assume`, which states facts, `llvm.fence`, and `gpu.barrier`, at which the threads
    of the program wait. There are no block pointers.

    With `is-given`, it checks before the stage what a user wrote, where block pointers may still be: the dialects, that
    floats have a type of the language, and that no function calls itself.
  }];
  let options = [Option<"isGiven", "is-given", "bool", "false", "a user wrote this, and the stage follows">];
}

#endif
