// The passes over the dialect tt. Each has a source file and a lit test (test/lit/passes) of its name.
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

def TritonSplitPrograms : Pass<"triton-split-programs", "::mlir::ModuleOp"> {
  let summary = "let several blocks run a program, each of which computes a part of its tiles";
  let description = [{
    The pass chooses dimensions that belong together, such as the rows of a product, of its first operand and of what is
    stored (`TileAxes.h`), by the work that is divided so. Each of the blocks has its part of them and all of other
    dimensions. Blocks exchange no data, thus nothing must reduce the dimensions or move data along them, and the kernel
    must not read what it stores. One block alone does what all would repeat. Where no dimensions fit, one block runs the
    program, which is right, too.

    ```mlir
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    ```
    becomes, with two blocks,
    ```mlir
    %block = tt.get_block_rank : i32
    %first = arith.muli %block, %c64 : i32
    %s = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %t = tt.splat %first : i32 -> tensor<64xi32>
    %r = arith.addi %s, %t : tensor<64xi32>
    ```

    The attribute `tt.blocks` of the module says that it was done, and `tt.all_blocks` which blocks of descriptors all of
    them load.
  }];
  let options = [Option<"blocks", "blocks", "unsigned", "1", "that a program may have, a power of two">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TritonDescribeLoads : Pass<"triton-describe-loads", "::mlir::ModuleOp"> {
  let summary = "describe by tensor descriptors what operands of products are loaded from through pointers";
  let description = [{
    This pass is for targets that copy blocks of tensors to shared memory by themselves. A load in a loop that nothing
    but products use gets a descriptor, and a load of the block through it takes its place, where

    - its addresses are an argument of the kernel, plus indices of rows times a stride, plus indices of columns
      (analysis/BlockIndices.h): what a loop adds to pointers in each iteration is a multiple of its counter,
    - its mask is `index < extent` for rows, for columns, or for both; indices that no mask bounds have no extent,
    - indices and stride are known not to be negative, and indices to fit into 32 bits,
    - nothing that the kernel stores depends on indices beyond an extent, where `index % extent` replaces them
      (analysis/StoredLanes.h): a descriptor gives zeros there,
    - nothing before the load may store what it loads, since arguments may point to the same memory,
    - groups of warps multiply it as it lies in shared memory, and
    - all operands of products in loops that are loaded through pointers are such loads.

    The load through pointers stays beside it, without a use, and `tt.pointers` links the two:
    `triton-select-mapped-loads` decides which of them the kernel has.

    ```mlir
    %x = tt.load %p, %mask, %zeros : tensor<128x64x!tt.ptr<f16>>
    ```
    becomes
    ```mlir
    %d = tt.make_tensor_descriptor %base, [%m, %k], [%stride, %one] : <f16>, <tensor<128x64xf16>>
    %x = tt.descriptor_load %d[%row, %column] {tt.pointers = 0 : i32} : ... -> tensor<128x64xf16>
    %unused = tt.load %p, %mask, %zeros {tt.pointers = 0 : i32} : tensor<128x64x!tt.ptr<f16>>
    ```
  }];
  let options = [
    Option<"obstacle", "obstacle", "std::string", "", "why no copies would pay, as a sentence; empty: they may">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonSelectMappedLoads : Pass<"triton-select-mapped-loads", "::mlir::ModuleOp"> {
  let summary = "let the launch make the tensor maps through which bulk copies load operands of products";
  let description = [{
    This pass is for targets that copy blocks of tensors to shared memory by themselves. A load of a descriptor becomes a
    `tt.mapped_load` where

    - nothing but products uses the block, perhaps transposed, and one such load is in a loop,
    - base, extents and strides of the descriptor are computed from arguments of the kernel and constants, aligned to 16
      bytes as far as is known, and so is the first column of the block,
    - the kernel does not store through the argument that is the base, and nothing before the load waits for what other
      programs do,
    - another warp can find out by itself which blocks are loaded when: from scalars, loops and branches
      (analysis/ControlSlice.h). Such loads are done by a warp of their own, see `tritongpu-specialize-warps`.
    - `shared-bytes` hold one block of each load. Loads in loops that exclude each other share them.

    What remains goes through tensors of pointers. Where not all loads that `triton-describe-loads` described can be
    chosen, none of them is: they become the loads through pointers that they were.

    ```mlir
    %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %c1]
    scf.for ... {
      %a = tt.descriptor_load %d[%i, %j]
    ```
    becomes
    ```mlir
    scf.for ... {
      %a = tt.mapped_load {base = "arg:0", shape = ["arg:1", "arg:2"], strides = ["arg:3"], ...} [%i, %j]
    ```
  }];
  let options = [
    Option<"sharedBytes", "shared-bytes", "uint64_t", "0", "shared memory of a program; 0: any number">
  ];
}

def TritonSelectMappedStores : Pass<"triton-select-mapped-stores", "::mlir::ModuleOp"> {
  let summary = "let the launch make the tensor maps through which bulk copies store blocks";
  let description = [{
    In a kernel whose operands come through tensor maps (`triton-select-mapped-loads`), a store to a descriptor, or an
    atomic addition to floats of 16 bits, becomes a `tt.mapped_store` where

    - the launch can compute the map, and the first column of the block is aligned to 16 bytes as far as is known,
    - the kernel accesses nothing through the argument that is the base but by such stores, and
    - nothing in the kernel orders its accesses of memory with those of others: copies end at some time of their own.

    `shared-bytes` must hold a block beside the operands of products: stores go through buffers, see
    `tritongpu-buffer-mapped-stores`. What remains goes through tensors of pointers.

    ```mlir
    %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %c1]
    tt.descriptor_store %d[%i, %j], %v
    ```
    becomes
    ```mlir
    tt.mapped_store %x, [%m, %n], [%s, %c1] {base = "arg:0", ...} [%i, %j], %v
    ```
  }];
  let options = [
    Option<"sharedBytes", "shared-bytes", "uint64_t", "232448", "shared memory of a program">
  ];
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

    Where units multiply 8- and 4-bit floats with a power of two for each 32 of them, such products remain if one of
    their instructions is not larger.
  }];
  let options = [
    ListOption<"scalingDepths", "scaling-depths", "unsigned",
               "the depths that matrix units multiply with scales for results of 16 rows and columns, and of 32; 0: none">
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

def TritonSeparateBases : Pass<"triton-separate-bases", "::mlir::ModuleOp"> {
  let summary = "write the addresses of accesses as a scalar base and one tensor of offsets";
  let description = [{
    For targets whose instructions add a base, which all threads share, and an offset of 31 bits of each thread; only
    accesses that can be proved to need no other offsets change. Offsets that were added in several shapes become one
    sum, and what all elements have in common moves into the base if it is known not to be negative, so that the base
    stays in the array or behind it.

    ```mlir
    %start = arith.muli %pid, %c1024 : i32
    %starts = tt.splat %start : i32 -> tensor<1024xi32>
    %index = arith.addi %starts, %range : tensor<1024xi32>                      // %range = tt.make_range
    %p = tt.addptr %bases, %index : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32> // %bases = tt.splat %base
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>>
    ```
    becomes
    ```mlir
    %start = arith.muli %pid, %c1024 : i32
    %moved = tt.addptr %base, %start : !tt.ptr<f32>, i32
    %bases = tt.splat %moved : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %bases, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonLicm : Pass<"triton-licm", "::mlir::ModuleOp"> {
  let summary = "move what does not change out of loops, loads included";
  let description = [{
    Operations without memory effects move as upstream does it. A load moves out of a loop that writes no memory; where
    the loop may run zero times, the load gets the mask "runs at least once". A loop whose `llvm.loop_annotation`
    disables the motion is left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonLoopUnroll : Pass<"triton-loop-unroll", "::mlir::ModuleOp"> {
  let summary = "unroll loops by their attribute tt.loop_unroll_factor";
  let description = [{
    A factor below 2 means no unrolling. Iterations that do not fill a group run in a loop after the unrolled one.
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
