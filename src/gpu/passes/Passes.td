// The passes over the dialect ttg. Each has a source file and a lit test (test/lit/ttg) of its name. Those that arrange
// the loops of a kernel are in LoopPasses.td.
#ifndef TRITON_PASSES_TTG_PASSES_TD
#define TRITON_PASSES_TTG_PASSES_TD

include "mlir/Pass/PassBase.td"
include "gpu/passes/LoopPasses.td"

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

    Where groups of warps compute products together, from buffers, such a product becomes a `ttg.warp_group_dot`. Operand A
    goes to a buffer if it comes from memory, and stays in registers if it is computed. Units read f32 only if the elements
    along K lie side by side. Where threads can read A for them, and only A lies in the order that units read, the product is
    computed transposed: `trans(B) * trans(A) + trans(C)`. Where neither does, the load of the right operand gets a layout in
    which its elements go one by one to a buffer in the other order.

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

def TritonGPUCarryTransposed : Pass<"tritongpu-carry-transposed", "::mlir::ModuleOp"> {
  let summary = "let loops carry matrices in the form in which products compute them";
  let description = [{
    Where each iteration transposes a matrix that the loop carries, and gives the next one what it has transposed, the
    loop carries the other form, and transposes before and behind it. `tritongpu-accelerate-matmul` leaves such loops for
    products that are computed transposed. Transpositions cost nothing themselves, but a product goes on beside the next
    iteration only if the loop carries its own result.

    ```mlir
    %r = scf.for ... iter_args(%sum = %zero) -> (tensor<128x64xf32, #blocked>) {
      %c = tt.trans %sum {order = array<i32: 1, 0>}
      %d = ttg.warp_group_dot %a, %b, %c : ... -> tensor<64x128xf32, #mma>
      %next = tt.trans %d {order = array<i32: 1, 0>}
      scf.yield %next
    }
    ```
    becomes, but for conversions,
    ```mlir
    %zero_t = tt.trans %zero {order = array<i32: 1, 0>}
    %t = scf.for ... iter_args(%c = %zero_t) -> (tensor<64x128xf32, #blocked1>) {
      %d = ttg.warp_group_dot %a, %b, %c : ... -> tensor<64x128xf32, #mma>
      scf.yield %d
    }
    %r = tt.trans %t {order = array<i32: 1, 0>}
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::scf::SCFDialect"];
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
    conversion can do so where a bit of the tensor's index is a register's in both layouts. Little scratch, which
    otherwise has a place of its own so that nothing waits for it, shares its place when this is not enough. Programs
    that still do not fit fail when they are launched.
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
    Option<"hasBarriers", "has-barriers", "bool", "false", "barriers have been inserted (ttgir-6)">,
    Option<"machine", "machine", "std::string", "\"\"",
           "for which code will be generated, as in `ttg.target`; empty: for that of the module">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
