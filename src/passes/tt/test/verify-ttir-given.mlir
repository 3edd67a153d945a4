// RUN: triton-opt --triton-verify-ttir=is-given=true --split-input-file --verify-diagnostics %s

tt.func @fine(%p: !tt.ptr<tensor<64xf32>>, %x: f64) -> f64 {
  %y = math.exp %x : f64
  gpu.barrier
  tt.return %y : f64
}

// -----

tt.func @other_dialect() {
  // expected-error @below {{`llvm.mlir.constant` does not belong in TTIR, which consists of the dialects arith, builtin, cf, math, scf, tt, ub; write it with operations of these}}
  %0 = llvm.mlir.constant(1 : i32) : i32
  tt.return
}

// -----

tt.func @foreign_float(%x: f32) {
  // expected-error @below {{kernels have no values of type 'f128'; the widest type of floats is `f64`, convert to this}}
  %0 = arith.extf %x : f32 to f128
  tt.return
}

// -----

tt.func @calls_itself(%p: !tt.ptr<i32>) {
  // expected-error @below {{a function calls itself here, also through others, which kernels cannot; write a loop}}
  tt.call @calls_itself(%p) : (!tt.ptr<i32>) -> ()
  tt.return
}
