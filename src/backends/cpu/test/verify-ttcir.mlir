// RUN: triton-opt %s --cpu-verify-ttcir --split-input-file --verify-diagnostics

// Scalars, native vectors and pointers are what the stage ttcir promises.
func.func @loops(%p: !llvm.ptr, %n: i64) {
  %zero = arith.constant 0 : i64
  %step = arith.constant 16 : i64
  scf.for %i = %zero to %n step %step : i64 {
    %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
    llvm.store %v, %p : vector<16xf32>, !llvm.ptr
  }
  return
}

// -----

func.func @tensor(%x: f32) {
  // expected-error @+1 {{not supported on cpu yet: `tl.broadcast_to`}}
  %t = tt.splat %x : f32 -> tensor<16xf32>
  return
}

// -----

func.func @wide(%x: f32) {
  // expected-error @+1 {{`vector.broadcast` still makes a value of type 'vector<4096xf32>'}}
  %t = vector.broadcast %x : f32 to vector<4096xf32>
  return
}

// -----

func.func @deep(%x: f32) {
  // expected-error @+1 {{only scalars and native one-dimensional vectors are left}}
  %t = vector.broadcast %x : f32 to vector<4x4xf32>
  return
}
