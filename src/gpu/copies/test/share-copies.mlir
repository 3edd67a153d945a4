// Blocks of a cluster that run one program share the copies of what all of them need.
// RUN: triton-opt --tritongpu-specialize-warps %s | FileCheck %s
// RUN: triton-opt --tritongpu-specialize-warps --tritongpu-overlap-dots %s | FileCheck %s --check-prefix=OVERLAP

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {tt.blocks = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A box is what one block copies.
  // CHECK-LABEL: tt.func public @product
  // CHECK-SAME: %[[X:[^:]*]]: !tt.tensordesc<tensor<128x64xf16>> {ttg.tensor_map = {base = "arg:0", box = array<i32: 128, 64>
  // CHECK-SAME: %[[Y:[^:]*]]: !tt.tensordesc<tensor<64x64xf16>> {ttg.tensor_map = {base = "arg:1", box = array<i32: 64, 64>
  // OVERLAP-LABEL: tt.func public @product
  tt.func public @product(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %m: i32, %k: i32, %p: tensor<128x128x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    // The warps of both blocks release a slot.
    // CHECK: ttg.init_barrier %{{.*}} {count = 1 : i32}
    // CHECK: ttg.init_barrier %[[EMPTY:.*]] {count = 8 : i32}
    // CHECK: ttg.local_barrier {allWarps}
    // CHECK-NEXT: ttg.cluster_barrier
    // CHECK: ttg.expect_bytes %{{.*}}, 32768
    // CHECK-DAG: ttg.async_mapped_load %[[X]][{{[^]]*}}], %{{[^,]*}}, %{{[^ ]*}} :
    // CHECK-DAG: ttg.async_mapped_load %[[Y]][{{[^]]*}}], %{{[^,]*}}, %{{[^ ]*}} {allBlocks} :
    // CHECK: ttg.warp_group_dot
    // CHECK: ttg.arrive_barrier {{.*}} {allBlocks} :
    // OVERLAP: ttg.warp_group_dot {{.*}} {isAsync = true}
    // OVERLAP: ttg.arrive_barrier %{{.*}} if %{{.*}} {allBlocks} :
    // OVERLAP: ttg.arrive_barrier %{{.*}} if %{{.*}} {allBlocks} :
    %sum = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["arg:2", "arg:3"], strides = ["const:64"]} [%c0, %j] : tensor<128x64xf16, #blocked>
      %sa = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = tt.mapped_load {base = "arg:1", block = array<i32: 128, 64>, name = "y", shape = ["arg:2", "arg:3"], strides = ["const:64"]} [%c0, %j] {tt.all_blocks} : tensor<128x64xf16, #blocked>
      %sb = ttg.local_alloc %b : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
      %d = ttg.warp_group_dot %sa, %tb, %acc : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    // No block ends before the others have written to it for the last time.
    // CHECK: tt.store
    // CHECK: ttg.cluster_barrier
    // CHECK-NEXT: tt.return
    tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    tt.return
  }
}
