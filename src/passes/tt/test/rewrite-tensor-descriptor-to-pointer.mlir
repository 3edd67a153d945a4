// RUN: triton-opt --triton-rewrite-tensor-descriptor-to-pointer --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Every dimension is masked; what is outside is the padding.
// CHECK-LABEL: tt.func @load_store
// CHECK-SAME: (%[[BASE:.*]]: !tt.ptr<f16>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[STRIDE:.*]]: i64, %[[I:.*]]: i32)
tt.func @load_store(%base: !tt.ptr<f16>, %m: i32, %n: i32, %stride: i64, %i: i32) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
  // CHECK-DAG: arith.extsi %[[M]] : i32 to i64
  // CHECK-DAG: arith.extsi %[[N]] : i32 to i64
  // CHECK-COUNT-2: arith.cmpi sge
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<64x32xi1>
  // CHECK: %[[X:.*]] = tt.load %[[P:.*]], %[[MASK]], %[[ZERO]] : tensor<64x32x!tt.ptr<f16>>
  // CHECK: tt.store %[[P]], %[[X]], %[[MASK]] : tensor<64x32x!tt.ptr<f16>>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] : <f16>, <tensor<64x32xf16>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

// -----

// The result may lack leading dimensions of extent 1: there the block lies at one coordinate, which is checked once.
// CHECK-LABEL: tt.func @nan_padding_and_fewer_dimensions
// CHECK-SAME: , %[[M:[a-z0-9]+]]: i32
tt.func @nan_padding_and_fewer_dimensions(%base: !tt.ptr<f32>, %m: i32, %stride: i64) -> tensor<32xf32> {
  // CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<32xf32>
  // CHECK: %[[ROW:.*]] = arith.extsi %[[M]] : i32 to i64
  // CHECK: %[[NOT_BEFORE:.*]] = arith.cmpi sge, %[[ROW]]
  // CHECK: arith.cmpi slt, %[[ROW]]
  // CHECK: tt.splat %{{.*}} : i1 -> tensor<32xi1>
  // CHECK: %[[X:.*]] = tt.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<32x!tt.ptr<f32>>
  // CHECK: tt.return %[[X]]
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %m], [%stride, %one] {padding = 2 : i32} : <f32>, <tensor<1x32xf32>>
  %x = tt.descriptor_load %d[%m, %m] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  tt.return %x : tensor<32xf32>
}

// -----

// The bits are rounded as an integer, halves to even; a NaN stays.
// CHECK-LABEL: tt.func @rounding
tt.func @rounding(%base: !tt.ptr<f32>, %m: i32) -> tensor<32xf32> {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<32xi32>
  // CHECK-DAG: %[[DROPPED:.*]] = arith.constant dense<13> : tensor<32xi32>
  // CHECK-DAG: %[[HALF:.*]] = arith.constant dense<4095> : tensor<32xi32>
  // CHECK-DAG: %[[KEPT:.*]] = arith.constant dense<-8192> : tensor<32xi32>
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: %[[BITS:.*]] = tt.bitcast %[[X]]
  // CHECK: %[[SHIFTED:.*]] = arith.shrui %[[BITS]], %[[DROPPED]]
  // CHECK: %[[ODD:.*]] = arith.andi %[[SHIFTED]], %[[ONE]]
  // CHECK: %[[ADDED:.*]] = arith.addi %[[ODD]], %[[HALF]]
  // CHECK: %[[ROUNDED:.*]] = arith.addi %[[BITS]], %[[ADDED]]
  // CHECK: %[[MASKED:.*]] = arith.andi %[[ROUNDED]], %[[KEPT]]
  // CHECK: %[[FLOATS:.*]] = tt.bitcast %[[MASKED]]
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
  // CHECK: arith.select %[[NAN]], %[[X]], %[[FLOATS]]
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m], [%one] {roundToTF32} : <f32>, <tensor<32xf32>>
  %x = tt.descriptor_load %d[%m] : !tt.tensordesc<tensor<32xf32>> -> tensor<32xf32>
  tt.return %x : tensor<32xf32>
}

// -----

// A descriptor that the kernel receives arrives as its parts.
// CHECK-LABEL: tt.func public @parameter
// CHECK-SAME: (%[[BASE:.*]]: !tt.ptr<i32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i1, %{{.*}}: i1, %{{.*}}: i32,
tt.func public @parameter(%d: !tt.tensordesc<tensor<8x32xui32>>, %i: i32, %x: tensor<8x32xi32>) {
  // CHECK: tt.atomic_rmw umax, relaxed, gpu,
  // CHECK: tt.atomic_rmw add, relaxed, gpu,
  tt.descriptor_reduce max, %d[%i, %i], %x : !tt.tensordesc<tensor<8x32xui32>>, tensor<8x32xi32>
  tt.descriptor_reduce add, %d[%i, %i], %x : !tt.tensordesc<tensor<8x32xui32>>, tensor<8x32xi32>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @narrow_floats
tt.func @narrow_floats(%d: !tt.tensordesc<tensor<32xf16>>, %e: !tt.tensordesc<tensor<32xbf16>>, %i: i32,
                       %x: tensor<32xf16>, %y: tensor<32xbf16>) {
  // CHECK: tt.atomic_rmw min, relaxed, gpu, {{.*}}xf16>
  // CHECK: tt.atomic_rmw max, relaxed, gpu, {{.*}}xbf16>
  tt.descriptor_reduce min, %d[%i], %x : !tt.tensordesc<tensor<32xf16>>, tensor<32xf16>
  tt.descriptor_reduce max, %e[%i], %y : !tt.tensordesc<tensor<32xbf16>>, tensor<32xbf16>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @rows
// CHECK-SAME: %[[ROWS:[^:]*]]: tensor<8xi32>
tt.func @rows(%d: !tt.tensordesc<tensor<1x32xf16>>, %rows: tensor<8xi32>, %column: i32) {
  // CHECK: arith.extsi %[[ROWS]] : tensor<8xi32> to tensor<8xi64>
  // CHECK: %[[X:.*]] = tt.load %[[P:.*]], %[[MASK:.*]], %{{.*}} : tensor<8x32x!tt.ptr<f16>>
  // CHECK: tt.store %[[P]], %[[X]], %[[MASK]]
  %x = tt.descriptor_gather %d[%rows, %column] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
  tt.descriptor_scatter %d[%rows, %column], %x : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<8x32xf16>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @loop
tt.func @loop(%base: !tt.ptr<f32>, %m: i32, %n: i32) -> tensor<32xf32> {
  // CHECK: scf.for {{.*}} -> (tensor<32xf32>)
  // CHECK-NOT: tensordesc
  // CHECK: tt.return
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %d = tt.make_tensor_descriptor %base, [%m], [%one] : <f32>, <tensor<32xf32>>
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%sum = %zero, %e = %d) -> (tensor<32xf32>, !tt.tensordesc<tensor<32xf32>>) : i32 {
    %x = tt.descriptor_load %e[%i] : !tt.tensordesc<tensor<32xf32>> -> tensor<32xf32>
    %s = arith.addf %sum, %x : tensor<32xf32>
    scf.yield %s, %e : tensor<32xf32>, !tt.tensordesc<tensor<32xf32>>
  }
  tt.return %r#0 : tensor<32xf32>
}

// -----

tt.func @unsupported(%d: !tt.tensordesc<tensor<32xf32>>, %i: i32, %x: tensor<32xf32>) {
  // expected-error @below {{not supported on targets without descriptors in hardware: `atomic_min` of a tensor descriptor of 'f32' elements}}
  // expected-error @below {{failed to legalize operation 'tt.descriptor_reduce'}}
  tt.descriptor_reduce min, %d[%i], %x : !tt.tensordesc<tensor<32xf32>>, tensor<32xf32>
  tt.return
}
