// RUN: triton-opt --triton-separate-bases --canonicalize --cse --split-input-file %s | FileCheck %s

// CHECK-LABEL: tt.func public @one_sum
// CHECK-SAME: (%[[BASE:.*]]: !tt.ptr<f32>)
tt.func public @one_sum(%base: !tt.ptr<f32>) -> tensor<1024xf32> {
  // CHECK-DAG: %[[RANGE:.*]] = tt.make_range
  // CHECK-DAG: %[[START:.*]] = arith.muli
  // CHECK: %[[MOVED:.*]] = tt.addptr %[[BASE]], %[[START]] : !tt.ptr<f32>, i32
  // CHECK: %[[BASES:.*]] = tt.splat %[[MOVED]]
  // CHECK: %[[P:.*]] = tt.addptr %[[BASES]], %[[RANGE]] : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  // CHECK: tt.load %[[P]]
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c1024 : i32
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %index = arith.addi %starts, %range : tensor<1024xi32>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %bases, %index : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %p : tensor<1024x!tt.ptr<f32>>
  tt.return %x : tensor<1024xf32>
}

// -----

// Offsets of two shapes become one sum, of 64 bits because the source adds them to an address one after the other.
// CHECK-LABEL: tt.func public @two_shapes
tt.func public @two_shapes(%base: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %stride: i32 {tt.nonnegative}, %x: tensor<16x32xf32>) {
  // CHECK-DAG: %[[ROWS:.*]] = arith.extsi %{{.*}} : tensor<16x32xi32> to tensor<16x32xi64>
  // CHECK-DAG: %[[COLUMNS:.*]] = arith.extsi %{{.*}} : tensor<16x32xi32> to tensor<16x32xi64>
  // CHECK: %[[SUM:.*]] = arith.addi %[[ROWS]], %[[COLUMNS]] : tensor<16x32xi64>
  // CHECK: %[[BASES:.*]] = tt.splat %arg0 : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  // CHECK: %[[P:.*]] = tt.addptr %[[BASES]], %[[SUM]]
  // CHECK: tt.store %[[P]]
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s = tt.splat %stride : i32 -> tensor<16x1xi32>
  %rows = arith.muli %re, %s : tensor<16x1xi32>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
  %p = tt.addptr %bases, %rows : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
  %pb = tt.broadcast %p : tensor<16x1x!tt.ptr<f32>> -> tensor<16x32x!tt.ptr<f32>>
  %cb = tt.broadcast %ce : tensor<1x32xi32> -> tensor<16x32xi32>
  %q = tt.addptr %pb, %cb : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  tt.store %q, %x : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// -----

// What may be negative stays with the offsets, as does all of a sum whose rest would be negative.
// CHECK-LABEL: tt.func public @signs
tt.func public @signs(%base: !tt.ptr<f32>, %start: i32) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK-NOT: tt.addptr {{.*}} : !tt.ptr<f32>, i32
  %pid = tt.get_program_id x : i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  %i = arith.addi %starts, %range : tensor<64xi32>
  %p = tt.addptr %bases, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %p : tensor<64x!tt.ptr<f32>>
  %back = arith.constant dense<-1> : tensor<64xi32>
  %before = arith.addi %range, %back : tensor<64xi32>
  %pids = tt.splat %pid : i32 -> tensor<64xi32>
  %j = arith.addi %pids, %before : tensor<64xi32>
  %q = tt.addptr %bases, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %y = tt.load %q : tensor<64x!tt.ptr<f32>>
  tt.return %x, %y : tensor<64xf32>, tensor<64xf32>
}

// -----

// Nothing changes where the sum may be too far from the base.
// CHECK-LABEL: tt.func public @far
tt.func public @far(%base: !tt.ptr<f32>, %stride: i32 {tt.nonnegative}, %x: tensor<16x32xf32>) {
  // CHECK-NOT: arith.extsi
  // CHECK: %[[P:.*]] = tt.broadcast %{{.*}} : tensor<16x1x!tt.ptr<f32>>
  // CHECK: tt.addptr %[[P]]
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s = tt.splat %stride : i32 -> tensor<16x1xi32>
  %rows = arith.muli %re, %s : tensor<16x1xi32>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
  %p = tt.addptr %bases, %rows : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
  %pb = tt.broadcast %p : tensor<16x1x!tt.ptr<f32>> -> tensor<16x32x!tt.ptr<f32>>
  %cb = tt.broadcast %ce : tensor<1x32xi32> -> tensor<16x32xi32>
  %q = tt.addptr %pb, %cb : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  tt.store %q, %x : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
