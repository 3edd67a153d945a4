// The passes that choose the layouts of tensors, and say what follows from them. Each has a source file and a lit
// test (test/) of its name.
#ifndef TRITON_GPU_LAYOUTS_PASSES_TD
#define TRITON_GPU_LAYOUTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTritonToTritonGPU : Pass<"convert-triton-to-tritongpu", "::mlir::ModuleOp"> {
  let summary = "give every tensor a layout";
  let description = [{
    This pass comes before all others of the dialect ttg. Every tensor gets the blocked encoding that spreads its
    elements over the threads, with the last dimension fastest. If an operation requires another encoding, the pass
    inserts a `ttg.convert_layout`. Later passes choose better encodings. A module that says how many threads its warps
    have already has layouts and is left as it is.

    ```mlir
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %e = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    ```
    becomes
    ```mlir
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %c = ttg.convert_layout %r : tensor<128xi32, #blocked> -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %e = tt.expand_dims %c {axis = 1 : i32} : tensor<128xi32, #ttg.slice<...>> -> tensor<128x1xi32, #blocked1>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "", "the machine, as in family:architecture">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a program">,
    Option<"numCtas", "num-ctas", "unsigned", "1", "blocks of a cluster that run one program">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUResolveLayouts : Pass<"tritongpu-resolve-layouts", "::mlir::ModuleOp"> {
  let summary = "find the layouts of tensors that name none";
  let description = [{
    Of kernels in Gluon. First each access of global memory through pointers with the layout `#ttg.coalesced` gets the
    blocked layout in which it moves whole lines, as `tritongpu-coalesce` gives it, and what the pointers are computed
    from gets the layouts that follow. Then each `ttg.set_auto_layout` gives its operand the layout of its result. From
    there layouts of `#ttg.auto` follow along uses and definitions, through loops and branches, in both directions of
    every operation; `ttg.convert_layout` and buffers stop them. A layout that follows through `tt.join`, `tt.split`,
    `tt.reshape`, `tt.cat` or `tt.trans` yields to one that does not. It is an error if a tensor would need two layouts,
    or if none follows.

    ```mlir
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.auto>
    %x = arith.addi %r, %r : tensor<64xi32, #ttg.auto>
    %y = ttg.set_auto_layout %x : tensor<64xi32, #ttg.auto> -> tensor<64xi32, #blocked>
    ```
    becomes
    ```mlir
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #blocked>
    %y = arith.addi %r, %r : tensor<64xi32, #blocked>
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUCoalesce : Pass<"tritongpu-coalesce", "::mlir::ModuleOp"> {
  let summary = "lay out accesses of global memory so that they move whole lines";
  let description = [{
    Each load, store and atomic gets a blocked layout. The dimension along which addresses are contiguous for longest is
    the fastest. A thread holds as many neighbours as one instruction can move, given the alignment and the mask.
    Accesses of the same shape and direction share a layout if what they move meets in computations of single elements,
    or is carried from one to the other. Accesses through equal pointers always do if one of them
    writes, so that each thread reads back its own elements. Loads that copies bring to shared memory ahead of products
    share one only with those of the same width: from there they are read in any layout. What is reduced in order along
    another dimension lies side by side in each thread along that one, too. Conversions surround the access, and a later
    pass removes those that it can.
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once, where a loop does not say it">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPURemoveLayoutConversions : Pass<"tritongpu-remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "choose layouts so that little data moves between threads";
  let description = [{
    Memory accesses, matrix products and buffers keep their layouts. Values that loops and branches carry, operands
    of reductions, scans and histograms, and loads from places of which nothing is known, get the layout with the least
    cost over the function. Everything else is computed in the layouts in which it is used, more than once if that is
    cheaper than a conversion. Elements that are known to be equal, such as the quotients of a group of rows, are computed
    once, and count once. Reductions and scans are never repeated, because their results may differ in the last bit.
    Remaining conversions stand where the value is defined.
    What a buffer for a product holds, and what copies bring ahead of products, is in shared memory anyway: a conversion of
    it only reads it there.

    ```mlir
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %x = arith.addi %r, %r : tensor<128xi32, #blocked>
    %y = ttg.convert_layout %x : tensor<128xi32, #blocked> -> tensor<128xi32, #blocked1>
    ```
    becomes
    ```mlir
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked1>
    %y = arith.addi %r, %r : tensor<128xi32, #blocked1>
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once, where a loop does not say it">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUOptimizeThreadLocality : Pass<"tritongpu-optimize-thread-locality", "::mlir::ModuleOp"> {
  let summary = "reduce across threads once after a loop rather than in each iteration";
  let description = [{
    This applies to a loop that combines a carried value with the reduction of a tile. The loop then carries a partial
    value for each thread along the axis, and these are combined after the loop, where they are also converted if the
    carried value has another layout. Sums may be scaled in each iteration by
    factors that are the same along the axis, as the row sums of attention are. The pass handles sums, extremes and
    bitwise combinations, because their order is free.

    ```mlir
    %r = scf.for ... iter_args(%sum = %zero) -> (tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>) {
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({ addf }) : (tensor<64x32xf32, #mma>) -> tensor<64xf32, ...>
      %next = arith.addf %sum, %s
    ```
    becomes
    ```mlir
    %p = scf.for ... iter_args(%sum = %zeros) -> (tensor<64x4xf32, #linear>) {
      // reductions of %x within each thread, which make %s of the type tensor<64x4xf32, #linear>
      %next = arith.addf %sum, %s
    }
    %r = "tt.reduce"(%p) <{axis = 1 : i32}> ({ addf })
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUReportWork : Pass<"tritongpu-report-work", "::mlir::ModuleOp"> {
  let summary = "say in remarks what a program moves and computes, and how";
  let description = [{
    Changes nothing. Each access of global memory becomes a remark: bytes that a thread moves at once, sectors of memory that
    a warp touches; an access that could be wider, or that uses less than half of the sectors that it touches, is a missed
    optimization with its reason. Each loop and each function becomes a remark with its bytes, its operations on floats and
    the clocks that a multiprocessor needs for them at least (ProgramWork.h). Each conversion between layouts becomes one
    with its way and its cost. Runs when somebody listens, between the choice of layouts and the pipeline, which makes
    copies of loads.

    ```mlir
    %x = tt.load %p : tensor<256x!tt.ptr<f32>, #blocked>   // remark: Traffic, bytes_of_thread=16, sectors=16, ...
    ```
  }];
}

#endif
