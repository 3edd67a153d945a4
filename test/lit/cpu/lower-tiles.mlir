// RUN: triton-opt --triton-cpu-lower-tiles="arch=znver4" %s | FileCheck %s
// RUN: triton-opt --triton-cpu-lower-tiles="arch=haswell" %s | FileCheck %s --check-prefix=NARROW

// Programs run in a loop; in it, full native vectors run without masks up to the last one, which is masked.

// CHECK-LABEL: llvm.func @add(
// CHECK: scf.for
// CHECK: %[[FULL:.*]] = arith.andi %{{.*}}, %c-16_i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[FULL]] step %c16_i64
// CHECK-NOT: masked
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK: scf.for %{{.*}} = %[[FULL]] to
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: tensor<
// CHECK-NOT: vector<1024
// NARROW: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
tt.func public @add(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %i = arith.addi %starts, %range : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp, %mask : tensor<1024x!tt.ptr<f32>>
  %b = arith.addf %a, %a : tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %b, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}
