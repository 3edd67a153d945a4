// RUN: triton-opt --triton-cpu-lower-tiles=arch=znver4 --cse %s | FileCheck %s

// The block of A that the next iteration loads is as far away as this one is from that of the iteration before. In the
// last iteration, this block takes its place. Each of the 2 x 1 register tiles, of 8 x 32 elements, prefetches its rows.

// CHECK-LABEL: llvm.func @short_rows
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[HERE:.*]] = llvm.ptrtoint
// CHECK: %[[BEFORE:.*]] = llvm.load
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BEFORE]]
// CHECK: %[[KNOWN:.*]] = llvm.load
// CHECK: %[[MEASURED:.*]] = arith.subi %[[HERE]], %[[BEFORE]]
// CHECK: %[[DISTANCE:.*]] = arith.select %[[FIRST]], %[[KNOWN]], %[[MEASURED]]
// CHECK: llvm.store %[[HERE]]
// CHECK: llvm.store %[[DISTANCE]]
// CHECK: %[[OFFSET:.*]] = arith.select %{{.*}}, %{{.*}}, %[[DISTANCE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[HERE]], %[[OFFSET]]
// CHECK: llvm.inttoptr %[[NEXT]]
// CHECK-COUNT-8: "llvm.intr.prefetch"
// CHECK-NOT: "llvm.intr.prefetch"
// CHECK: math.fma
tt.func public @short_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32, %stride: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %inner = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<16x1xi32>
  %starts = arith.muli %rows, %strides : tensor<16x1xi32>
  %a0 = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %a1 = tt.broadcast %inner : tensor<1x16xi32> -> tensor<16x16xi32>
  %ao = arith.addi %a0, %a1 : tensor<16x16xi32>
  %b0 = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x32xi32>
  %b1 = tt.broadcast %columns : tensor<1x32xi32> -> tensor<16x32xi32>
  %bo = arith.addi %b0, %b1 : tensor<16x32xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %bo : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (tensor<16x32xf32>) : i32 {
    %xk = tt.addptr %x, %k : !tt.ptr<f32>, i32
    %xs = tt.splat %xk : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %ao : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %a = tt.load %xp : tensor<16x16x!tt.ptr<f32>>
    %b = tt.load %yp : tensor<16x32x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %t : tensor<16x16xf32> * tensor<16x32xf32> -> tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %bo : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  tt.store %op, %sum : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// Prefetchers of the processor recognize rows of 512 bytes.
// CHECK-LABEL: llvm.func @long_rows
// CHECK-NOT: "llvm.intr.prefetch"
tt.func public @long_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32, %stride: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %deep = tt.expand_dims %j {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %strides = tt.splat %stride : i32 -> tensor<16x1xi32>
  %starts = arith.muli %rows, %strides : tensor<16x1xi32>
  %a0 = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x128xi32>
  %a1 = tt.broadcast %columns : tensor<1x128xi32> -> tensor<16x128xi32>
  %ao = arith.addi %a0, %a1 : tensor<16x128xi32>
  %b0 = tt.broadcast %deep : tensor<128x1xi32> -> tensor<128x128xi32>
  %b1 = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %bo = arith.addi %b0, %b1 : tensor<128x128xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %bo : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (tensor<16x128xf32>) : i32 {
    %xk = tt.addptr %x, %k : !tt.ptr<f32>, i32
    %xs = tt.splat %xk : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %ao : tensor<16x128x!tt.ptr<f32>>, tensor<16x128xi32>
    %a = tt.load %xp : tensor<16x128x!tt.ptr<f32>>
    %b = tt.load %yp : tensor<128x128x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %t : tensor<16x128xf32> * tensor<128x128xf32> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>>
  %op = tt.addptr %os, %ao : tensor<16x128x!tt.ptr<f32>>, tensor<16x128xi32>
  tt.store %op, %sum : tensor<16x128x!tt.ptr<f32>>
  tt.return
}
