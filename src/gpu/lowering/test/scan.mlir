// RUN: triton-opt %s -split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

// Each lane combines what earlier ones have, in five shifts, each of which a comparison guards. Then it has what is up to
// its own element. Warps exchange their totals, of which the last lane knows its own.
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @scan
// CHECK-COUNT-5: llvm.call_intrinsic "llvm.nvvm.shfl.sync.up.i32"
// CHECK-NOT: llvm.nvvm.shfl
// CHECK: llvm.icmp "eq"
// CHECK: llvm.store
// CHECK: llvm.nvvm.barrier
tt.func public @scan(%a: tensor<128xf32, #row>) -> tensor<128xf32, #row> {
  %0 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.scan.return %s : f32
  }) : (tensor<128xf32, #row>) -> tensor<128xf32, #row>
  tt.return %0 : tensor<128xf32, #row>
}
}

// -----

// From the other end, later lanes come first. Elements of a thread get what precedes them once, by one more shift.
#run = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @reverse
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.nvvm.shfl.sync.down.i32"
// CHECK-NOT: llvm.nvvm.shfl.sync.down
tt.func public @reverse(%a: tensor<128xf32, #run>) -> tensor<128xf32, #run> {
  %0 = "tt.scan"(%a) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.scan.return %s : f32
  }) : (tensor<128xf32, #run>) -> tensor<128xf32, #run>
  tt.return %0 : tensor<128xf32, #run>
}
}

// -----

// Lanes that are not the lowest ones are shifted by as many as they are apart. One bit alone costs least exchanged.
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#pair = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @upper_lanes
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: llvm.call_intrinsic "llvm.nvvm.shfl.sync.up.i32"(%{{.*}}, %{{.*}}, %[[FOUR]],
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.shfl.sync.up.i32"
// CHECK-LABEL: @one_bit
// CHECK-COUNT-1: llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.i32"
// CHECK-NOT: llvm.nvvm.shfl
tt.func public @upper_lanes(%a: tensor<8x4xi32, #columns>) -> tensor<8x4xi32, #columns> {
  %0 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.scan.return %s : i32
  }) : (tensor<8x4xi32, #columns>) -> tensor<8x4xi32, #columns>
  tt.return %0 : tensor<8x4xi32, #columns>
}

tt.func public @one_bit(%a: tensor<2x16xi32, #pair>) -> tensor<2x16xi32, #pair> {
  %0 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.scan.return %s : i32
  }) : (tensor<2x16xi32, #pair>) -> tensor<2x16xi32, #pair>
  tt.return %0 : tensor<2x16xi32, #pair>
}
}
