// RUN: triton-opt --triton-ttir %s | FileCheck %s

// A matrix product with carried pointers. The loop carries scalars, the sum is the accumulator of the product, and the
// addresses of an iteration are a scalar base plus what is the same in all of them.

// CHECK-LABEL: tt.func public @matmul
// CHECK: %[[ROWS:.*]] = arith.muli %{{.*}}, %{{.*}} : tensor<64x1xi32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<64x64xf32>, i64, i64)
// CHECK: %[[BASE:.*]] = tt.addptr %arg0, %[[A]] : !tt.ptr<f32>, i64
// CHECK: %[[BASES:.*]] = tt.splat %[[BASE]] : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
// CHECK: tt.addptr %[[BASES]], %[[ROWS]] : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
// CHECK: %[[PRODUCT:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[ACC]], inputPrecision = tf32
// CHECK-NOT: arith.addf
// CHECK: scf.yield %[[PRODUCT]], %{{.*}}, %{{.*}} : tensor<64x64xf32>, i64, i64
tt.func public @matmul(%a_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b_ptr: !tt.ptr<f32>, %c_ptr: !tt.ptr<f32>, %m: i32, %n: i32, %k: i32, %stride_am: i32, %stride_bk: i32, %stride_cm: i32) {
  %acc0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %zf = arith.constant dense<0.0> : tensor<64x32xf32>
  %zf2 = arith.constant dense<0.0> : tensor<32x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %k32 = arith.constant dense<32> : tensor<64x32xi32>
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c64 : i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %start : i32 -> tensor<64xi32>
  %offs_m = arith.addi %s, %r : tensor<64xi32>
  %rk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %em = tt.expand_dims %offs_m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %sam = tt.splat %stride_am : i32 -> tensor<64x1xi32>
  %am = arith.muli %em, %sam : tensor<64x1xi32>
  %ek = tt.expand_dims %rk {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %abase = tt.splat %a_ptr : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %a1 = tt.addptr %abase, %am : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %a2 = tt.broadcast %a1 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
  %a3 = tt.broadcast %ek : tensor<1x32xi32> -> tensor<64x32xi32>
  %a_ptrs = tt.addptr %a2, %a3 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %ek2 = tt.expand_dims %rk {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %sbk = tt.splat %stride_bk : i32 -> tensor<32x1xi32>
  %bk = arith.muli %ek2, %sbk : tensor<32x1xi32>
  %bbase = tt.splat %b_ptr : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
  %b1 = tt.addptr %bbase, %bk : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
  %b2 = tt.broadcast %b1 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
  %en = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bn = tt.broadcast %en : tensor<1x64xi32> -> tensor<32x64xi32>
  %b_ptrs = tt.addptr %b2, %bn : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %stepb = arith.muli %stride_bk, %c32 : i32
  %res:3 = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %acc0, %ap = %a_ptrs, %bp = %b_ptrs) -> (tensor<64x64xf32>, tensor<64x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>) : i32 {
    %a = tt.load %ap : tensor<64x32x!tt.ptr<f32>>
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc0, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %d2 = arith.addf %acc, %d : tensor<64x64xf32>
    %an = tt.addptr %ap, %k32 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %sb = tt.splat %stepb : i32 -> tensor<32x64xi32>
    %bnx = tt.addptr %bp, %sb : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    scf.yield %d2, %an, %bnx : tensor<64x64xf32>, tensor<64x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>
  }
  %cb = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %cs = tt.splat %stride_cm : i32 -> tensor<64x1xi32>
  %cm = arith.muli %em, %cs : tensor<64x1xi32>
  %cp = tt.addptr %cb, %cm : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %cpb = tt.broadcast %cp : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %cn = tt.broadcast %en : tensor<1x64xi32> -> tensor<64x64xi32>
  %c_ptrs = tt.addptr %cpb, %cn : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %c_ptrs, %res#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
