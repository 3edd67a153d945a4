// RUN: triton-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#copies = #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// The whole tensor changes warps: through shared memory, by a block barrier, four words at a time where both can.
// CHECK-LABEL: llvm.func internal @through_shared
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: nvvm.barrier.cta.sync.aligned.all
// CHECK: llvm.load {{.*}} !llvm.ptr<3>
tt.func private @through_shared(%x: tensor<32x32xf32, #rows>) -> tensor<32x32xf32, #columns> {
  %y = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  tt.return %y : tensor<32x32xf32, #columns>
}

// Each warp has all sixteen elements: no barrier, no memory.
// CHECK-LABEL: llvm.func internal @within_warps
// CHECK-NOT: barrier
// CHECK-NOT: !llvm.ptr<3>
// CHECK: nvvm.shfl.sync.idx.i32
// CHECK-NOT: barrier
// CHECK-NOT: !llvm.ptr<3>
// CHECK: llvm.return
tt.func private @within_warps(%x: tensor<16xf32, #lanes>) -> tensor<16xf32, #copies> {
  %y = ttg.convert_layout %x : tensor<16xf32, #lanes> -> tensor<16xf32, #copies>
  tt.return %y : tensor<16xf32, #copies>
}
}
