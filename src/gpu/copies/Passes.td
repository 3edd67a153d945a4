// The passes that let the machine's copy engine move blocks of arrays beside the program. Each has a source file and a
// lit test (test/) of its name.
#ifndef TRITON_GPU_COPIES_PASSES_TD
#define TRITON_GPU_COPIES_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    - a matrix unit multiplies it as it lies in shared memory (MatrixUnit), and
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
    Option<"target", "target", "std::string", "", "the machine, as in family:architecture">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a program">,
    Option<"obstacle", "obstacle", "std::string", "", "why no copies would pay, as a sentence; empty: they may">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::triton::ttg::TritonGPUDialect"];
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

    All loads stay with threads where a warp for copies would take the registers of another program: where a
    multiprocessor runs two such programs at once without that warp and one with it. A loop with `tt.warp_specialize`
    asks for the warp all the same.

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
    Option<"sharedBytes", "shared-bytes", "uint64_t", "0", "shared memory of a program; 0: any number">,
    Option<"target", "target", "std::string", "", "the machine, as in family:architecture; empty: programs do not share "
           "a multiprocessor">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a program">,
    Option<"numStages", "num-stages", "unsigned", "3", "iterations of a loop that are in flight at once">
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

def TritonGPUBufferMappedStores : Pass<"tritongpu-buffer-mapped-stores", "::mlir::ModuleOp"> {
  let summary = "let blocks go through buffers, from where bulk copies store them";
  let description = [{
    A `tt.mapped_store` writes its block to a buffer and starts a copy from there, which goes on while the program does. A
    buffer is written again when the copy before has read it, and a copy starts when those before of the same array have
    ended, unless their blocks are known to lie apart. The buffers stay for the whole kernel.

    Blocks of one type share a ring of buffers. Each block that stands beside others has one where shared memory holds that
    beside the rings of loads, for which `num-stages` is what `tritongpu-specialize-warps` gets. Otherwise blocks are cut
    into groups of columns, or of rows where warps share the columns, which use two buffers in turn.

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
    `ttg.tensor_map`, which says how a launch makes them.

    Of more than four warps that compute, each thread gets registers of a group of four that moves data, with
    `ttg.set_registers`. Where two programs fit into a multiprocessor at once, the module says so by
    `ttg.resident_programs`, and one warp moves data.

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

def TritonGPUCheckAsynchronousUses : Pass<"tritongpu-check-asynchronous-uses", "::mlir::ModuleOp"> {
  let summary = "report uses of barriers that cannot be right, and of products for which nothing waits";
  let description = [{
    In Gluon the kernel makes its barriers and waits for its products. It is an error

    - to arrive at a barrier, to wait at it or to let a copy count its bytes there, if no `ttg.init_barrier` makes a
      barrier in this memory,
    - to make a barrier again in the same block before a `ttg.invalidate_barrier` ends it,
    - to use a barrier after the `ttg.invalidate_barrier` that ends it, in the same block and what it contains,
    - to wait for a phase for which the kernel arrives too seldom, where no loop arrives: waits of one block follow one
      another,
    - to arrive more often at once than a phase takes,
    - to let copies bring other numbers of bytes than the kernel announces at their barrier, where a block of the kernel
      does both, or to announce none,
    - on GPUs where threads move what is copied, AMD's but gfx950, to read the buffer of a `ttg.async_copy_global_to_local`
      before a wait, where no branch or loop is between, and
    - to use the result of an asynchronous `ttg.warp_group_dot`, in loops and branches as well, for anything but
      `ttg.warp_group_dot_wait` and the sum to which the next product adds.

    ```mlir
    %d = ttg.warp_group_dot %a, %b, %c {isAsync = true}
    tt.store %p, %d     // an error
    ```

    Whether waits come in time, and counts agree elsewhere, the simulator says.
  }];
}

def TritonGPUMapDescriptors : Pass<"tritongpu-map-descriptors", "::mlir::ModuleOp"> {
  let summary = "let the launch make the tensor maps of descriptors that the kernel makes";
  let description = [{
    Copies through a descriptor that a kernel in Gluon makes go through a map after the kernel's arguments, as those of
    descriptors that the launch passes do. The address, the extents and the strides of the array must follow from the
    arguments; it is an error if they do not, or if the kernel chooses between descriptors when it runs.

    ```mlir
    %d = tt.make_tensor_descriptor %x, [%m, %n], [%n64, %c1] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
    ttg.async_mapped_load %d[%i, %j], %buffer, %bar : ...
    // becomes, in a function whose last argument is %map {ttg.tensor_map = {base = "arg:0", ...}}:
    ttg.async_mapped_load %map[%i, %j], %buffer, %bar : ...
    ```
  }];
}

def TritonGPUSharePartitions : Pass<"tritongpu-share-partitions", "::mlir::ModuleOp"> {
  let summary = "make two groups of warps that differ in integers alone run the same code";
  let description = [{
    Where the first two regions of `ttg.warp_specialize` are the same but for constants, and have equally many warps, these
    constants are chosen by the warp. `tritongpu-outline-partitions` then keeps one region for both groups, which halves
    what is compiled and what the GPU fetches. Regions stay apart that need scratch in shared memory, have buffers of their
    own or call functions: both groups would use the same bytes.

    ```mlir
    %w = ttg.in_warps 4, 4
    %half = arith.select %w, %c1, %c0 : i32
    ttg.warp_specialize {
      %buffer = ttg.memdesc_index %buffers[%half]
      ...
    } partitions {
      %buffer = ttg.memdesc_index %buffers[%half]
      ...
    }
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUOutlinePartitions : Pass<"tritongpu-outline-partitions", "::mlir::ModuleOp"> {
  let summary = "give each partition of a program's warps a function of its own";
  let description = [{
    The warps of `ttg.warp_specialize` part at the start of the kernel: those of its first region run everything else,
    the others wait until these come there, run their partitions, and wait again. What partitions use of the code before is
    computed before the warps part, by all of them; tensors of which each warp can compute its part are computed again.
    If the first partition does the same as the first region (`tritongpu-share-partitions`), both groups call its function.

    ```mlir
    %w = ttg.is_mover {anyThread}
    scf.if %w {
      ttg.local_barrier {allWarps}
      %p = ttg.in_warps 4, 1
      scf.if %p {
        tt.call @kernel.partition0(%buffer)
      }
      ttg.local_barrier {allWarps}
    } else {
      ...
    }
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::scf::SCFDialect"];
}

#endif
