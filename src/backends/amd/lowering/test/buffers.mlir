// RUN: triton-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: triton-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm=buffers=none | FileCheck %s --check-prefix=OFF

// OFF-NOT: buffer

// The mask chooses an offset beyond the resource. What a masked load gives then is zero, so that another fallback is
// selected.
#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: llvm.func amdgpu_kernelcc @masked
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(2147483647 : i64)
// CHECK-DAG: %[[FLAGS:.*]] = llvm.mlir.constant(159744 : i32)
// CHECK-DAG: %[[BEYOND:.*]] = llvm.mlir.constant(-2147483648 : i32)
// CHECK: %[[BASE:.*]] = llvm.getelementptr %arg0[%{{.*}}]
// CHECK: %[[RESOURCE:.*]] = llvm.call_intrinsic "llvm.amdgcn.make.buffer.rsrc"(%[[BASE]], %{{.*}}, %[[BYTES]], %[[FLAGS]])
// CHECK: %[[OFFSET:.*]] = llvm.select %[[MASK:.*]], %{{.*}}, %[[BEYOND]]
// CHECK: %[[LOADED:.*]] = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"(%[[RESOURCE]], %[[OFFSET]], {{.*}}) : (!llvm.ptr<8>, i32, i32, i32) -> vector<4xi32>
// CHECK: %[[VECTOR:.*]] = llvm.bitcast %[[LOADED]] : vector<4xi32> to vector<4xf32>
// CHECK: llvm.select %[[MASK]], %[[VECTOR]], %{{.*}} : i1, vector<4xf32>
// CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.store"(%{{.*}}) : (vector<4xi32>, !llvm.ptr<8>, i32, i32, i32) -> ()
tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c256 = arith.constant 256 : i32
  %one = arith.constant dense<1.0> : tensor<256xf32, #row>
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c256 : i32
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #row>
  %ns = tt.splat %n : i32 -> tensor<256xi32, #row>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32, #row>
  %base = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #row>
  %p = tt.addptr %bases, %i : tensor<256x!tt.ptr<f32>, #row>, tensor<256xi32, #row>
  %v = tt.load %p, %mask, %one : tensor<256x!tt.ptr<f32>, #row>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #row>
  %q = tt.addptr %outs, %i : tensor<256x!tt.ptr<f32>, #row>, tensor<256xi32, #row>
  tt.store %q, %v : tensor<256x!tt.ptr<f32>, #row>
  tt.return
}
}

// -----

// Offsets without a bound need an argument whose memory is small; offsets that may be negative always need pointers.
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: llvm.func amdgpu_kernelcc @proofs
// CHECK-DAG: llvm.mlir.constant(822243328 : i32)
// CHECK-COUNT-1: raw.ptr.buffer.load
// CHECK-NOT: raw.ptr.buffer
// CHECK: llvm.load
// CHECK: llvm.load
// CHECK-NOT: raw.ptr.buffer
tt.func public @proofs(%small: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %any: !tt.ptr<f32>, %stride: i32 {tt.nonnegative}, %step: i32) -> (tensor<32xf32, #row>, tensor<32xf32, #row>, tensor<32xf32, #row>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #row>
  %strides = tt.splat %stride : i32 -> tensor<32xi32, #row>
  %steps = tt.splat %step : i32 -> tensor<32xi32, #row>
  %far = arith.muli %i, %strides : tensor<32xi32, #row>
  %back = arith.muli %i, %steps : tensor<32xi32, #row>
  %smalls = tt.splat %small : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #row>
  %anys = tt.splat %any : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #row>
  %p = tt.addptr %smalls, %far : tensor<32x!tt.ptr<f32>, #row>, tensor<32xi32, #row>
  %x = tt.load %p : tensor<32x!tt.ptr<f32>, #row>
  %q = tt.addptr %anys, %far : tensor<32x!tt.ptr<f32>, #row>, tensor<32xi32, #row>
  %y = tt.load %q : tensor<32x!tt.ptr<f32>, #row>
  %r = tt.addptr %smalls, %back : tensor<32x!tt.ptr<f32>, #row>, tensor<32xi32, #row>
  %z = tt.load %r : tensor<32x!tt.ptr<f32>, #row>
  tt.return %x, %y, %z : tensor<32xf32, #row>, tensor<32xf32, #row>, tensor<32xf32, #row>
}
}
