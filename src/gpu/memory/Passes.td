// The passes that place buffers in shared memory and order its accesses. Each has a source file and a lit test (test/)
// of its name.
#ifndef TRITON_GPU_MEMORY_PASSES_TD
#define TRITON_GPU_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonGPUPlaceTensorMemory : Pass<"tritongpu-place-tensor-memory", "::mlir::ModuleOp"> {
  let summary = "place buffers in tensor memory";
  let description = [{
    A program reserves the columns of all its `ttng.tmem_alloc` at its start, a power of two of them, and gives them back at
    its end. Buffers have places one behind the other. It is an error if they need more than the 512 columns that there are.

    Where threads move data between tensor memory and registers, they meet before a product or a copy, which one thread
    starts. A product that does not run beside the program gets a barrier in shared memory, at which all wait.

    ```mlir
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, ...>
    ```
    becomes
    ```mlir
    %address = ttng.tmem_reserve 64
    %d = ttng.tmem_place %address, 0 : !ttg.memdesc<128x64xf32, ...>
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::triton::ttg::TtngDialect", "::mlir::arith::ArithDialect"];
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
    same time do not overlap. Sets `ttg.shared` on the module to the number of bytes needed. A ring that a warp of its own
    fills lives until the computing warps have read it for the last time: they wait for every copy.

    When that is more than a program may have, conversions of layouts exchange in several rounds, which `allocation.rounds`
    counts: those with the largest scratch take twice as many rounds, and half of the scratch, until everything fits. A
    conversion can do so where a bit of the tensor's index is a register's in both layouts. Little scratch, which
    otherwise has a place of its own so that nothing waits for it, shares its place when this is not enough. Programs
    that still do not fit fail when they are launched.

    Programs that `ttg.resident_programs` lets share a multiprocessor take the rounds that this needs. Where that is not
    enough, the attribute goes, so that threads may have more registers.
  }];
}

def TritonGPUInsertBarriers : Pass<"tritongpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "put barriers between accesses of memory that depend on each other";
  let description = [{
    A barrier is needed between two operations if both may touch the same bytes of shared memory, at least one writes, and
    there is a path between them without a barrier. The pass runs after the allocation, whose offsets show what overlaps.

    Where all threads come to a copy of a block, a fence comes first if the buffer's place held other data before: threads
    may have written these, and copies would not see it.

    In global memory, the pass orders accesses through equal pointers if several threads hold an element: one of them
    writes it, and all read it. Pointers are equal if they are computed in the same way, be it twice. Accesses through
    other pointers are not ordered; programs use `tl.debug_barrier` for that.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPURemoveBarriers : Pass<"tritongpu-remove-barriers", "::mlir::ModuleOp"> {
  let summary = "remove barriers and fences that order nothing";
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

    Of fences of the asynchronous proxy between which threads do not meet, the last one stays: it orders the writes of
    all.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUDelayWaits : Pass<"tritongpu-delay-waits", "::mlir::ModuleOp"> {
  let summary = "wait for copies right before threads meet to read them";
  let description = [{
    A round of a loop starts with the wait for its copies. Before threads read what copies brought they meet, at a barrier
    or inside an operation such as a conversion through shared memory. The wait moves to the last of these meetings:
    copies have the time of what comes before, as when the round first stores what the round before has computed. The
    meeting is there already. Only where the lanes of a single warp meet inside an operation do they meet once more. A
    wait for a single barrier stays where it is.

    ```mlir
    ttg.async_wait {num = 0 : i32}
    %b = ttg.local_alloc %state
    ttg.local_barrier
    %y = ttg.local_load %b
    tt.store %p, %y
    ttg.local_barrier
    %x = ttg.local_load %slot      // brought by a copy
    ```
    becomes
    ```mlir
    %b = ttg.local_alloc %state
    ttg.local_barrier
    %y = ttg.local_load %b
    tt.store %p, %y
    ttg.async_wait {num = 0 : i32}
    ttg.local_barrier
    %x = ttg.local_load %slot
    ```

    It does not move over what others may learn from that copies have read, such as an atomic operation, nor where the
    machine waits for accesses of memory in their order.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
