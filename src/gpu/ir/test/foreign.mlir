// RUN: triton-opt %s | FileCheck %s
// RUN: triton-opt %s | triton-opt | FileCheck %s

// What Triton's dialects `amdg` and `ttng` have is read as what it is called here.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [0, 1]}>
// The phase of a row and that of its group of rows.
// CHECK-DAG: #[[$ROTATING:.*]] = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, fold = 16, order = [1, 0]}>
#rotating = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
// CHECK-DAG: #[[$PLAIN:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#plain = #ttg.amd_rotating_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#left = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: tt.func public @buffers(
tt.func public @buffers(%p: !tt.ptr<f32>, %i: tensor<32x32xi32, #blocked>, %m: tensor<32x32xi1, #blocked>, %z: tensor<32x32xf32, #blocked>, %n: i32) {
  // CHECK: ttg.buffer_load %{{.*}}[%{{[^],]*}}] : !tt.ptr<f32> -> tensor<32x32xf32, #{{.*}}>
  %a = amdg.buffer_load %p[%i] : !tt.ptr<f32> -> tensor<32x32xf32, #blocked>
  // CHECK: ttg.buffer_load %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} stride = %{{[^ ]*}} cacheModifier = cg {contiguity = 4 : i32} : !tt.ptr<f32> -> tensor<32x32xf32, #{{.*}}>
  %b = amdg.buffer_load %p[%i], %m, %z stride = %n {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, contiguity = 4 : i32} : !tt.ptr<f32> -> tensor<32x32xf32, #blocked>
  // CHECK: ttg.convert_layout %{{.*}} : tensor<32x32xf32, #{{.*}}> -> tensor<32x32xf32, #{{.*}}>
  %c = amdg.in_thread_transpose %b : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #turned>
  // CHECK: ttg.buffer_store %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} {contiguity = 4 : i32} : !tt.ptr<f32> -> tensor<32x32xf32, #{{.*}}>
  amdg.buffer_store %a, %p[%i], %m {contiguity = 4 : i32} : !tt.ptr<f32> -> tensor<32x32xf32, #blocked>
  // CHECK: ttg.buffer_atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : !tt.ptr<f32> -> tensor<32x32xf32, #{{.*}}>
  %d = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %a, %p[%i], %m : !tt.ptr<f32> -> tensor<32x32xf32, #blocked>
  // CHECK: ttg.local_alloc %{{.*}} : (tensor<32x32xf32, #{{.*}}>) -> !ttg.memdesc<32x32xf32, #[[$ROTATING]], #smem>
  %e = ttg.local_alloc %a : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #rotating, #smem>
  // CHECK: ttg.local_alloc %{{.*}} : (tensor<32x32xf32, #{{.*}}>) -> !ttg.memdesc<32x32xf32, #[[$PLAIN]], #smem>
  %f = ttg.local_alloc %a : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #plain, #smem>
  tt.return
}

// CHECK-LABEL: tt.func public @widening(
tt.func public @widening(%x: tensor<32x16xi8, #blocked>, %s: tensor<32x32xbf16, #blocked>, %e: tensor<32x32xf8E4M3FN, #blocked>) {
  // CHECK: ttg.fp4_to_fp %{{[^ ]*}} {axis = 1 : i32} : tensor<32x16xi8, #{{.*}}> -> tensor<32x32xf16, #{{.*}}>
  %a = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<32x16xi8, #blocked> -> tensor<32x32xf16, #turned>
  // CHECK: ttg.fp4_to_fp %{{.*}} scale %{{[^ ]*}} {axis = 1 : i32} : tensor<32x16xi8, #{{.*}}>, tensor<32x32xbf16, #{{.*}}> -> tensor<32x32xbf16, #{{.*}}>
  %b = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<32x16xi8, #blocked>, tensor<32x32xbf16, #blocked> -> tensor<32x32xbf16, #blocked>
  // CHECK: ttg.fp8_to_fp %{{.*}} scale %{{[^ ]*}} : tensor<32x32xf8E4M3FN, #{{.*}}>, tensor<32x32xbf16, #{{.*}}> -> tensor<32x32xbf16, #{{.*}}>
  %c = amdg.scaled_upcast_fp8 %e scale %s : tensor<32x32xf8E4M3FN, #blocked>, tensor<32x32xbf16, #blocked> -> tensor<32x32xbf16, #blocked>
  tt.return
}

// CHECK-LABEL: tt.func public @groups(
tt.func public @groups(%a: !ttg.memdesc<64x64xf16, #left, #smem>, %b: !ttg.memdesc<64x64xf16, #left, #smem>, %c: tensor<64x64xf32, #mma>, %adds: i1) {
  // CHECK: ttg.fence_async_shared{{$}}
  ttng.fence_async_shared {bCluster = false}
  // CHECK: ttg.fence_async_shared {ofCluster}
  ttng.fence_async_shared {bCluster = true}
  // CHECK: ttg.cluster_barrier {relaxed}
  ttng.cluster_barrier {relaxed = true}
  // CHECK: ttg.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 {isAsync = true} : !ttg.memdesc<64x64xf16, #{{.*}}, #smem> * !ttg.memdesc<64x64xf16, #{{.*}}, #smem> -> tensor<64x64xf32, #mma>
  %0 = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #left, #smem> * !ttg.memdesc<64x64xf16, #left, #smem> -> tensor<64x64xf32, #mma>
  // CHECK: ttg.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} if %{{[^ ]*}} {isAsync = true}
  %1 = ttng.warp_group_dot %a, %b, %0, %adds {inputPrecision = 2 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #left, #smem> * !ttg.memdesc<64x64xf16, #left, #smem> -> tensor<64x64xf32, #mma>
  // CHECK: ttg.warp_group_dot_wait %{{.*}}, %{{[^ ]*}} {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #{{.*}}, #smem> -> tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #{{.*}}, #smem>
  %2:2 = ttng.warp_group_dot_wait %1, %a {pendings = 0 : i32, warpGroupLocal} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #left, #smem>
  // CHECK: ttg.async_store_wait {onlyReads, pendings = 1 : i32}
  ttng.async_tma_store_wait {pendings = 1 : i32, read_only}
  // CHECK: ttg.async_store_wait {pendings = 0 : i32}
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}

// What partitions call their operands stands for these.
// CHECK-LABEL: tt.func public @partitions(
// CHECK-SAME: %[[N:[^ ]*]]: i32, %[[M:[^ ]*]]: !ttg.memdesc
tt.func public @partitions(%n: i32, %m: !ttg.memdesc<64x64xf16, #left, #smem, mutable>) -> i32 {
  // CHECK: %[[R:.*]] = ttg.warp_specialize {
  // CHECK-NEXT: ttg.warp_yield %[[N]] : i32
  // CHECK-NEXT: } partitions {
  // CHECK-NEXT: arith.addi %[[N]], %[[N]]
  // CHECK-NEXT: ttg.warp_yield
  // CHECK-NEXT: }, {
  // CHECK-NEXT: ttg.local_dealloc %[[M]]
  // CHECK-NEXT: ttg.warp_yield
  // CHECK-NEXT: } {partitionRegisters = array<i32: 88, 24>, partitionWarps = array<i32: 4, 1>} : i32
  %r = ttg.warp_specialize(%n, %m) attributes {requestedRegisters = array<i32: 88, 24>}
  default {
    ttg.warp_yield %n : i32
  }
  partition0(%i: i32, %b: !ttg.memdesc<64x64xf16, #left, #smem, mutable>) num_warps(4) {
    %s = arith.addi %i, %i : i32
    ttg.warp_return
  }
  partition1(%j: i32, %c: !ttg.memdesc<64x64xf16, #left, #smem, mutable>) num_warps(1) {
    ttg.local_dealloc %c : !ttg.memdesc<64x64xf16, #left, #smem, mutable>
    ttg.warp_return
  } : (i32, !ttg.memdesc<64x64xf16, #left, #smem, mutable>) -> i32
  // CHECK: ttg.warp_specialize {
  // CHECK: {partitionRegisters = array<i32>, partitionWarps = array<i32: 2>}{{$}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(2) {
    ttg.warp_return
  } : () -> ()
  tt.return %r : i32
}

}
