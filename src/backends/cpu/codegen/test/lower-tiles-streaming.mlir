// RUN: triton-opt --triton-cpu-lower-tiles=arch=znver4 --cse %s | FileCheck %s
// RUN: triton-opt --triton-cpu-lower-tiles=arch=neoverse-v2 --cse %s | FileCheck %s --check-prefix=ARM

// Where the programs of a launch write more than the last level of the cache holds, stores to aligned memory pass by it.
// 32 MiB are 8192 programs of 4 KiB.

// CHECK-LABEL: llvm.func @fill
// CHECK: %[[LEAST:.*]] = arith.constant 8192 : i64
// CHECK: arith.cmpi ugt, %{{.*}}, %[[LEAST]] : i64
// CHECK: llvm.ptrtoint
// CHECK: scf.for
// CHECK: scf.if %[[STREAMS:.*]] {
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK: } else {
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK: scf.if %[[STREAMS]] {
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"
// ARM-LABEL: llvm.func @fill
// ARM-NOT: nontemporal
tt.func public @fill(%out: !tt.ptr<f32>, %value: f32) {
  %size = arith.constant 1024 : i32
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<1024xi32>
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %places = arith.addi %firsts, %i : tensor<1024xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %pointers = tt.addptr %outs, %places : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %values = tt.splat %value : f32 -> tensor<1024xf32>
  tt.store %pointers, %values : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Every other element is not a whole vector.
// CHECK-LABEL: llvm.func @spread
// CHECK-NOT: nontemporal
tt.func public @spread(%out: !tt.ptr<f32>, %value: f32) {
  %two = arith.constant dense<2> : tensor<1024xi32>
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %places = arith.muli %i, %two : tensor<1024xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %pointers = tt.addptr %outs, %places : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %values = tt.splat %value : f32 -> tensor<1024xf32>
  tt.store %pointers, %values : tensor<1024x!tt.ptr<f32>>
  tt.return
}
