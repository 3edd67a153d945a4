// RUN: triton-opt --tritongpu-read-operand-buffers %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#rows = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!tile = tensor<64x64xf16, #mma>
!buffer = !ttg.memdesc<64x64xf16, #shared, #smem>
!pointers = tensor<64x64x!tt.ptr<f16>, #blocked>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The buffer is filled where the conversion was, and read right before the store.
  // CHECK-LABEL: tt.func @stored
  // CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %arg0
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: %[[L:.*]] = ttg.local_load %[[B]]
  // CHECK-NEXT: tt.store %{{.*}}, %[[L]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttg.warp_group_dot %{{.*}}, %[[B]]
  tt.func @stored(%x: !tile, %p: !pointers, %a: !buffer) -> tensor<64x64xf32, #mma> {
    %c = ttg.convert_layout %x : !tile -> tensor<64x64xf16, #blocked>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    tt.store %p, %c : !pointers
    %b = ttg.local_alloc %x : (!tile) -> !buffer
    %d = ttg.warp_group_dot %a, %b, %z : !buffer * !buffer -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Read along columns, the buffer would take an access for each element.
  // CHECK-LABEL: tt.func @acrossRows
  // CHECK: ttg.convert_layout
  // CHECK-NOT: ttg.local_load
  tt.func @acrossRows(%x: !tile, %p: tensor<64x64x!tt.ptr<f16>, #columns>, %a: !buffer) -> tensor<64x64xf32, #mma> {
    %c = ttg.convert_layout %x : !tile -> tensor<64x64xf16, #columns>
    tt.store %p, %c : tensor<64x64x!tt.ptr<f16>, #columns>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %b = ttg.local_alloc %x : (!tile) -> !buffer
    %d = ttg.warp_group_dot %a, %b, %z : !buffer * !buffer -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // What others write is no copy of the tile.
  // CHECK-LABEL: tt.func @written
  // CHECK: ttg.convert_layout
  tt.func @written(%x: !tile, %p: !pointers) {
    %b = ttg.local_alloc %x : (!tile) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %c = ttg.convert_layout %x : !tile -> tensor<64x64xf16, #blocked>
    tt.store %p, %c : !pointers
    tt.return
  }

  // Other blocks may be reached without the read.
  // CHECK-LABEL: tt.func @otherBlock
  // CHECK: ttg.convert_layout
  // CHECK-NOT: ttg.local_load
  tt.func @otherBlock(%x: !tile, %p: !pointers, %a: !buffer, %stores: i1) -> tensor<64x64xf32, #mma> {
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %b = ttg.local_alloc %x : (!tile) -> !buffer
    %c = ttg.convert_layout %x : !tile -> tensor<64x64xf16, #blocked>
    %d = ttg.warp_group_dot %a, %b, %z : !buffer * !buffer -> tensor<64x64xf32, #mma>
    cf.cond_br %stores, ^store, ^end
  ^store:
    tt.store %p, %c : !pointers
    cf.br ^end
  ^end:
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Other data would have to stay in shared memory beside the buffer.
  // CHECK-LABEL: tt.func @longLived
  // CHECK: ttg.convert_layout
  // CHECK-NOT: ttg.local_load
  // CHECK: ttg.local_alloc %arg4
  // CHECK: ttg.local_alloc %arg0
  tt.func @longLived(%x: !tile, %p: !pointers, %a: !buffer, %z: tensor<64x64xf32, #mma>, %y: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #mma> {
    %c = ttg.convert_layout %x : !tile -> tensor<64x64xf16, #blocked>
    tt.store %p, %c : !pointers
    %w = ttg.local_alloc %y : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #rows, #smem>
    %l = ttg.local_load %w : !ttg.memdesc<64x64xf32, #rows, #smem> -> tensor<64x64xf32, #mma>
    %b = ttg.local_alloc %x : (!tile) -> !buffer
    %d = ttg.warp_group_dot %a, %b, %l : !buffer * !buffer -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
