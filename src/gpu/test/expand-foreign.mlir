// RUN: triton-opt %s --tritongpu-expand-foreign --split-input-file --verify-diagnostics | FileCheck %s
// RUN: triton-opt %s --tritongpu-expand-foreign --split-input-file --verify-diagnostics | triton-opt --split-input-file --tritongpu-verify-ttgir="is-specialized is-pipelined"

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#matrix = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [1, 64], warpsPerCTA = [1, 1], order = [0, 1]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: tt.func public @buffers(
// CHECK-SAME: %[[P:[^ ]*]]: !tt.ptr<f32>, %[[I:[^ ]*]]: tensor<256xi32, #blocked>, %[[M:[^ ]*]]: tensor<256xi1, #blocked>
tt.func public @buffers(%p: !tt.ptr<f32>, %i: tensor<256xi32, #blocked>, %m: tensor<256xi1, #blocked>) -> tensor<256xf32, #blocked> {
  // CHECK: %[[S:.*]] = tt.splat %[[P]] : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
  // CHECK: %[[Q:.*]] = tt.addptr %[[S]], %[[I]]
  // CHECK: %[[X:.*]] = tt.load %[[Q]], %[[M]] cacheModifier = cg : tensor<256x!tt.ptr<f32>, #blocked>
  %x = ttg.buffer_load %p[%i], %m cacheModifier = cg : !tt.ptr<f32> -> tensor<256xf32, #blocked>
  // CHECK: tt.store %{{.*}}, %[[X]], %[[M]] evictionPolicy = evict_first : tensor<256x!tt.ptr<f32>, #blocked>
  ttg.buffer_store %x, %p[%i], %m evictionPolicy = evict_first : !tt.ptr<f32> -> tensor<256xf32, #blocked>
  // CHECK: %[[OLD:.*]] = tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %[[X]], %[[M]]
  %old = ttg.buffer_atomic_rmw fadd, relaxed, gpu, %x, %p[%i], %m : !tt.ptr<f32> -> tensor<256xf32, #blocked>
  // CHECK: tt.return %[[OLD]]
  tt.return %old : tensor<256xf32, #blocked>
}

// What a byte holds is in turn along the axis.
// CHECK-LABEL: tt.func public @widening(
tt.func public @widening(%x: tensor<16x64xi8, #matrix>, %s: tensor<32x64xbf16, #matrix>, %e: tensor<16x64xf8E5M2, #matrix>, %t: tensor<16x64xbf16, #matrix>) -> (tensor<32x64xf16, #matrix>, tensor<16x64xbf16, #matrix>) {
  // CHECK: %[[LOW:.*]] = tt.bitcast %{{.*}} : tensor<16x64xi16, #[[$MATRIX:[^>]*]]> -> tensor<16x64xf16, #[[$MATRIX]]>
  // CHECK: %[[HIGH:.*]] = tt.bitcast %{{.*}} : tensor<16x64xi16, #[[$MATRIX]]> -> tensor<16x64xf16, #[[$MATRIX]]>
  // CHECK: %[[PAIRS:.*]] = tt.join %[[LOW]], %[[HIGH]]
  // CHECK: %[[TURNED:.*]] = tt.trans %[[PAIRS]] {order = array<i32: 0, 2, 1>}
  // CHECK: %[[FLAT:.*]] = tt.reshape %[[TURNED]]
  // CHECK: %[[ELEMENTS:.*]] = ttg.convert_layout %[[FLAT]] : tensor<32x64xf16, #{{.*}}> -> tensor<32x64xf16, #[[$MATRIX]]>
  // CHECK: %[[WIDE:.*]] = arith.extf %[[ELEMENTS]]
  // CHECK: %[[SCALES:.*]] = arith.extf %{{.*}} : tensor<32x64xbf16
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[SCALES]] : tensor<32x64xf32
  // CHECK: arith.truncf %[[PRODUCT]] : tensor<32x64xf32, #[[$MATRIX]]> to tensor<32x64xf16, #[[$MATRIX]]>
  %y = ttg.fp4_to_fp %x scale %s {axis = 0 : i32} : tensor<16x64xi8, #matrix>, tensor<32x64xbf16, #matrix> -> tensor<32x64xf16, #matrix>
  // CHECK: %[[FLOATS:.*]] = tt.fp_to_fp %{{.*}} : tensor<16x64xf8E5M2, #[[$MATRIX]]> -> tensor<16x64xf32, #[[$MATRIX]]>
  // CHECK: arith.mulf %[[FLOATS]]
  %z = ttg.fp8_to_fp %e scale %t : tensor<16x64xf8E5M2, #matrix>, tensor<16x64xbf16, #matrix> -> tensor<16x64xbf16, #matrix>
  tt.return %y, %z : tensor<32x64xf16, #matrix>, tensor<16x64xbf16, #matrix>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// What a wait for products keeps is used by its own name.
// CHECK-LABEL: tt.func public @kept(
// CHECK-SAME: %[[A:[^ ]*]]: !ttg.memdesc
tt.func public @kept(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK: %[[W:.*]]:2 = ttg.warp_group_dot_wait
  // CHECK: ttg.local_dealloc %[[A]]
  // CHECK: tt.return %[[W]]#0
  %0 = ttg.warp_group_dot %a, %a, %c {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  %1:2 = ttng.warp_group_dot_wait %0, %a {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem>
  ttg.local_dealloc %1#1 : !ttg.memdesc<64x64xf16, #shared, #smem>
  tt.return %1#0 : tensor<64x64xf32, #mma>
}

// The launch makes the map that the kernel would have written.
// CHECK-LABEL: tt.func public @copies(
// CHECK-SAME: %[[P:[^ ]*]]: !tt.ptr<f16>
// CHECK-SAME: %[[MAP:[^ ]*]]: !tt.tensordesc<tensor<64x64xf16>> {ttg.tensor_map = {base = "arg:0", box = array<i32: 64, 64>, name = "{{.*}}", shape = ["arg:1", "arg:2"], strides = ["arg:2 const:2 mul const:2 div"], swizzle = 128 : i32}})
tt.func public @copies(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %i: i32, %ok: i1) {
  // CHECK-NOT: scratch
  // CHECK-NOT: ttng
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i64
  %box = arith.constant 64 : i32
  %zero = arith.constant 0 : i32
  %wide = arith.extsi %n : i32 to i64
  %bytes = arith.muli %wide, %two : i64
  %raw = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  ttng.tensormap_create %raw, %p, [%box, %box], [%n, %m], [%bytes], [%one, %one] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %raw : !tt.ptr<i8>
  %d = ttng.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<64x64xf16, #shared>
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttg.init_barrier %[[B:.*]] {count = 1 : i32, manual}
  // CHECK-NEXT: ttg.local_barrier {stays}
  ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: scf.if
  // CHECK-NEXT: ttg.expect_bytes %[[B]], 8192 {byFirst}
  ttng.barrier_expect %bar, 8192, %ok : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: scf.if
  // CHECK-NEXT: ttg.async_mapped_load %[[MAP]][%{{.*}}, %{{.*}}], %[[C:.*]], %[[B]] {byFirst}
  ttng.async_tma_copy_global_to_local %d[%i, %zero] %buffer, %bar, %ok : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK: ttg.wait_barrier %[[B]], %{{.*}}
  ttng.wait_barrier %bar, %zero : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: scf.if
  // CHECK-NEXT: ttg.wait_barrier %[[B]]
  // CHECK: ttg.local_dealloc %[[C]]
  ttng.wait_barrier %bar, %one, %ok deps %buffer : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK: ttg.async_mapped_store %[[C]], %[[MAP]][%{{.*}}, %{{.*}}] of %[[P]], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}]
  ttng.async_tma_copy_local_to_global %d[%i, %zero] %buffer : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK: ttg.local_barrier {stays}
  // CHECK-NEXT: ttg.invalidate_barrier %[[B]]
  ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: tt.func public @rounded_up(
tt.func public @rounded_up(%n: i32, %step: i32) -> i32 {
  // CHECK-NOT: ceildiv
  // CHECK: arith.divsi
  // CHECK: arith.select
  %0 = arith.ceildivsi %n, %step : i32
  tt.return %0 : i32
}

// Whoever makes a map promises that addresses and strides are as maps demand.
// CHECK-LABEL: tt.func public @promised(
// CHECK-SAME: ttg.tensor_map = {base = "arg:0", {{.*}}strides = ["arg:3 const:2 div"]
tt.func public @promised(%p: !tt.ptr<f16>, %m: i32, %n: i32, %bytes: i64, %i: i32, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
  %one = arith.constant 1 : i32
  %box = arith.constant 64 : i32
  %raw = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  ttng.tensormap_create %raw, %p, [%box, %box], [%n, %m], [%bytes], [%one, %one] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %raw : !tt.ptr<i8>
  %d = ttng.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<64x64xf16, #shared>
  // CHECK: ttg.async_mapped_store
  ttng.async_tma_copy_local_to_global %d[%i, %i] %buffer : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return
}

}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func private @foreign_descriptor(%d: !tt.tensordesc<64x64xf16, #shared>, %i: i32, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
  // expected-error @below {{not supported on any GPU: copies through a descriptor that is not made by one `ttng.tensormap_create` in this function}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %buffer : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: tt.func public @unused
// CHECK-NOT: ttng.
// CHECK: tt.return
tt.func public @unused(%p: !tt.ptr<f16>, %m: i32, %n: i32, %bytes: i64) {
  %one = arith.constant 1 : i32
  %box = arith.constant 64 : i32
  %raw = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  ttng.tensormap_create %raw, %p, [%box, %box], [%n, %m], [%bytes], [%one, %one] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %raw : !tt.ptr<i8>
  tt.return
}

}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

tt.func public @filled_with_nan(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %bytes: i64 {tt.divisibility = 16 : i32}, %i: i32, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
  %one = arith.constant 1 : i32
  %box = arith.constant 64 : i32
  %raw = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  ttng.tensormap_create %raw, %p, [%box, %box], [%n, %m], [%bytes], [%one, %one] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %raw : !tt.ptr<i8>
  %d = ttng.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<64x64xf16, #shared>
  // expected-error @below {{a tensor map that fills with NaN, interleaves or leaves elements out}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %buffer : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return
}

}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

tt.func public @swizzled_otherwise(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %bytes: i64 {tt.divisibility = 16 : i32}, %i: i32, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
  %one = arith.constant 1 : i32
  %box = arith.constant 64 : i32
  %raw = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  ttng.tensormap_create %raw, %p, [%box, %box], [%n, %m], [%bytes], [%one, %one] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %raw : !tt.ptr<i8>
  %d = ttng.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<64x64xf16, #shared>
  // expected-error @below {{buffers have the shape of a block, and `#ttg.nvmma_shared`}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %buffer : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return
}

}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: tt.func public @row(
// CHECK-SAME: box = array<i32: 64>
tt.func public @row(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %i: i32, %buffer: !ttg.memdesc<64xf16, #shared, #smem, mutable>) {
  %one = arith.constant 1 : i32
  %box = arith.constant 64 : i32
  %raw = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  ttng.tensormap_create %raw, %p, [%box], [%n], [], [%one] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32) -> ()
  %d = ttng.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<64xf16, #shared>
  // CHECK: ttg.async_mapped_store %{{.*}}, %{{.*}}[%{{.*}}] of %{{.*}} : !ttg.memdesc<64xf16, {{.*}}> -> !tt.tensordesc<tensor<64xf16>>
  ttng.async_tma_copy_local_to_global %d[%i] %buffer : !tt.tensordesc<64xf16, #shared>, !ttg.memdesc<64xf16, #shared, #smem, mutable>
  tt.return
}

}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// One thread arrives for all, which meet before.
// CHECK-LABEL: tt.func public @arrival(
tt.func public @arrival(%bar: !ttg.memdesc<1xi64, #bar, #ttg.shared_memory, mutable>, %p: i1) {
  // CHECK: ttg.local_barrier {stays}
  // CHECK-NEXT: ttg.arrive_barrier %{{.*}} if %{{.*}} {count = 2 : i32}
  ttng.arrive_barrier %bar, 2, %p : !ttg.memdesc<1xi64, #bar, #ttg.shared_memory, mutable>
  // CHECK-NEXT: ttg.arrive_after_copies %{{.*}} {isCounted}
  ttng.async_copy_mbarrier_arrive %bar {noIncrement} : !ttg.memdesc<1xi64, #bar, #ttg.shared_memory, mutable>
  // CHECK-NEXT: ttg.arrive_after_copies %{{[^ ]*}} :
  ttng.async_copy_mbarrier_arrive %bar : !ttg.memdesc<1xi64, #bar, #ttg.shared_memory, mutable>
  tt.return
}

}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

tt.func public @older() {
  // expected-error @below {{not supported on cuda:90: `ttng.tmem_alloc`, which compute capabilities 10.0 to 11.0 alone have; `ttg.warp_group_dot` multiplies on cuda:90}}
  %0 = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.slice<{dim = 0, parent = #blocked}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// A descriptor that the launch passes is the address of its array, which the launch makes a map of.
// CHECK-LABEL: tt.func public @passed(
// CHECK-SAME: %[[P:[^ ]*]]: !tt.ptr<f16>, %[[M:[^ ]*]]: i32, %[[N:[^ ]*]]: i32, %[[S:[^ ]*]]: i64, %{{[^ ]*}}: i64, %[[I:[^ ]*]]: tensor<32xi32, {{.*}}>, %[[MAP:[^ ]*]]: !tt.tensordesc<tensor<1x64xf16>> {ttg.tensor_map = {base = "arg:0", box = array<i32: 1, 64>, name = "argument 0", shape = ["arg:1", "arg:2"], strides = ["arg:3"], swizzle = 128 : i32}}
tt.func public @passed(%d: !tt.tensordesc<1x64xf16, #shared>, %m: i32, %n: i32, %s: i64, %t: i64, %i: tensor<32xi32, #rows>) {
  %c = arith.constant 0 : i32
  %true = arith.constant true
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttg.async_mapped_load %[[MAP]][%{{.*}}] rows %[[I]], %[[BUFFER:.*]], %{{.*}} {byFirst}
  ttng.async_tma_gather %d[%i, %c] %buffer, %b, %true : !tt.tensordesc<1x64xf16, #shared>, tensor<32xi32, #rows>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, i1
  // CHECK: ttg.async_mapped_store %[[BUFFER]], %[[MAP]][%{{.*}}] rows %[[I]] of %[[P]], [%[[M]], %[[N]]], [%[[S]], %{{.*}}]
  ttng.async_tma_scatter %d[%i, %c] %buffer : !tt.tensordesc<1x64xf16, #shared>, tensor<32xi32, #rows>, i32, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  tt.return
}

}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// expected-error @below {{argument 0, a tensor descriptor, must be followed by 2 extents, i32, and 2 strides, i64}}
tt.func public @without_strides(%d: !tt.tensordesc<64x64xf16, #shared>, %m: i32, %n: i32) {
  tt.return
}

}

// -----

// Barriers of gfx1250 have the operations of dialect ttg; an arrival of each thread stays.
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: tt.func public @barriers_of_threads(
tt.func public @barriers_of_threads(%phase: i32) -> i32 {
  %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
  // CHECK: ttg.init_barrier %{{.*}} {count = 384 : i32, manual}
  // CHECK-NEXT: ttg.local_barrier {stays}
  amdg.init_barrier %bar, 384 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
  // CHECK-NEXT: %[[PRIOR:.*]] = amdg.arrive_barrier %{{.*}}, 2 : !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable> -> i32
  %prior = amdg.arrive_barrier %bar, 2 : !ttg.memdesc<1xi64, #flat, #smem, mutable> -> i32
  // CHECK-NEXT: ttg.arrive_after_copies %{{.*}} {isCounted}
  amdg.async_copy_mbarrier_arrive %bar : !ttg.memdesc<1xi64, #flat, #smem, mutable>
  // CHECK-NEXT: ttg.wait_barrier %{{.*}}, %{{.*}}
  amdg.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #flat, #smem, mutable>
  // CHECK: tt.return %[[PRIOR]]
  tt.return %prior : i32
}
}
