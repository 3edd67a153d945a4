// RUN: triton-opt --triton-split-programs="blocks=2 target=cuda:90" --canonicalize --cse --split-input-file %s | FileCheck %s

// Each block has half of the rows of a product, of its first operand and of the result, and all of the second operand.
// CHECK: module attributes {tt.blocks = 2 : i32}
// CHECK-LABEL: tt.func public @product
tt.func public @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %k: i32) {
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i32
  // CHECK-DAG: %[[BLOCK:.*]] = tt.get_block_rank : i32
  // CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[C64]]
  // CHECK-DAG: %[[RANGE:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // CHECK-DAG: %[[FIRSTS:.*]] = tt.splat %[[FIRST]] : i32 -> tensor<64xi32>
  // CHECK: %[[ROWS:.*]] = arith.addi %[[RANGE]], %[[FIRSTS]]
  // CHECK: tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // CHECK: scf.for {{.*}} -> (tensor<64x128xf32>)
  // CHECK: tt.dot {{.*}} : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
  // CHECK: tt.store {{.*}} : tensor<64x128x!tt.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // Rows and columns begin as one value, and the same value is there for the depth.
  %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %depth = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %across = tt.expand_dims %depth {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %down = tt.expand_dims %depth {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ra = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x32xi32>
  %ka = tt.broadcast %across : tensor<1x32xi32> -> tensor<128x32xi32>
  %oa = arith.addi %ra, %ka : tensor<128x32xi32>
  %kb = tt.broadcast %down : tensor<32x1xi32> -> tensor<32x128xi32>
  %nb = tt.broadcast %columns : tensor<1x128xi32> -> tensor<32x128xi32>
  %ob = arith.addi %kb, %nb : tensor<32x128xi32>
  %sa = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %pa = tt.addptr %sa, %oa : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
  %sb = tt.splat %b : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>>
  %pb = tt.addptr %sb, %ob : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %x = tt.load %pa : tensor<128x32x!tt.ptr<f16>>
    %y = tt.load %pb : tensor<32x128x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %acc : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %rc = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x128xi32>
  %nc = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %oc = arith.addi %rc, %nc : tensor<128x128xi32>
  %sc = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %pc = tt.addptr %sc, %oc : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %pc, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// -----

// Blocks of descriptors that all need are marked. One block stores what all have, and prints.
// CHECK-LABEL: tt.func public @descriptors
tt.func public @descriptors(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %z: !tt.ptr<f32>, %flag: !tt.ptr<i32>, %n: i32, %s: i64) {
  // CHECK: %[[BLOCK:.*]] = tt.get_block_rank
  // CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[BLOCK]]
  // CHECK: tt.make_tensor_descriptor {{.*}} <tensor<64x64xf16>>
  // CHECK: tt.make_tensor_descriptor {{.*}} <tensor<64x64xf16>>
  // CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]]
  // CHECK: %[[ROW:.*]] = arith.addi %arg4, %[[FIRST]]
  // CHECK: tt.descriptor_load %{{.*}}[%[[ROW]], %{{.*}}] : {{.*}} -> tensor<64x64xf16>
  // CHECK: tt.descriptor_load %{{.*}}[%arg4, %{{.*}}] {tt.all_blocks} : {{.*}} -> tensor<64x64xf16>
  // CHECK: tt.descriptor_store %{{.*}}[%[[ROW]], %{{.*}}]
  // CHECK: scf.if %[[IS_FIRST]] {
  // CHECK-NEXT: tt.store %arg3
  // CHECK-NEXT: }
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %dx = tt.make_tensor_descriptor %x, [%n, %n], [%s, %one] : <f16>, <tensor<128x64xf16>>
  %dy = tt.make_tensor_descriptor %y, [%n, %n], [%s, %one] : <f16>, <tensor<64x64xf16>>
  %dz = tt.make_tensor_descriptor %z, [%n, %n], [%s, %one] : <f32>, <tensor<128x64xf32>>
  %a = tt.descriptor_load %dx[%n, %c0] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
  %b = tt.descriptor_load %dy[%n, %c0] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot %a, %b, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
  tt.descriptor_store %dz[%n, %c0], %d : !tt.tensordesc<tensor<128x64xf32>>, tensor<128x64xf32>
  tt.store %flag, %n : !tt.ptr<i32>
  tt.return
}

// -----

// A hint about runs that are longer than a part does not hold for the part.
// CHECK-LABEL: tt.func public @hints
tt.func public @hints(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %i: tensor<4xi32>) {
  // CHECK: arith.addi {{.*}} {tt.contiguity = dense<32> : tensor<1xi32>} : tensor<64xi32>
  // CHECK-NOT: tt.divisibility
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %c = arith.constant dense<5> : tensor<128xi32>
  %s = arith.addi %r, %c {tt.contiguity = dense<32> : tensor<1xi32>, tt.divisibility = dense<128> : tensor<1xi32>} : tensor<128xi32>
  %px = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %qx = tt.addptr %px, %s : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %qx : tensor<128x!tt.ptr<f32>>
  %py = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %qy = tt.addptr %py, %s : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %qy, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// A reduction needs all elements.
// CHECK-NOT: tt.blocks
// CHECK-LABEL: tt.func public @sum
tt.func public @sum(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  // CHECK: tt.make_range {end = 128 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %px = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %qx = tt.addptr %px, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %qx : tensor<128x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<128xf32>) -> f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.return
}

// -----

// What the kernel reads may be what another block has stored.
// CHECK-NOT: tt.blocks
// CHECK-LABEL: tt.func public @in_place
tt.func public @in_place(%x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %px = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %qx = tt.addptr %px, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %qx : tensor<128x!tt.ptr<f32>>
  tt.store %qx, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}
