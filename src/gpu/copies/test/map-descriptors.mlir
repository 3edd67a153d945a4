// RUN: triton-opt --tritongpu-map-descriptors --split-input-file --verify-diagnostics %s | FileCheck %s

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #bar, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // One map serves both copies of each descriptor. Alignment is the launch's to check.
  // CHECK-LABEL: tt.func public @copies(
  // CHECK-SAME: %[[A:[^ ]*]]: !tt.tensordesc<tensor<32x64xf16>> {ttg.tensor_map = {base = "arg:0 const:8 const:2 mul add", box = array<i32: 32, 64>, name = "argument 0", nan, shape = ["arg:1", "const:64"], strides = ["arg:2"], swizzle = 128 : i32}}
  // CHECK-NOT: tt.make_tensor_descriptor
  // CHECK: ttg.async_mapped_load %[[A]][
  // CHECK: ttg.async_mapped_store %{{.*}}, %[[A]][
  tt.func public @copies(%x: !tt.ptr<f16>, %m: i32, %stride: i64, %i: i32) {
    %buffer = ttg.local_alloc : () -> !buffer
    %bar = ttg.local_alloc : () -> !barrier
    %n = arith.constant 64 : i32
    %one = arith.constant 1 : i64
    %eight = arith.constant 8 : i32
    %base = tt.addptr %x, %eight : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
    ttg.async_mapped_load %d[%i, %i], %buffer, %bar {byFirst} : !tt.tensordesc<tensor<32x64xf16>> -> !buffer, !barrier
    ttg.async_mapped_store %buffer, %d[%i, %i] of %base, [%m, %n], [%stride, %one] : !buffer -> !tt.tensordesc<tensor<32x64xf16>>, !tt.ptr<f16>
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!buffer = !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @loaded(%x: !tt.ptr<f16>, %p: !tt.ptr<i32>, %stride: i64, %i: i32) {
    %buffer = ttg.local_alloc : () -> !buffer
    %one = arith.constant 1 : i64
    %m = tt.load %p : !tt.ptr<i32>
    // expected-error @below {{the launch cannot make the map of this descriptor: the extents of its array do not follow from arguments of the kernel alone}}
    // expected-note @below {{blocks of other arrays come with `ttgl.load`}}
    %d = tt.make_tensor_descriptor %x, [%m, %m], [%stride, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
    ttg.async_mapped_store %buffer, %d[%i, %i] of %x, [%m, %m], [%stride, %one] : !buffer -> !tt.tensordesc<tensor<32x64xf16>>, !tt.ptr<f16>
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!buffer = !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @chosen(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %m: i32, %stride: i64, %which: i1) {
    %buffer = ttg.local_alloc : () -> !buffer
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%m, %m], [%stride, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
    %e = tt.make_tensor_descriptor %y, [%m, %m], [%stride, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
    %f = arith.select %which, %d, %e : !tt.tensordesc<tensor<32x64xf16>>
    // expected-error @below {{the descriptor of this copy is chosen by the running kernel, but the launch makes its map}}
    ttg.async_mapped_store %buffer, %f[%m, %m] of %x, [%m, %m], [%stride, %one] : !buffer -> !tt.tensordesc<tensor<32x64xf16>>, !tt.ptr<f16>
    tt.return
  }
}
