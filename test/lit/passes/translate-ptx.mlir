// RUN: triton-opt --triton-translate-ptx %s | FileCheck %s

// Text that takes one element of each operand becomes operations on tensors.
// CHECK-LABEL: tt.func @elements
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>)
// CHECK: %[[BITS:.*]] = tt.bitcast %[[X]] : tensor<64xf32> -> tensor<64xi32>
// CHECK: %[[SAME:.*]] = tt.bitcast %[[BITS]] : tensor<64xi32> -> tensor<64xf32>
// CHECK: math.exp2 %[[SAME]] : tensor<64xf32>
// CHECK-NOT: elementwise_inline_asm
tt.func @elements(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.elementwise_inline_asm "ex2.approx.ftz.f32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : tensor<64xf32> -> tensor<64xf32>
  tt.return %y : tensor<64xf32>
}

// A product whose rounding is given is fused with nothing: it is a sum with -0 already.
// CHECK-LABEL: tt.func @rounded
// CHECK: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[ZERO]] : f32
tt.func @rounded(%x: f32, %y: f32) -> f32 {
  %z = tt.elementwise_inline_asm "mul.rn.f32 $0, $1, $2;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %x, %y : f32, f32 -> f32
  tt.return %z : f32
}

// Where elements share a register, scalar code takes as many as the text.
// CHECK-LABEL: tt.func @groups
// CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}> ({
// CHECK-NEXT: ^{{.*}}(%[[LOW:.*]]: f16, %[[HIGH:.*]]: f16):
// CHECK: arith.shli
// CHECK-COUNT-2: arith.addf %{{.*}}, %{{.*}} : f16
// CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : f16, f16
tt.func @groups(%x: tensor<64xf16>) -> tensor<64xf16> {
  %y = tt.elementwise_inline_asm "add.f16x2 $0, $1, $1;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %x : tensor<64xf16> -> tensor<64xf16>
  tt.return %y : tensor<64xf16>
}

// An operand may be the first value of a result.
// CHECK-LABEL: tt.func @tied
// CHECK-SAME: (%[[X:.*]]: i32)
// CHECK: arith.addi %[[X]], %{{.*}} : i32
tt.func @tied(%x: i32) -> i32 {
  %y = tt.elementwise_inline_asm "add.u32 $0, $0, 7;" {constraints = "=r,0", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return %y : i32
}

// CHECK-LABEL: tt.func @barrier
// CHECK: gpu.barrier
// CHECK-NOT: elementwise_inline_asm
tt.func @barrier() {
  %none = tt.elementwise_inline_asm "bar.sync 0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.return
}

// What is not known stays whole: accesses, directed roundings, other assembly, and a text with one such instruction.
// CHECK-LABEL: tt.func @others
// CHECK-NEXT: tt.elementwise_inline_asm "ld.global
// CHECK-NEXT: tt.elementwise_inline_asm "add.rz.f32
// CHECK-NEXT: tt.elementwise_inline_asm "v_add_u32
// CHECK-NEXT: tt.elementwise_inline_asm "add.u32 $0, $1, $1; mov.u32 $0, %laneid;"
// CHECK-NEXT: tt.elementwise_inline_asm "add.u64
// CHECK-NEXT: tt.elementwise_inline_asm ""
// CHECK-NEXT: tt.return
tt.func @others(%p: !tt.ptr<i32>, %f: f32, %i: i32) {
  %a = tt.elementwise_inline_asm "ld.global.b32 $0, [$1];" {constraints = "=r,l", packed_element = 1 : i32, pure = false} %p : !tt.ptr<i32> -> i32
  %b = tt.elementwise_inline_asm "add.rz.f32 $0, $1, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %f : f32 -> f32
  %c = tt.elementwise_inline_asm "v_add_u32 $0, $1, $1" {constraints = "=v,v", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  %d = tt.elementwise_inline_asm "add.u32 $0, $1, $1; mov.u32 $0, %laneid;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  %e = tt.elementwise_inline_asm "add.u64 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  %g = tt.elementwise_inline_asm "" {constraints = "=r,0", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  tt.return
}
