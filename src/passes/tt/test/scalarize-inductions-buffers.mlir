// RUN: triton-opt --triton-scalarize-inductions=only-buffers --canonicalize %s | FileCheck %s

// Only pointers of which a scalar base and small offsets are known become scalars.

// CHECK-LABEL: tt.func public @kinds
// CHECK: scf.for {{.*}} -> (tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>, tensor<64xi32>, i64, i64)
tt.func public @kinds(%small: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %any: !tt.ptr<f32>, %n: i32, %count: i32 {tt.nonnegative}, %step: i32) -> (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<64xf32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %counts = tt.splat %count : i32 -> tensor<64xi32>
  %steps = tt.splat %step : i32 -> tensor<64xi32>
  %far = arith.muli %i, %counts : tensor<64xi32>
  %smalls = tt.splat %small : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %anys = tt.splat %any : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p0 = tt.addptr %smalls, %far : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q0 = tt.addptr %anys, %far : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r0 = tt.addptr %anys, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // The steps of the first may be negative, the offsets of the second large, and the third is no pointer.
  %r:5 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %p0, %b = %q0, %c = %i, %d = %p0, %e = %r0) -> (tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>, tensor<64xi32>, tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %a, %x : tensor<64x!tt.ptr<f32>>
    tt.store %b, %x : tensor<64x!tt.ptr<f32>>
    tt.store %d, %x : tensor<64x!tt.ptr<f32>>
    tt.store %e, %x : tensor<64x!tt.ptr<f32>>
    %a1 = tt.addptr %a, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %b1 = tt.addptr %b, %counts : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %c2 = arith.addi %c, %counts : tensor<64xi32>
    %d1 = tt.addptr %d, %counts : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %e1 = tt.addptr %e, %counts : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %a1, %b1, %c2, %d1, %e1 : tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>, tensor<64xi32>, tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>
  }
  tt.return %r#0, %r#2 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
}
