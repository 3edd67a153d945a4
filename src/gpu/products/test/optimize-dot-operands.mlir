// RUN: triton-opt --tritongpu-optimize-dot-operands %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#down = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
// An operand's layout, and what it is before a transposition.
#turned = #ttg.linear<{shape = [32, 64], register = [[0, 1], [0, 8], [0, 16], [0, 32], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}>
#back = #ttg.linear<{shape = [64, 32], register = [[1, 0], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = []}>
#square = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wa = #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 2}>
#group = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#oa = #ttg.dot_op<{opIdx = 0, parent = #square}>
#ob = #ttg.dot_op<{opIdx = 1, parent = #square}>
#matrices = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#batch = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
#ba = #ttg.dot_op<{opIdx = 0, parent = #batch, kWidth = 2}>

// Eight rows of 128 bytes go to different banks; short rows need fewer phases.
// CHECK-DAG: #[[$LONG:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #[[$GROUP:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$SHORT:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 4, maxPhase = 2, order = [1, 0]}>
// CHECK-DAG: #[[$BATCH:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [2, 1, 0]}>
// CHECK-DAG: #[[$TURNED:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func @operands
  tt.func @operands(%x: tensor<64x64xf16, #blocked>, %y: tensor<64x16xf16, #blocked>) -> (tensor<64x64xf16, #a>, tensor<64x16xf16, #a>) {
    // CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[$LONG]], #smem>
    // CHECK: ttg.local_load %[[X]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x16xf16, #[[$SHORT]], #smem>
    %1 = ttg.convert_layout %y : tensor<64x16xf16, #blocked> -> tensor<64x16xf16, #a>
    tt.return %0, %1 : tensor<64x64xf16, #a>, tensor<64x16xf16, #a>
  }

  // Both operands read the one buffer.
  // CHECK-LABEL: tt.func @left_and_right
  tt.func @left_and_right(%x: tensor<64x64xf16, #blocked>) -> (tensor<64x64xf16, #a>, tensor<64x64xf16, #b>) {
    // CHECK: %[[X:.*]] = ttg.local_alloc
    // CHECK-DAG: ttg.local_load %[[X]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
    // CHECK-DAG: ttg.local_load %[[X]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1
    // CHECK-NOT: ttg.local_alloc
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %1 = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
    tt.return %0, %1 : tensor<64x64xf16, #a>, tensor<64x64xf16, #b>
  }

  // So do threads and a unit that reads it itself.
  // CHECK-LABEL: tt.func @threads_and_unit
  tt.func @threads_and_unit(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #wide>) -> (tensor<64x64xf16, #wa>, tensor<64x64xf32, #wide>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    // CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[$GROUP]], #smem>
    // CHECK-NOT: ttg.local_alloc
    // CHECK-DAG: ttg.local_load %[[X]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
    // CHECK-DAG: ttg.warp_group_dot %[[X]], %[[X]]
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #wa>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #group, #smem>
    %1 = ttg.warp_group_dot %b, %b, %c : !ttg.memdesc<64x64xf16, #group, #smem> * !ttg.memdesc<64x64xf16, #group, #smem> -> tensor<64x64xf32, #wide>
    tt.return %0, %1 : tensor<64x64xf16, #wa>, tensor<64x64xf32, #wide>
  }

  // A transposition is a view.
  // CHECK-LABEL: tt.func @transposed
  tt.func @transposed(%x: tensor<32x64xf16, #blocked>) -> tensor<64x32xf16, #b> {
    // CHECK-NOT: tt.trans
    // CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xf16, #[[$LONG]], #smem>
    // CHECK: %[[T:.*]] = ttg.memdesc_trans %[[X]] {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<64x32xf16, #[[$TURNED]], #smem>
    // CHECK: ttg.local_load %[[T]]
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x64xf16, #blocked> -> tensor<64x32xf16, #down>
    %0 = ttg.convert_layout %t : tensor<64x32xf16, #down> -> tensor<64x32xf16, #b>
    tt.return %0 : tensor<64x32xf16, #b>
  }

  // The conversion may have been moved before the transposition.
  // CHECK-LABEL: tt.func @converted_before_the_transposition
  tt.func @converted_before_the_transposition(%x: tensor<32x64xf16, #blocked>) -> tensor<64x32xf16, #b> {
    // CHECK-NOT: tt.trans
    // CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xf16, #[[$LONG]], #smem>
    // CHECK: %[[T:.*]] = ttg.memdesc_trans %[[X]]
    // CHECK: ttg.local_load %[[T]]
    %c = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #turned>
    %t = tt.trans %c {order = array<i32: 1, 0>} : tensor<32x64xf16, #turned> -> tensor<64x32xf16, #back>
    %0 = ttg.convert_layout %t : tensor<64x32xf16, #back> -> tensor<64x32xf16, #b>
    tt.return %0 : tensor<64x32xf16, #b>
  }

  // The result of a product is in place as the next one's operand.
  // CHECK-LABEL: tt.func @chained
  // CHECK-NOT: ttg.local_alloc
  tt.func @chained(%x: tensor<64x64xf16, #mma>) -> tensor<64x64xf16, #a> {
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
    tt.return %0 : tensor<64x64xf16, #a>
  }

  // The pointers through which a product's operand is loaded need no buffer.
  // CHECK-LABEL: tt.func @pointers
  // CHECK-NOT: ttg.local_alloc
  tt.func @pointers(%p: tensor<64x64x!tt.ptr<f16>, #blocked>) -> tensor<64x64x!tt.ptr<f16>, #a> {
    // CHECK: ttg.convert_layout
    %0 = ttg.convert_layout %p : tensor<64x64x!tt.ptr<f16>, #blocked> -> tensor<64x64x!tt.ptr<f16>, #a>
    tt.return %0 : tensor<64x64x!tt.ptr<f16>, #a>
  }

  // A product on ordinary units that alone widens an operand reads it as it is.
  // CHECK-LABEL: tt.func @widened
  tt.func @widened(%x: tensor<64x64xbf16, #blocked>, %y: tensor<64x64xf32, #blocked>, %c: tensor<64x64xf32, #square>) -> tensor<64x64xf32, #square> {
    // CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xbf16,
    // CHECK: %[[Y:.*]] = ttg.local_alloc
    // CHECK-DAG: %[[A:.*]] = ttg.local_load %[[X]]
    // CHECK-DAG: %[[WIDE:.*]] = arith.extf %[[A]]
    // CHECK-DAG: %[[B:.*]] = ttg.local_load %[[Y]]
    // CHECK: tt.dot %[[WIDE]], %[[B]],
    %a = ttg.convert_layout %x : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #oa>
    %w = arith.extf %a : tensor<64x64xbf16, #oa> to tensor<64x64xf32, #oa>
    %b = ttg.convert_layout %y : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #ob>
    %d = tt.dot %w, %b, %c : tensor<64x64xf32, #oa> * tensor<64x64xf32, #ob> -> tensor<64x64xf32, #square>
    tt.return %d : tensor<64x64xf32, #square>
  }

  // A product on ordinary units reads its buffers itself: the loads stand right before it, also in a loop.
  // CHECK-LABEL: tt.func @ordinary
  tt.func @ordinary(%x: tensor<64x64xf32, #blocked>, %y: tensor<64x64xf32, #blocked>, %c: tensor<64x64xf32, #square>, %n: index) -> tensor<64x64xf32, #square> {
    // CHECK: %[[X:.*]] = ttg.local_alloc
    // CHECK: %[[Y:.*]] = ttg.local_alloc
    %a = ttg.convert_layout %x : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #oa>
    %b = ttg.convert_layout %y : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #ob>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    // CHECK: scf.for
    %r = scf.for %i = %zero to %n step %one iter_args(%sum = %c) -> tensor<64x64xf32, #square> {
      // CHECK-DAG: %[[A:.*]] = ttg.local_load %[[X]]
      // CHECK-DAG: %[[B:.*]] = ttg.local_load %[[Y]]
      // CHECK-NEXT: tt.dot %[[A]], %[[B]],
      %d = tt.dot %a, %b, %sum : tensor<64x64xf32, #oa> * tensor<64x64xf32, #ob> -> tensor<64x64xf32, #square>
      scf.yield %d : tensor<64x64xf32, #square>
    }
    tt.return %r : tensor<64x64xf32, #square>
  }

  // The matrices of a batch, which only registers tell apart, follow one another: rows in other banks follow a row.
  // CHECK-LABEL: tt.func @batches
  tt.func @batches(%x: tensor<4x32x64xf16, #matrices>) -> tensor<4x32x64xf16, #ba> {
    // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<4x32x64xf16, #[[$BATCH]], #smem>
    %0 = ttg.convert_layout %x : tensor<4x32x64xf16, #matrices> -> tensor<4x32x64xf16, #ba>
    tt.return %0 : tensor<4x32x64xf16, #ba>
  }
}
