// RUN: triton-opt %s | FileCheck %s
// RUN: triton-opt %s | triton-opt | FileCheck %s

// What Triton 3.9 writes otherwise than 3.6 is read, and printed as 3.6 does.

// Without `shape`, the bases say what it is.
// CHECK-DAG: #[[$LINEAR:.*]] = #ttg.linear<{shape = [4, 32], register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}0, 0]], block = []}>
#linear = #ttg.linear<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 0]], block = []}>
// The pairs of a tensor are its registers: the result of `tt.split` has a layout that is also blocked.
#pairs = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [2, 1], order = [1, 0]}>
#halves = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttng.two-ctas" = false} {

// CHECK-LABEL: tt.func public @hints(
tt.func public @hints(%p: tensor<256x!tt.ptr<f32>>, %mask: tensor<256xi1>) {
  // CHECK: tt.load %{{.*}}, %{{.*}} cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : tensor<256x!tt.ptr<f32>>
  %x = tt.load %p, %mask {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>, isVolatile = true} : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.load %{{[^ ]*}} cacheModifier = ca : tensor<256x!tt.ptr<f32>>
  %y = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_normal>} : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{[^ ]*}} evictionPolicy = evict_first : tensor<256x!tt.ptr<f32>>
  tt.store %p, %y {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{[^ ]*}} {tt.other = 1 : i32} : tensor<256x!tt.ptr<f32>>
  tt.store %p, %x {tt.other = 1 : i32} : tensor<256x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func public @barriers(
tt.func public @barriers() {
  // CHECK-COUNT-3: gpu.barrier
  ttg.barrier all
  ttg.barrier local|global_read
  ttg.barrier local | tensor_write
  tt.return
}

// CHECK-LABEL: tt.func public @dependent_launches(
tt.func public @dependent_launches() {
  // CHECK: tt.wait_for_prior_launch
  tt.grid_dependency_wait
  // CHECK: tt.allow_next_launch
  tt.grid_dependency_launch_dependents
  tt.return
}

// CHECK-LABEL: tt.func public @divided(
tt.func public @divided(%x: tensor<8xf32>, %y: f32) -> (tensor<8xf32>, f32) {
  // CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %a = tt.approx_divf %x, %x : tensor<8xf32>
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  %b = tt.approx_divf %y, %y : f32
  tt.return %a, %b : tensor<8xf32>, f32
}

// CHECK-LABEL: tt.func public @descriptor(
// CHECK-SAME: !tt.tensordesc<tensor<16x32xsi32>>
tt.func public @descriptor(%d: !tt.tensordesc<16x32xsi32>, %p: !tt.ptr<f16>, %m: i32, %n: i64) {
  %zero = arith.constant 0 : i32
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<16x32xsi32>> -> tensor<16x32xi32>
  %x = tt.descriptor_load %d[%m, %zero] : !tt.tensordesc<16x32xsi32> -> tensor<16x32xi32>
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}], [%{{.*}}] : <f16>, <tensor<64xf16>>
  %e = tt.make_tensor_descriptor %p, [%m], [%n] : <f16>, <64xf16>
  tt.return
}

// CHECK-LABEL: tt.func public @layouts(
tt.func public @layouts(%x: tensor<4x32xf32, #linear>, %y: tensor<64x2xf32, #pairs>, %b: f16) {
  %l, %r = tt.split %y : tensor<64x2xf32, #pairs> -> tensor<64xf32, #halves>
  %z = tt.join %l, %r : tensor<64xf32, #halves> -> tensor<64x2xf32, #pairs>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : f16 -> bf16
  %c = tt.fp_to_fp %b, rounding = rtne : f16 -> bf16
  tt.return
}

// CHECK-LABEL: tt.func public @copy(
tt.func public @copy(%p: tensor<64x!tt.ptr<f32>, #halves>, %d: !ttg.memdesc<64xf32, #shared, #smem, mutable>) {
  // CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} cacheModifier = cg {contiguity = 4 : i32} : tensor<64x!tt.ptr<f32>, #{{.*}}> -> <64xf32, #{{.*}}, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %d {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, contiguity = 4 : i32} : tensor<64x!tt.ptr<f32>, #halves> -> <64xf32, #shared, #smem, mutable>
  tt.return
}

}
