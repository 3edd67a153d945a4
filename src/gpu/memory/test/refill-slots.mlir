// RUN: triton-opt --tritongpu-assign-latencies="num-stages=2 shared-capacity=4095" --tritongpu-schedule-loops --tritongpu-pipeline --allocate-shared-memory --tritongpu-insert-barriers --tritongpu-remove-barriers %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// There is room for one slot. A barrier shows that all threads see what was copied, another one that all have read it
// before the copy for the next iteration overwrites it.
// CHECK: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<1x32x32xf16
// CHECK: scf.for
// CHECK: ttg.async_wait
// CHECK: ttg.local_barrier
// CHECK: ttg.local_load
// CHECK: ttg.local_barrier
// CHECK: ttg.async_copy_global_to_local
// CHECK: scf.yield
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @product(%p: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant dense<32> : tensor<32x32xi32, #blocked>
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p)
        -> (tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      %s = tt.addptr %q, %k : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
      scf.yield %d, %s : tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<32x32xf32, #mma>
  }
}
