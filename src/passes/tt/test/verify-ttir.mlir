// RUN: triton-opt --triton-verify-ttir --split-input-file --verify-diagnostics %s

tt.func @fine(%x: f32) -> f32 {
  %y = math.exp %x : f32
  %c = arith.cmpf ogt, %x, %y : f32
  llvm.intr.assume %c : i1
  gpu.barrier
  tt.return %y : f32
}

// -----

tt.func @other_dialect(%x: vector<4xf32>) {
  // expected-error @below {{`vector.extract` is left after the stage ttir, which ends with the dialects arith, builtin, cf, math, scf, tt, ub}}
  %y = vector.extract %x[0] : f32 from vector<4xf32>
  tt.return
}

// -----

// expected-error @below {{a block pointer is left after the stage ttir}}
module {
  tt.func @block_pointer(%p: !tt.ptr<tensor<64xf32>>) {
    tt.return
  }
}

// -----

tt.func private @kept(%x: f32) attributes {noinline = true} {
  tt.return
}
tt.func private @small(%x: f32) {
  tt.return
}
tt.func @calls(%x: f32) {
  tt.call @kept(%x) : (f32) -> ()
  // expected-error @below {{a call of `small` is left after the stage ttir, which inlines it}}
  tt.call @small(%x) : (f32) -> ()
  tt.return
}
