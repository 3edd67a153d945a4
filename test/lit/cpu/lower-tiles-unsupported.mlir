// RUN: triton-opt --triton-cpu-lower-tiles --split-input-file --verify-diagnostics %s

// What the backend does not support is reported in the user's words.
tt.func public @inline_assembly(%x: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  // expected-error @+1 {{not supported on cpu yet: `tl.inline_asm_elementwise`}}
  %r = tt.elementwise_inline_asm "nop" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : tensor<16xi32> -> tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %xp, %r : tensor<16x!tt.ptr<i32>>
  tt.return
}
