// The passes over the dialect ttg. Each has a source file and a lit test (test/lit/ttg) of its name.
#ifndef TRITON_PASSES_TTG_PASSES_TD
#define TRITON_PASSES_TTG_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonGPUWidenFloat8 : Pass<"tritongpu-widen-float8", "::mlir::ModuleOp"> {
  let summary = "compute on 8-bit floats in f32";
  let description = [{
    GPUs convert and multiply 8-bit floats, but do not compute with single ones. Each operation gets its operands in f32
    and rounds its result; a reduction or scan by one operation rounds once, at its end.

    ```mlir
    %y = arith.mulf %x, %x : tensor<64xf8E5M2>
    ```
    becomes
    ```mlir
    %w = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf32>
    %p = arith.mulf %w, %w : tensor<64xf32>
    %y = tt.fp_to_fp %p, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
    ```
  }];
  let dependentDialects = ["::triton::tt::TritonDialect"];
}

def TritonGPULimitWarps : Pass<"tritongpu-limit-warps", "::mlir::ModuleOp"> {
  let summary = "use fewer warps for programs on small tensors";
  let description = [{
    A warp whose threads move less than a whole vector costs as many instructions as any other warp, and it takes the
    place of another program, whose loads could be in flight. If all accesses of global memory and all tensors need
    fewer warps at the full width of the widest access, the pass marks the module with that number, and
    `convert-triton-to-tritongpu` uses it. Each warp executes the steps of reductions and scans, so a program with
    them gets as few as one warp for each scheduler, as long as a thread loads at most 64 bytes at once and its
    tensors fit in registers. Programs with matrix products, atomics or inline assembly keep all warps.
  }];
  let options = [
    Option<"target", "target", "std::string", "", "the machine, as in family:architecture">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps that were asked for">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

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

def TritonGPUCoalesce : Pass<"tritongpu-coalesce", "::mlir::ModuleOp"> {
  let summary = "lay out accesses of global memory so that they move whole lines";
  let description = [{
    Each load, store and atomic gets a blocked layout. The dimension along which addresses are contiguous for longest is
    the fastest. A thread holds as many neighbours as one instruction can move, given the alignment and the mask.
    Accesses of the same shape and direction share a layout. Accesses through the same pointers always do if one of them
    writes, so that each thread reads back its own elements. Conversions surround the access, and a later pass removes
    those that it can.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPURemoveLayoutConversions : Pass<"tritongpu-remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "choose layouts so that little data moves between threads";
  let description = [{
    Memory accesses, matrix products and buffers keep their layouts. Values that loops and branches carry, and operands
    of reductions and scans, get the layout with the least cost over the function. Everything else is computed in the
    layouts in which it is used, more than once if that is cheaper than a conversion. Reductions and scans are never
    repeated, because their results may differ in the last bit. Remaining conversions stand where the value is defined.

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
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUSplitF32Dots : Pass<"tritongpu-split-f32-dots", "::mlir::ModuleOp"> {
  let summary = "compute precise products of f32 by several less precise ones";
  let description = [{
    `tf32x3`, `bf16x3` and `bf16x6` split each operand into two or three parts that the less precise type can hold. The products
    of parts are added from the smallest to the largest, and the accumulator last.

    ```mlir
    %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    ```
    becomes, with %ah + %al = %a and %bh + %bl = %b,
    ```mlir
    %0 = tt.dot %al, %bh, %zero, inputPrecision = tf32 : ...
    %1 = tt.dot %ah, %bl, %0, inputPrecision = tf32 : ...
    %2 = tt.dot %ah, %bh, %1, inputPrecision = tf32 : ...
    %d = arith.addf %2, %c : tensor<32x32xf32>
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUAccelerateMatmul : Pass<"tritongpu-accelerate-matmul", "::mlir::ModuleOp"> {
  let summary = "put matrix products on matrix units";
  let description = [{
    Products that the machine has a unit for, as its TargetInfo says, become products in the unit's layouts; operands that
    the unit does not multiply, such as 8-bit floats, are converted to a type that holds them. A cost model (ProductCost.h)
    chooses the unit, the columns that an instruction computes, and how warps share the result: the fewest clocks, counted
    for the matrix units, for reading operands from shared memory, and, where one product feeds another, for rows that
    several warps share. Other products, `ieee` ones among them, stay on ordinary units, where a thread computes square
    tiles. The remark `Unit` says what was compared.

    Where groups of warps compute products together, from buffers, such a product becomes a `ttg.warp_group_dot`. Operand B
    must come from memory. Operand A goes to a buffer if it comes from memory, and stays in registers if it is computed.

    ```mlir
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * ...
           -> tensor<64x64xf32, #blocked>
    ```
    becomes, between conversions,
    ```mlir
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * ...
           -> tensor<64x64xf32, #mma>
    ```
  }];
  let options = [
    Option<"warpGroupDots", "warp-group-dots", "bool", "true", "use units that read buffers">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUOptimizeDotOperands : Pass<"tritongpu-optimize-dot-operands", "::mlir::ModuleOp"> {
  let summary = "bring operands of matrix products through swizzled buffers";
  let description = [{
    A conversion to an operand becomes a buffer with a swizzle that lets neighbouring lanes read their rows without bank
    conflicts. A transposition before the conversion becomes a view of the buffer. Conversions in registers, such as from
    the result of one product to an operand of the next, stay. Products on ordinary units read their buffers step by step
    along K, so the pass places the load directly before them.

    ```mlir
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #blocked1>
    %a = ttg.convert_layout %t : tensor<32x64xf16, #blocked1> -> tensor<32x64xf16, #ttg.dot_op<...>>
    ```
    becomes
    ```mlir
    %b = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
    %v = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : ...
    %a = ttg.local_load %v : ... -> tensor<32x64xf16, #ttg.dot_op<...>>
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUCombineTensorSelectAndIf : Pass<"tritongpu-combine-tensor-select-and-if", "::mlir::ModuleOp"> {
  let summary = "replace a selection by the result of a branch on the same condition";
  let description = [{
    A selection between tensors by a scalar condition costs an instruction for each register. If a branch on the same
    condition follows, the branch can make the choice at no cost.

    ```mlir
    %s = arith.select %c, %x, %y : tensor<512xf32, #blocked>
    scf.if %c {
      // ...
    }
    ```
    becomes
    ```mlir
    %s = scf.if %c -> tensor<512xf32, #blocked> {
      // ...
      scf.yield %x
    } else {
      scf.yield %y
    }
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::scf::SCFDialect"];
}

def TritonGPUOptimizeThreadLocality : Pass<"tritongpu-optimize-thread-locality", "::mlir::ModuleOp"> {
  let summary = "reduce across threads once after a loop rather than in each iteration";
  let description = [{
    This applies to a loop that combines a carried value with the reduction of a tile. The loop then carries a partial
    value for each thread along the axis, and these are combined after the loop. Sums may be scaled in each iteration by
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

def TritonGPUReorderInstructions : Pass<"tritongpu-reorder-instructions", "::mlir::ModuleOp"> {
  let summary = "read operands again in loops that do not have enough registers for them";
  let description = [{
    An operand of a product that does not change is read from its buffer before the loop. If this operand and the
    accumulators exceed the registers of a thread, the pass moves the read to the use in each iteration, which costs less
    than spilling.

    ```mlir
    %q = ttg.local_load %buffer
    scf.for ... {
      tt.dot %q, ...
    ```
    becomes
    ```mlir
    scf.for ... {
      %q = ttg.local_load %buffer
      tt.dot %q, ...
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUFlattenLoops : Pass<"tritongpu-flatten-loops", "::mlir::ModuleOp"> {
  let summary = "make one loop of a loop with `tt.flatten` and the one inside it";
  let description = [{
    The pipeline of an inner loop fills and drains in each iteration of the outer one. As one loop, such as that of a
    persistent kernel, both have one pipeline: the first tiles of the next outer iteration are on their way while the
    results of this one are stored. The body of the inner loop runs in every iteration; what stands before and after it is
    in branches.

    The pass applies where a loop holds exactly one other, whose number of iterations does not change, and where loads of
    the single loop can run ahead. `tt.flatten` (`tl.range(flatten=True)`) is taken as the statement that no iteration
    loads through one argument of the kernel what an earlier one stored through another: without it, two arguments may be
    one array. Loads through an argument that the loop also stores through keep their place. A warning says why a loop is
    left as it is.

    ```mlir
    scf.for %i = %lower to %upper step %step {
      %p = ... %i                                 // addresses of a tile
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) {
        // %d, from %p and %k
        scf.yield %d
      }
      tt.store ... %r
    } {tt.flatten}
    ```
    becomes, where both loops have iterations (elsewhere the outer one stays, without the inner one),
    ```mlir
    scf.for unsigned %flat = %c0 to %all step %c1 iter_args(%k = %c0, %i = %lower, %acc = %zero, %q = poison) {
      %p = scf.if %k == 0 { ... %i } else { %q }
      // %d, from %p and %k
      %r = scf.if %k == %n - 1 { tt.store ... %d; yield %zero } else { yield %d }
      %next:2 = scf.if %k == %n - 1 { yield %c0, %i + %step } else { yield %k + 1, %i }
      scf.yield %next#0, %next#1, %r, %p
    } {tt.disjoint_arguments}
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once, where a loop does not say it">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def TritonGPUBufferMappedStores : Pass<"tritongpu-buffer-mapped-stores", "::mlir::ModuleOp"> {
  let summary = "let blocks go through buffers, from where bulk copies store them";
  let description = [{
    A `tt.mapped_store` writes its block to a buffer and starts a copy from there, which goes on while the program does. A
    buffer is written again when the copy before has read it, and a copy starts when those before of the same array have
    ended, unless their blocks are known to lie apart. The buffers stay for the whole kernel.

    Blocks of one type share a ring of buffers. Each block that stands beside others has one where shared memory holds that
    beside the rings of loads, for which `num-stages` is what `tritongpu-specialize-warps` gets. Otherwise blocks are cut
    into groups of columns, which use two buffers in turn.

    ```mlir
    scf.for ... {
      tt.mapped_store %x, [%m, %n], [%s, %c1] {...} [%i, %j], %v : <f16>, tensor<64x64xf16, #mma>
    }
    ```
    becomes
    ```mlir
    %ring = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #ttg.shared_memory, mutable>
    scf.for ... {
      ttg.async_store_wait %ring {pendings = 0}
      %b = ttg.memdesc_index %ring[%c0]
      ttg.local_store %v, %b
      ttg.async_mapped_store %b, %map[%i, %j] of %x, [%m, %n], [%s, %c1]
    }
    ttg.async_store_wait %ring {onlyReads, pendings = 0}
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "slots of a ring of loads, where a loop does not say it">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUSpecializeWarps : Pass<"tritongpu-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "let a warp of its own load blocks for the warps that compute";
  let description = [{
    Blocks that `tt.mapped_load` loads come through rings of buffers, which the first of the warps beyond `ttg.num-warps`
    fills by bulk copies. It executes a copy of the control flow and of the scalars that decide when which block is loaded
    (analysis/ControlSlice.h), and runs ahead by as many blocks as a ring has slots. A slot has two barriers: at `full` the
    bytes of the copies arrive, at `empty` each warp that computes when it has read the slot.

    Loads whose blocks are first used by the same operation share slots. Rings have as many slots as `num-stages`, or
    `tt.num_stages` of the loop, says, or as many as shared memory holds. The position in a ring is carried by loops and
    branches, on both sides alike. Tensor maps become arguments of the kernel behind its own, with the attribute
    `ttg.tensor_map`, which tells the launch how to make them.

    ```mlir
    scf.for %i = ... {
      %x = tt.mapped_load {...} [%i, %c0]
      %b = ttg.local_alloc %x
      %d = ttg.warp_group_dot %a, %b, %c
    ```
    becomes
    ```mlir
    ttg.local_barrier {allWarps}
    %w = ttg.is_mover {anyThread}
    scf.if %w {
      %m = ttg.is_mover
      scf.if %m {
        scf.for %i = ... iter_args(%p = %c0) {
          ttg.wait_barrier %empty[slot of %p], other parity of %p
          ttg.expect_bytes %full[slot of %p], 8192
          ttg.async_mapped_load %map[%i, %c0], %ring[slot of %p], %full[slot of %p]
          %next = ttg.advance_slot %p of 6
    } else {
      scf.for %i = ... iter_args(%p = %c0) {
        ttg.wait_barrier %full[slot of %p], parity of %p
        %d = ttg.warp_group_dot %a, %ring[slot of %p], %c
        ttg.arrive_barrier %empty[slot of %p] releases %ring[slot of %p]
        %next = ttg.advance_slot %p of 6
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "slots of a ring, where a loop does not say it">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
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

def TritonGPUAlternateGroups : Pass<"tritongpu-alternate-groups", "::mlir::ModuleOp"> {
  let summary = "let groups of warps take turns at the matrix units";
  let description = [{
    Where two groups of warps compute different rows of two products of a loop, with exponentials of the one between, as in
    attention, both tend to do the same at the same time: the matrix units rest while both compute exponentials. This pass
    gives them turns, so that one computes exponentials while the other multiplies. A group has the turn from its second
    product to the first of the next iteration. Loops with a barrier of all warps are left alone.

    ```mlir
    scf.for ... {
      %s = ttg.warp_group_dot %q, %k, %zero
      // exponentials
      %o = ttg.warp_group_dot %p, %v, %acc
    ```
    becomes
    ```mlir
    ttg.pass_turn {begins}
    ttg.wait_turn
    scf.for ... {
      %s = ttg.warp_group_dot %q, %k, %zero {isAsync = true}
      ttg.pass_turn
      %w = ttg.warp_group_dot_wait %s {pendings = 0}
      // exponentials
      ttg.wait_turn
      %o = ttg.warp_group_dot %p, %v, %acc
    }
    ttg.pass_turn
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUStageLoads : Pass<"tritongpu-stage-loads", "::mlir::ModuleOp"> {
  let summary = "bring what products need after computations in registers through shared memory";
  let description = [{
    Loads run ahead as copies to shared memory. What a loop loads and converts or scales before a product uses it, such as
    weights of 4 bits, goes through a buffer of its own. Buffers for which shared memory has no room beside those of other loads
    are left out.

    ```mlir
    %w = tt.load %p : tensor<64x64x!tt.ptr<i32>, #blocked>
    %x = arith.shrsi %w, %c
    ```
    becomes
    ```mlir
    %l = tt.load %p : tensor<64x64x!tt.ptr<i32>, #blocked>
    %b = ttg.local_alloc %l
    %w = ttg.local_load %b
    %x = arith.shrsi %w, %c
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUAssignLatencies : Pass<"tritongpu-assign-latencies", "::mlir::ModuleOp"> {
  let summary = "decide which loads are asked for iterations ahead";
  let description = [{
    A load whose tile goes to a buffer, from where products read it, gets `tt.latency`: by how many iterations it runs
    ahead. That is one less than `num-stages`, or `tt.num_stages` on the loop, and less where shared memory is short, on
    machines with asynchronous copies. A load may not run ahead when its addresses depend on products, or when
    the loop writes what may be the memory that it reads: arguments of a kernel may point to one array unless they have
    the attribute `tt.noalias`, or the loop has `tt.disjoint_arguments`. Loops around loops with such loads are looked at only when `tt.num_stages` asks for it.

    What products need, but no copy can bring because neighbouring addresses are unknown, runs ahead by one iteration in
    registers: few of them beside copies, up to a quarter of a thread's registers in loops without.

    `tl.range` options that have no effect on a loop are named by a warning.

    ```mlir
    scf.for ... {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #blocked>
      %b = ttg.local_alloc %x
      %a = ttg.local_load %b
      %d = tt.dot %a, %y, %c
      %q = tt.addptr %p, %k
    ```
    becomes
    ```mlir
    scf.for ... {
      %x = tt.load %p {tt.latency = 2 : i32} : tensor<32x32x!tt.ptr<f16>, #blocked>
      // ...
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once">,
    Option<"sharedCapacity", "shared-capacity", "uint64_t", "0", "bytes of shared memory that a program may use; 0: all that the machine has">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUScheduleLoops : Pass<"tritongpu-schedule-loops", "::mlir::ModuleOp"> {
  let summary = "give the operations of loops stages and clusters";
  let description = [{
    Each operation of a loop with `tt.latency` on loads gets a stage, `loop.stage`, and a place among those of its round,
    `loop.cluster`. A round of the pipelined loop runs an operation of stage s for the iteration that is
    `tt.scheduled_max_stage` - s after that of the last stage; clusters follow one another in ascending order, and inside a
    cluster operations stand as in the body. A load runs as many stages before the last as its latency says, its addresses
    with it, everything else in the last stage. Addresses that later stages need as well are computed in both.

    ```mlir
    scf.for ... iter_args(%p = ...) {
      %x = tt.load %p {tt.latency = 2 : i32}
      %b = ttg.local_alloc %x
      %a = ttg.local_load %b
      %d = tt.dot %a, %y, %c
      %q = tt.addptr %p, %k
      scf.yield %d, %q
    }
    ```
    becomes
    ```mlir
    scf.for ... iter_args(%p = ...) {
      %x = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32}
      %b = ttg.local_alloc %x {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %a = ttg.local_load %b {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %d = tt.dot %a, %y, %c {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %q = tt.addptr %p, %k {loop.cluster = 1 : i32, loop.stage = 0 : i32}
      scf.yield %d, %q
    } {tt.scheduled_max_stage = 2 : i32}
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUPipeline : Pass<"tritongpu-pipeline", "::mlir::ModuleOp"> {
  let summary = "expand scheduled loops";
  let description = [{
    Loops with `tt.scheduled_max_stage` are expanded by the stages and clusters of their operations, whoever wrote them:
    the first iterations run their early stages before the loop, and each round of the loop runs every stage for another
    iteration. Operands that come too late and accesses that would change places are errors, found before anything changes.

    Early stages are masked for iterations that do not exist, by ttg's PredicableOpInterface: that adds no code, and the
    last stage, where products are, never runs in vain. If an operation of an early stage cannot be masked, the last
    rounds are peeled: they stand behind the loop without the stages that have no iteration left.

    A value that the loop only passes on, from one carried value to another, is as early as what uses it.

    A load whose buffer is of a later stage becomes an asynchronous copy to a ring of buffers with a slot for each stage
    from the copy to the last use. The slot is a value that `ttg.advance_slot` counts; the token of the copy goes through
    the group that is closed and the wait to what reads the slot. One wait for each round, and the barrier that it needs,
    also tells that the slot to fill is free: the round before has read it.

    ```mlir
    scf.for ... {
      %x = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32}
      %b = ttg.local_alloc %x {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %a = ttg.local_load %b {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      tt.dot ... %a
    } {tt.scheduled_max_stage = 2 : i32}
    ```
    becomes
    ```mlir
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x...>
    // copies of the first iterations
    scf.for ... iter_args(%filled = ..., %used = ..., %older = %group0, %newer = %group1) {
      %done = ttg.async_wait %older {num = 1 : i32}
      %u = ttg.advance_slot %used of 3
      %b = ttg.memdesc_index %ring[%u]
      %a = ttg.local_load %b token %done
      tt.dot ... %a
      %f = ttg.advance_slot %filled of 3
      %slot = ttg.memdesc_index %ring[%f]
      %copy = ttg.async_copy_global_to_local %q, %slot mask %mask
      %group = ttg.async_commit_group tokens %copy
      scf.yield %f, %u, %newer, %group
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUTransposeInThreads : Pass<"tritongpu-transpose-in-threads", "::mlir::ModuleOp"> {
  let summary = "let threads load patches of operands that they transpose in registers";
  let description = [{
    Matrix units need neighbours along K in one thread. Of an operand whose rows in memory do not lie along K, a thread would
    read single elements from shared memory. This pass gives each thread a patch of several rows to load, so that it can store
    neighbours along K at once, and the operand lies along K in shared memory. Nothing is done on machines that transpose what
    they read from there, and for elements of more than 16 bits.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUDoubleBufferOperands : Pass<"tritongpu-double-buffer-operands", "::mlir::ModuleOp"> {
  let summary = "give computed operands of products two buffers";
  let description = [{
    Matrix units read the right operand from shared memory. One that the loop computes, such as weights that it converts, has
    a buffer that each iteration fills, so that the product must be over before the next iteration computes its operand. With
    two buffers in turn the product runs beside that. Left out where shared memory has no room.

    On machines that do not copy asynchronously, all operands pass through buffers that an iteration fills from registers.
    Both operands of a product get buffers at the same time, and two in turn where there is room: then no thread waits for
    those that still read what the iteration before has written.

    ```mlir
    scf.for ... {
      %b = ttg.local_alloc %x
      %d = ttg.warp_group_dot %a, %b, %sum
    ```
    becomes
    ```mlir
    %ring = ttg.local_alloc
    scf.for ... iter_args(..., %slot = %c0) {
      %v = ttg.memdesc_index %ring[%slot]
      ttg.local_store %x, %v
      %b = ttg.memdesc_index %ring[%slot]
      %d = ttg.warp_group_dot %a, %b, %sum
      %next = ttg.advance_slot %slot of 2
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPURotateLoops : Pass<"tritongpu-rotate-loops", "::mlir::ModuleOp"> {
  let summary = "issue the first product of the next iteration before the last of this one";
  let description = [{
    In a loop such as attention's, each iteration multiplies, computes exponentials of the product, and multiplies these
    with something else, to add it to a sum. The matrix units rest during the exponentials. This pass takes the iteration
    apart before its last product: the rotated loop issues the first product of an iteration, then the last one of the
    iteration before, and computes exponentials while that one runs. What stands before the last product in the first
    iteration, and from there on in the last, stands before and behind the loop.

    ```mlir
    %r = scf.for %i = %lb to %ub step %one iter_args(%sum = %zeros) {
      %s = ttg.warp_group_dot %q, %k[%i], %zero
      %p = exponentials of %s
      %o = ttg.warp_group_dot %p, %v[%i], %sum
      scf.yield %o
    }
    ```
    becomes
    ```mlir
    %r = scf.if %lb < %ub {
      %s = ttg.warp_group_dot %q, %k[%lb], %zero
      %p = exponentials of %s
      %l:3 = scf.for %i = %lb + 1 to %ub iter_args(%sum = %zeros, %before = %p, %j = %lb) {
        %s2 = ttg.warp_group_dot %q, %k[%i], %zero {isAsync = true}
        %o = ttg.warp_group_dot %before, %v[%j], %sum {isAsync = true}
        %w = ttg.warp_group_dot_wait %s2 {pendings = 1}
        %p2 = exponentials of %w
        %d = ttg.warp_group_dot_wait %o {pendings = 0}
        scf.yield %d, %p2, %i
      }
      %o = ttg.warp_group_dot %l#1, %v[%l#2], %l#0
      scf.yield %o
    } else {
      scf.yield %zeros
    }
    ```

    The buffers must be slots of rings that others fill and wait for (`ttg.wait_barrier`, `ttg.arrive_barrier`).
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}
def TritonGPUHoistDots : Pass<"tritongpu-hoist-dots", "::mlir::ModuleOp"> {
  let summary = "issue products whose operands are ready behind the product before";
  let description = [{
    A product of buffers that wait for nothing moves up behind the first product that something between the two needs, such
    as the second product of attention's backward loops. The matrix units compute it while others work with the result of
    the first. Left out where the products of the loop take more than 192 registers of a thread.

    ```mlir
    %s = ttg.warp_group_dot %q, %k, %zero
    %p = math.exp2 %s
    %d = ttg.warp_group_dot %o, %v, %zero
    ```
    becomes
    ```mlir
    %s = ttg.warp_group_dot %q, %k, %zero
    %d = ttg.warp_group_dot %o, %v, %zero
    %p = math.exp2 %s
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUOverlapDots : Pass<"tritongpu-overlap-dots", "::mlir::ModuleOp"> {
  let summary = "let products that read shared memory go on while their loop does";
  let description = [{
    A product of a loop that does nothing but add to a carried value becomes asynchronous where its operands stay in shared
    memory: in slots of a ring, or outside the loop. An iteration then waits for the products of the one before, so that
    matrix units always have work.

    ```mlir
    scf.for ... iter_args(%sum = %zero) {
      %d = ttg.warp_group_dot %a, %b, %sum
      scf.yield %d
    }
    ```
    becomes
    ```mlir
    %r = scf.for ... iter_args(%sum = %zero) {
      %d = ttg.warp_group_dot %a, %b, %sum {isAsync = true}
      %w = ttg.warp_group_dot_wait %d {pendings = 1}
      scf.yield %w
    }
    %s = ttg.warp_group_dot_wait %r {pendings = 0}
    ```

    Slots of such a product that others fill are released (`ttg.arrive_barrier`) when it is over, in the next iteration.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUFenceAsyncProxy : Pass<"tritongpu-fence-async-proxy", "::mlir::ModuleOp"> {
  let summary = "make what threads write to shared memory visible to matrix units and bulk copies";
  let description = [{
    Matrix units and bulk copies read buffers through the asynchronous proxy. A fence follows each store of registers to such
    a buffer; the barrier that separates the store from what reads it comes behind it. Asynchronous copies need none.

    ```mlir
    %b = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
    ttg.fence_async_shared
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def AllocateSharedMemory : Pass<"allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "place buffers and scratch in shared memory";
  let description = [{
    Sets `allocation.offset` on every operation that needs shared memory, so that buffers and scratch that are live at the
    same time do not overlap. Sets `ttg.shared` on the module to the number of bytes needed.

    When that is more than a program may have, conversions of layouts exchange in several rounds, which `allocation.rounds`
    counts: those with the largest scratch take twice as many rounds, and half of the scratch, until everything fits. A
    conversion can do so where a bit of the tensor's index is a register's in both layouts. Programs for which this is
    not enough fail when they are launched.
  }];
}

def TritonGPUInsertBarriers : Pass<"tritongpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "put barriers between accesses of memory that depend on each other";
  let description = [{
    A barrier is needed between two operations if both may touch the same bytes of shared memory, at least one writes, and
    there is a path between them without a barrier. The pass runs after the allocation, whose offsets show what overlaps.

    In global memory, the pass orders accesses through the same pointers if several threads hold an element: one of them
    writes it, and all read it. Accesses through different pointers are not ordered; programs use `tl.debug_barrier` for
    that.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPURemoveBarriers : Pass<"tritongpu-remove-barriers", "::mlir::ModuleOp"> {
  let summary = "remove barriers that order nothing";
  let description = [{
    Removes one barrier after the other, starting with those in inner loops, as long as no two accesses are left that
    need a barrier between them. In this analysis, accesses of different slots of a ring of buffers do not conflict. A
    slot is known if its index is a constant or if `ttg.advance_slot` counts it around a loop.

    ```mlir
    scf.for ... iter_args(%filled = %c1, %used = %c2) {   // a ring of three slots
      ttg.async_wait {num = 1 : i32}
      ttg.local_barrier
      // read slot `ttg.advance_slot %used of 3`
      ttg.local_barrier                                   // removed
      // copy to slot `ttg.advance_slot %filled of 3`, which the iteration before has read
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUVerifyTTGIR : Pass<"tritongpu-verify-ttgir", "::mlir::ModuleOp"> {
  let summary = "check the rules of TTGIR";
  let description = [{
    The rules, whose labels errors begin with, stand in docs/rules.md. Layouts are checked once the module has them, places
    in shared memory once it says how much it needs. In tests it runs after every pass of the stage
    (`TRITON_VERIFY_PASSES`).
  }];
  let options = [
    Option<"isPipelined", "is-pipelined", "bool", "false", "no schedule will be read any more (ttgir-7)">,
    Option<"hasBarriers", "has-barriers", "bool", "false", "barriers have been inserted (ttgir-6)">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
