// RUN: triton-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: triton-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm --canonicalize | FileCheck %s --check-prefix=LIVE

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#keep = #ttg.linear<{shape = [512], register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#one = #ttg.linear<{shape = [512], register = [[1], [4]], lane = [[2], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#two = #ttg.linear<{shape = [512], register = [[4], [8]], lane = [[1], [2], [16], [32], [64]], warp = [[128], [256]], block = []}>
#turned = #ttg.linear<{shape = [512], register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[128], [256]], block = []}>
#copies = #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>}>
#spread = #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>}>
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

// One register bit changes places with a lane bit: half of the registers move.
// CHECK-LABEL: llvm.func internal @one_exchange
// CHECK-COUNT-2: nvvm.shfl.sync.bfly.i32
// CHECK-NOT: shfl
// CHECK: llvm.return
tt.func private @one_exchange(%x: tensor<512xf32, #keep>) -> tensor<512xf32, #one> {
  %y = ttg.convert_layout %x : tensor<512xf32, #keep> -> tensor<512xf32, #one>
  tt.return %y : tensor<512xf32, #one>
}

// Two: three quarters.
// CHECK-LABEL: llvm.func internal @two_exchanges
// CHECK-COUNT-3: nvvm.shfl.sync.bfly.i32
// CHECK-NOT: shfl
// CHECK: llvm.return
tt.func private @two_exchanges(%x: tensor<512xf32, #keep>) -> tensor<512xf32, #two> {
  %y = ttg.convert_layout %x : tensor<512xf32, #keep> -> tensor<512xf32, #two>
  tt.return %y : tensor<512xf32, #two>
}

// Where lanes change places as well, all of them move, each once.
// CHECK-LABEL: llvm.func internal @lanes_too
// CHECK-COUNT-4: nvvm.shfl.sync.idx.i32
// CHECK-NOT: shfl
// CHECK: llvm.return
tt.func private @lanes_too(%x: tensor<512xf32, #keep>) -> tensor<512xf32, #turned> {
  %y = ttg.convert_layout %x : tensor<512xf32, #keep> -> tensor<512xf32, #turned>
  tt.return %y : tensor<512xf32, #turned>
}

// Of elements that are known to be equal, four groups here, a thread reads one each.
// LIVE-LABEL: @equal_elements(
// LIVE: nvvm.barrier
// LIVE-COUNT-4: llvm.load {{.*}} !llvm.ptr<3>
// LIVE-NOT: llvm.load
// LIVE: llvm.return
tt.func public @equal_elements(%p: !tt.ptr<i32>, %q: tensor<128x!tt.ptr<i32>, #spread>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #lanes>
  %c = arith.constant dense<32> : tensor<128xi32, #lanes>
  %g = arith.divsi %r, %c : tensor<128xi32, #lanes>
  %b = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #lanes>
  %a = tt.addptr %b, %g : tensor<128x!tt.ptr<i32>, #lanes>, tensor<128xi32, #lanes>
  %x = tt.load %a : tensor<128x!tt.ptr<i32>, #lanes>
  %y = ttg.convert_layout %x : tensor<128xi32, #lanes> -> tensor<128xi32, #spread>
  tt.store %q, %y : tensor<128x!tt.ptr<i32>, #spread>
  tt.return
}
}
