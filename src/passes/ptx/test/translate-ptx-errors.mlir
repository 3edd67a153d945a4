// RUN: triton-opt --triton-translate-ptx --split-input-file --verify-diagnostics %s

tt.func @rounding(%f: f32) {
  // expected-error @+1 {{`add.rz.f32 $0, $1, $1` of `tl.inline_asm_elementwise` has no translation}}
  %b = tt.elementwise_inline_asm "add.rz.f32 $0, $1, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %f : f32 -> f32
  tt.return
}

// -----

tt.func @lane(%i: i32) {
  // expected-error @+1 {{`mov.u32 $0, %laneid` of `tl.inline_asm_elementwise` has no translation}}
  %d = tt.elementwise_inline_asm "add.u32 $0, $1, $1; mov.u32 $0, %laneid;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  tt.return
}

// -----

tt.func @width(%i: i32) {
  // expected-error @+1 {{`add.u64 $0, $1, $1` of `tl.inline_asm_elementwise` has no translation}}
  %e = tt.elementwise_inline_asm "add.u64 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  tt.return
}

// -----

// A loop of tensors.
tt.func @elements(%i: tensor<4xi32>) {
  // expected-error @+1 {{`@p bra again` of `tl.inline_asm_elementwise` has no translation}}
  %e = tt.elementwise_inline_asm "{ .reg .pred p; mov.b32 $0, $1; again: add.u32 $0, $0, 1; setp.lt.u32 p, $0, 9; @p bra again; }" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : tensor<4xi32> -> tensor<4xi32>
  tt.return
}
