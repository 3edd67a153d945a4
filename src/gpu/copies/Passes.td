// The passes that let the machine's copy engine move blocks of arrays beside the program. Each has a source file and a
// lit test of its name, in test/lit/ttg.
#ifndef TRITON_GPU_COPIES_PASSES_TD
#define TRITON_GPU_COPIES_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    `ttg.tensor_map`, which tells the launch how to make them.

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

#endif
