// RUN: triton-opt %s | FileCheck %s
// RUN: triton-opt %s | triton-opt | FileCheck %s

// What Triton writes for the tensor memory of compute capability 10.0 is read and printed as it is.

#row = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#scales = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, alignment = 128>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// CHECK-DAG: #[[$TMEM:.*]] = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
// CHECK-DAG: #[[$PAIR:.*]] = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1, CGALayout = {{\[\[}}1, 0]], twoCTAs = true>
// CHECK-DAG: #[[$SCALES:.*]] = #ttng.tensor_memory_scales_encoding<>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#pair = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>
#tmem_scales = #ttng.tensor_memory_scales_encoding<>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32, "ttng.two-ctas" = false} {

// CHECK-LABEL: tt.func public @accesses(
tt.func public @accesses(%x: tensor<128x64xf32, #row>, %i: i32, %p: i1) -> tensor<128x64xf32, #row> {
  // CHECK: %[[RING:.*]] = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #[[$TMEM]], #ttng.tensor_memory, mutable>
  %ring = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttg.memdesc_index %[[RING]]
  %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_store %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #[[$TMEM]], #ttng.tensor_memory, mutable>
  ttng.tmem_store %x, %slot, %p : tensor<128x64xf32, #row> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_subslice %{{.*}} {offset = 32 : i32}
  %part = ttng.tmem_subslice %slot {offset = 32 : i32} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable, 128x64>
  // CHECK: %[[M:.*]], %[[T:.*]] = ttng.tmem_alloc %{{.*}} : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #[[$TMEM]], #ttng.tensor_memory, mutable>, !ttg.async.token)
  %m, %t = ttng.tmem_alloc %x : (tensor<128x64xf32, #row>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  // CHECK: %[[T2:.*]] = ttng.tmem_store %{{.*}}, %[[M]][%[[T]]], %{{.*}} :
  %t2 = ttng.tmem_store %x, %m[%t], %p : tensor<128x64xf32, #row> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = ttng.tmem_load %[[M]][%[[T2]]] {abs = true, redOp = #ttng.redOp<max>} : {{.*}} -> tensor<128x64xf32, #linear>, tensor<128xf32, #{{.*}}>
  %y, %t3, %r = ttng.tmem_load %m[%t2] {abs = true, redOp = #ttng.redOp<max>} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #row>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #row}>>
  // CHECK: ttng.tmem_load %{{.*}} : !ttg.memdesc<128x64xf32, #[[$TMEM]], #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  %z = ttng.tmem_load %slot : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #row>
  tt.return %z : tensor<128x64xf32, #row>
}

// CHECK-LABEL: tt.func public @products(
tt.func public @products(%a: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, %b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %p: i1, %zero: i32) {
  %d, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  // CHECK: ttng.tc_gen5_mma %{{[^,]*}}, %{{[^,]*}}, %[[D:[^,]*]], %{{[^,]*}}, %{{[^,]*}} {multicast} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<128x64xf32, #[[$TMEM]], #ttng.tensor_memory, mutable>{{$}}
  ttng.tc_gen5_mma %a, %b, %d, %p, %p {multicast} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: %[[T:[a-z0-9_]+]] = ttng.tc_gen5_mma %{{[^,]*}}, %{{[^,]*}}, %[[D]][], %{{[^,]*}}, %{{[^,]*}}, %[[BAR:[a-z0-9_]+]][%{{[^]]*}}], %[[BAR]][%{{[^]]*}}] {is_async} :
  %t1 = ttng.tc_gen5_mma %a, %b, %d[], %p, %p, %bar[%p], %bar[%p] {is_async} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.tc_gen5_mma %{{[^,]*}}, %{{[^,]*}}, %[[D]][%[[T]]], %
  %t2 = ttng.tc_gen5_mma %a, %b, %d[%t1], %p, %p : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tc_gen5_commit %[[BAR]], %{{.*}} descs %{{.*}} : !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  ttng.tc_gen5_commit %bar, %p descs %a : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  // CHECK: ttng.tc_gen5_commit %[[BAR]] : !ttg.memdesc
  ttng.tc_gen5_commit %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.wait_barrier %[[BAR]], %{{.*}}, %{{.*}} deps %[[D]] :
  ttng.wait_barrier %bar, %zero, %p deps %d : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.arrive_barrier %[[BAR]], 2, %{{.*}} : !ttg.memdesc
  ttng.arrive_barrier %bar, 2, %p : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// CHECK-LABEL: tt.func public @scaled(
tt.func public @scaled(%a: !ttg.memdesc<128x128xf8E4M3FN, #bytes, #smem, mutable>, %b: !ttg.memdesc<64x64xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>, #smem, mutable>, %s: !ttg.memdesc<128x4xi8, #scales, #smem, mutable>, %p: i1) {
  %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %sa = ttng.tmem_alloc : () -> !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>
  %sb = ttng.tmem_alloc : () -> !ttg.memdesc<64x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_copy %{{.*}}, %[[SA:[^ ]*]] : !ttg.memdesc<128x4xi8, #{{.*}}, #smem, mutable>, !ttg.memdesc<128x4xi8, #[[$SCALES]], #ttng.tensor_memory, mutable>
  ttng.tmem_copy %s, %sa : !ttg.memdesc<128x4xi8, #scales, #smem, mutable>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tc_gen5_mma_scaled %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[SA]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} lhs = e4m3 rhs = e2m1 :
  ttng.tc_gen5_mma_scaled %a, %b, %d, %sa, %sb, %p, %p lhs = e4m3 rhs = e2m1 : !ttg.memdesc<128x128xf8E4M3FN, #bytes, #smem, mutable>, !ttg.memdesc<64x64xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<64x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>
  tt.return
}

// CHECK-LABEL: tt.func public @programs(
// CHECK-SAME: !ttg.memdesc<128x128xf32, #[[$PAIR]], #ttng.tensor_memory, mutable>
tt.func public @programs(%answer: !ttg.memdesc<2xi64, #bar, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %pair: !ttg.memdesc<128x128xf32, #pair, #ttng.tensor_memory, mutable>) -> (i1, i32) {
  // CHECK: ttng.clc_try_cancel %{{.*}}, %{{.*}} : !ttg.memdesc<2xi64, #{{.*}}, #smem, mutable>, !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>
  ttng.clc_try_cancel %answer, %bar : !ttg.memdesc<2xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.clc_load_result %{{.*}} : !ttg.memdesc<2xi64, #{{.*}}, #smem, mutable> -> i128
  %r = ttng.clc_load_result %answer : !ttg.memdesc<2xi64, #bar, #smem, mutable> -> i128
  // CHECK: ttng.clc_is_canceled %{{.*}} : i128 -> i1
  %c = ttng.clc_is_canceled %r : i128 -> i1
  // CHECK: ttng.clc_get_program_id %{{.*}}, y : i128 -> i32
  %n = ttng.clc_get_program_id %r, y : i128 -> i32
  tt.return %c, %n : i1, i32
}

// CHECK-LABEL: tt.func public @rows(
tt.func public @rows(%d: !tt.tensordesc<1x64xf16, #shared>, %i: tensor<32xi32, #ttg.slice<{dim = 0, parent = #row}>>, %c: i32, %m: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %p: i1) {
  // CHECK: ttng.async_tma_gather %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}}, %{{.*}}, %{{.*}} : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32, {{.*}}>, i32,
  ttng.async_tma_gather %d[%i, %c] %m, %bar, %p : !tt.tensordesc<1x64xf16, #shared>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #row}>>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, i1
  // CHECK: ttng.async_tma_scatter %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}} :
  ttng.async_tma_scatter %d[%i, %c] %m : !tt.tensordesc<1x64xf16, #shared>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #row}>>, i32, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  tt.return
}

}
