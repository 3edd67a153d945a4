// The passes that bring matrix products and their operands to the units that compute them. Each has a source file and
// a lit test (test/) of its name.
#ifndef TRITON_GPU_PRODUCTS_PASSES_TD
#define TRITON_GPU_PRODUCTS_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    Products that the machine has a unit for, as its TargetInfo says, become products in the unit's layouts; operands
    that the unit does not multiply, such as 8-bit floats, are converted to a type that holds them. A cost model
    (ProductCost.h) chooses the unit, the columns that an instruction computes, and how warps share the result and the
    matrices of a batch: the fewest clocks, counted for the matrix units, for reading operands from shared memory, and,
    where one product feeds another, for rows that several warps share. Other products, `ieee` ones among them, stay on
    ordinary units, where a thread computes square tiles. The remark `Unit` says what was compared.

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

def TritonGPUStoreOperandsEarly : Pass<"tritongpu-store-operands-early", "::mlir::ModuleOp"> {
  let summary = "load and store what goes to shared memory before threads meet";
  let description = [{
    What a product reads from shared memory is often loaded and stored right before it. Where threads meet before that,
    for another product or an exchange, they wait for memory once more. The pass moves the load, what is computed from
    it and the store before the first such meeting of the program, so that threads wait for all that they need at once.

    ```mlir
    %a = ttg.local_alloc %x
    %b = ttg.local_load %a            // a barrier comes before it
    %y = tt.load %p
    %c = ttg.local_alloc %y
    ```
    becomes
    ```mlir
    %a = ttg.local_alloc %x
    %y = tt.load %p
    %c = ttg.local_alloc %y
    %b = ttg.local_load %a
    ```

    A load does not move before what may write memory, and nothing moves out of a loop or before one. A buffer that
    lives longer must not keep another program from running beside this one, and what is loaded together must fit in
    registers. Loads of programs of one warp stay: it waits for no other one there.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
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

def TritonGPUOrderCopies : Pass<"tritongpu-order-copies", "::mlir::ModuleOp"> {
  let summary = "give tiles the layout in which copies write shared memory";
  let description = [{
    On some machines, what the lanes of a warp copy to shared memory lies there side by side, in the order of the lanes. A
    swizzle of the buffer must then be one of the addresses that the lanes read. This pass gives the load of an operand of a
    product in a loop the layout in which consecutive lanes hold consecutive vectors of the swizzled buffer, so that its
    addresses are computed in it. A row is still read as a whole, by lanes in another order. Nothing is done elsewhere.

    ```mlir
    %x = tt.load %p : tensor<8x64x!tt.ptr<f16>, #blocked>
    ```
    becomes, between conversions,
    ```mlir
    #linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 8], [4, 16]], ...}>
    %x = tt.load %p : tensor<8x64x!tt.ptr<f16>, #linear>
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUOptimizeDotOperands : Pass<"tritongpu-optimize-dot-operands", "::mlir::ModuleOp"> {
  let summary = "bring operands of matrix products through swizzled buffers";
  let description = [{
    A conversion to an operand becomes a buffer with a swizzle that lets neighbouring lanes read their rows without bank
    conflicts. A transposition before the conversion becomes a view of the buffer. Conversions in registers, such as from
    the result of one product to an operand of the next, stay. Operands of one tensor share a buffer in matrix units, if
    they read it in the same order; a buffer that units read themselves serves the threads, too. Products on ordinary
    units read their buffers step by step along K, so the pass places the load directly before them.

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

    The same is done where all that an iteration holds exceeds them.

    A conversion moves to its first use if products are in between, so that it works beside them. After it, a thread must
    not hold fewer registers, which products would lack, unless operands that are read before it for these products take
    more; where it does not hold more, all data must fit in registers.

    In a program without products, loads move before conversions at which threads meet, with what their addresses need.
    Otherwise a conversion of one operand, which waits for its load, would keep the loads of others waiting.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUParkOperands : Pass<"tritongpu-park-operands", "::mlir::ModuleOp"> {
  let summary = "leave operands in shared memory until products need them";
  let description = [{
    An operand that comes through shared memory is read from its buffer as soon as it is there. Where data then exceeds
    the registers of a thread before the product, the pass moves the read to the product, and the buffer lives longer.

    ```mlir
    %a = ttg.local_load %buffer
    ...
    tt.dot %a, ...
    ```
    becomes
    ```mlir
    ...
    %a = ttg.local_load %buffer
    tt.dot %a, ...
    ```

    What is needed last waits first, across loops as well, whose own data counts. Buffers live longer as far as shared
    memory leaves room for as many programs as run where each thread has all registers that it may have, and for the rings
    that loads of loops may get, of `num-stages` slots.
  }];
  let options = [Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once">];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUReadOperandBuffers : Pass<"tritongpu-read-operand-buffers", "::mlir::ModuleOp"> {
  let summary = "convert what a product reads from a buffer by reading that buffer";
  let description = [{
    What goes to a buffer for a product is in shared memory already. A conversion of it, such as for a store to memory,
    reads it from there in its layout, if that takes fewer clocks than an exchange of its own.

    ```mlir
    %b = ttg.local_alloc %x : (tensor<64x64xbf16, #mma>) -> !ttg.memdesc<64x64xbf16, #shared, #smem>
    %c = ttg.convert_layout %x : tensor<64x64xbf16, #mma> -> tensor<64x64xbf16, #blocked>
    ```
    becomes
    ```mlir
    %b = ttg.local_alloc %x
    %c = ttg.local_load %b : !ttg.memdesc<64x64xbf16, #shared, #smem> -> tensor<64x64xbf16, #blocked>
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
