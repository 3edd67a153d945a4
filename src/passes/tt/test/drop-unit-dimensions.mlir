// RUN: triton-opt --triton-drop-unit-dimensions %s | FileCheck %s

// All users make the same matrix of the block.
// CHECK-LABEL: tt.func @loaded
// CHECK-NOT: tt.reshape
// CHECK: %[[X:.*]] = tt.descriptor_load {{.*}} -> tensor<16x32xf16>
// CHECK: tt.return %[[X]], %[[X]]
tt.func @loaded(%d: !tt.tensordesc<tensor<1x16x32xf16>>, %i: i32) -> (tensor<16x32xf16>, tensor<16x32xf16>) {
  %x = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x16x32xf16>> -> tensor<1x16x32xf16>
  %y = tt.reshape %x : tensor<1x16x32xf16> -> tensor<16x32xf16>
  %z = tt.reshape %x : tensor<1x16x32xf16> -> tensor<16x32xf16>
  tt.return %y, %z : tensor<16x32xf16>, tensor<16x32xf16>
}

// One reshape after another, on both sides.
// CHECK-LABEL: tt.func @helpers
// CHECK-NEXT: %[[X:.*]] = tt.descriptor_load {{.*}} -> tensor<16x32xf16>
// CHECK-NEXT: tt.descriptor_store {{.*}}, %[[X]] : {{.*}}, tensor<16x32xf16>
// CHECK-NEXT: tt.descriptor_reduce add, {{.*}}, %[[X]] : {{.*}}, tensor<16x32xf16>
// CHECK-NEXT: tt.return
tt.func @helpers(%d: !tt.tensordesc<tensor<1x1x16x32xf16>>, %i: i32) {
  %x = tt.descriptor_load %d[%i, %i, %i, %i] : !tt.tensordesc<tensor<1x1x16x32xf16>> -> tensor<1x1x16x32xf16>
  %y = tt.reshape %x : tensor<1x1x16x32xf16> -> tensor<1x16x32xf16>
  %z = tt.reshape %y : tensor<1x16x32xf16> -> tensor<16x32xf16>
  %s = tt.reshape %z : tensor<16x32xf16> -> tensor<1x16x32xf16>
  %t = tt.reshape %s : tensor<1x16x32xf16> -> tensor<1x1x16x32xf16>
  tt.descriptor_store %d[%i, %i, %i, %i], %t : !tt.tensordesc<tensor<1x1x16x32xf16>>, tensor<1x1x16x32xf16>
  tt.descriptor_reduce add, %d[%i, %i, %i, %i], %t : !tt.tensordesc<tensor<1x1x16x32xf16>>, tensor<1x1x16x32xf16>
  tt.return
}

// Another shape than that of the matrix, and two shapes of one block.
// CHECK-LABEL: tt.func @others
// CHECK-COUNT-2: -> tensor<1x16x32xf16>
// CHECK-COUNT-3: tt.reshape
tt.func @others(%d: !tt.tensordesc<tensor<1x16x32xf16>>, %i: i32) -> (tensor<32x16xf16>, tensor<16x32xf16>, tensor<512xf16>) {
  %x = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x16x32xf16>> -> tensor<1x16x32xf16>
  %y = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x16x32xf16>> -> tensor<1x16x32xf16>
  %a = tt.reshape %x : tensor<1x16x32xf16> -> tensor<32x16xf16>
  %b = tt.reshape %y : tensor<1x16x32xf16> -> tensor<16x32xf16>
  %c = tt.reshape %y : tensor<1x16x32xf16> -> tensor<512xf16>
  tt.return %a, %b, %c : tensor<32x16xf16>, tensor<16x32xf16>, tensor<512xf16>
}
