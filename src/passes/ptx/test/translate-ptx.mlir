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

// Where they access memory, each place in the groups becomes a tensor.
// CHECK-LABEL: tt.func @groups_in_memory
// CHECK: %[[P:.*]] = tt.reshape %{{.*}} : tensor<8x8xi64> -> tensor<32x2xi64>
// CHECK: %[[EVEN:.*]], %[[ODD:.*]] = tt.split %[[P]] : tensor<32x2xi64> -> tensor<32xi64>
// CHECK: %[[Q:.*]] = tt.int_to_ptr %[[EVEN]]
// CHECK: %[[A:.*]] = tt.load %[[Q]] : tensor<32x!tt.ptr<i32>>
// CHECK: %[[R:.*]] = tt.int_to_ptr %[[ODD]]
// CHECK: %[[B:.*]] = tt.load %[[R]] : tensor<32x!tt.ptr<i32>>
// CHECK: %[[J:.*]] = tt.join %{{.*}}, %{{.*}} : tensor<32xi32> -> tensor<32x2xi32>
// CHECK: tt.reshape %[[J]] : tensor<32x2xi32> -> tensor<8x8xi32>
tt.func @groups_in_memory(%p: tensor<8x8x!tt.ptr<i32>>) -> tensor<8x8xi32> {
  %y = tt.elementwise_inline_asm "ld.global.b32 $0, [$2]; ld.global.b32 $1, [$3];" {constraints = "=r,=r,l,l", packed_element = 2 : i32, pure = false} %p : tensor<8x8x!tt.ptr<i32>> -> tensor<8x8xi32>
  tt.return %y : tensor<8x8xi32>
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

// An access is atomic if it says in which order; elements under a false guard are not accessed.
// CHECK-LABEL: tt.func @accesses
// CHECK-SAME: (%[[P:.*]]: tensor<64x!tt.ptr<i32>>, %[[M:.*]]: tensor<64xi32>)
// CHECK: tt.ptr_to_int %[[P]]
// CHECK: %[[GO:.*]] = arith.cmpi eq, %[[M]]
// CHECK: %[[STOP:.*]] = arith.xori
// CHECK: %[[ACTIVE:.*]] = arith.xori
// CHECK-COUNT-2: tt.atomic_load acquire, gpu, %{{.*}}, %[[ACTIVE]] : (tensor<64x!tt.ptr<i32>>, tensor<64xi1>) -> tensor<64xi32>
// CHECK: tt.store %{{.*}}, %{{.*}}, %[[ACTIVE]] : tensor<64x!tt.ptr<i32>>
// CHECK-NOT: elementwise_inline_asm
tt.func @accesses(%p: tensor<64x!tt.ptr<i32>>, %m: tensor<64xi32>) -> tensor<64xi32> {
  %x = tt.elementwise_inline_asm "{ .reg .pred go; .reg .b32 t; setp.eq.s32 go, $2, 1; @!go bra end; ld.acquire.gpu.global.v2.b32 {$0, t}, [$1+8]; st.global.b32 [$1], t; end: }" {constraints = "=r,l,r", packed_element = 1 : i32, pure = false} %p, %m : tensor<64x!tt.ptr<i32>>, tensor<64xi32> -> tensor<64xi32>
  tt.return %x : tensor<64xi32>
}

// CHECK-LABEL: tt.func @spin
// CHECK: scf.while
// CHECK: tt.atomic_cas acquire, sys, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32) -> i32
// CHECK: scf.condition
// CHECK-NOT: elementwise_inline_asm
tt.func @spin(%p: !tt.ptr<i32>) {
  %x = tt.elementwise_inline_asm "{ .reg .u32 %t<1>; .reg .pred %p<1>; again: atom.global.sys.acquire.cas.b32 %t0, [$1], 1, 0; setp.eq.u32 %p0, %t0, 1; @!%p0 bra again; }" {constraints = "=r, l", packed_element = 1 : i32, pure = false} %p : !tt.ptr<i32> -> i32
  tt.return
}

// CHECK-LABEL: tt.func @fences
// CHECK: llvm.fence acq_rel
// CHECK: llvm.fence syncscope("gpu") seq_cst
// CHECK-NOT: elementwise_inline_asm
tt.func @fences() {
  %x = tt.elementwise_inline_asm "fence.acq_rel.sys; membar.gl;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.return
}

// Other assembly stays whole.
// CHECK-LABEL: tt.func @others
// CHECK-NEXT: tt.elementwise_inline_asm "v_add_u32
// CHECK-NEXT: tt.elementwise_inline_asm ""
// CHECK-NEXT: tt.return
tt.func @others(%i: i32) {
  %c = tt.elementwise_inline_asm "v_add_u32 $0, $1, $1" {constraints = "=v,v", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  %g = tt.elementwise_inline_asm "" {constraints = "=r,0", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  tt.return
}
