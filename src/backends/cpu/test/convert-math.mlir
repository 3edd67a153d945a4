// RUN: triton-opt %s --cpu-convert-math=arch=znver4 | FileCheck %s
// RUN: triton-opt %s --cpu-convert-math=arch=x86-64-v2 | FileCheck %s --check-prefix=V2
// RUN: triton-opt %s --cpu-convert-math=arch=neoverse-v2 | FileCheck %s --check-prefix=ARM

// A native vector is one call of libmvec.
// CHECK-DAG: llvm.func @_ZGVeN16v_tanhf(vector<16xf32>) -> vector<16xf32> attributes {{.*}}no_unwind
// CHECK-LABEL: @native(
// CHECK: llvm.call @_ZGVeN16v_tanhf
// CHECK-NOT: math.tanh
// V2-LABEL: @native(
// V2-COUNT-4: llvm.call @_ZGVbN4v_tanhf
// Nothing is known of the libmvec of other architectures.
// ARM-LABEL: @native(
// ARM-COUNT-16: llvm.call @tanhf(
func.func @native(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.tanh %x : vector<16xf32>
  return %y : vector<16xf32>
}

// erf of a native vector looks up the coefficients of 16 polynomials.
// CHECK-LABEL: @error_function(
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK-NOT: call @
// CHECK: return
// V2-LABEL: @error_function(
// V2-COUNT-4: llvm.call @_ZGVbN4v_erff
func.func @error_function(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.erf %x : vector<16xf32>
  return %y : vector<16xf32>
}

// A short vector is filled up to the smallest form of the function.
// CHECK-LABEL: @short(
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 0, 1]
// CHECK: llvm.call @_ZGVbN4v_logf
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1]
func.func @short(%x: vector<2xf32>) -> vector<2xf32> {
  %y = math.log %x : vector<2xf32>
  return %y : vector<2xf32>
}

// exp is inline, and calls nothing.
// CHECK-LABEL: @inline(
// CHECK-NOT: call @
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NOT: math.exp
// CHECK: return
func.func @inline(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Scalars call libm; fmod has no vector form.
// CHECK-LABEL: @scalar(
// CHECK: llvm.call @tanh({{.*}}) : (f64) -> f64
// CHECK-COUNT-2: llvm.call @fmodf
func.func @scalar(%x: f64, %v: vector<2xf32>) -> (f64, vector<2xf32>) {
  %y = math.tanh %x : f64
  %r = arith.remf %v, %v : vector<2xf32>
  return %y, %r : f64, vector<2xf32>
}

// bf16 is computed in f32, with rounding that keeps subnormals.
// CHECK-LABEL: @narrow(
// CHECK: llvm.call @_ZGVeN16v_sinf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @narrow(%x: vector<16xbf16>) -> vector<16xbf16> {
  %y = math.sin %x : vector<16xbf16>
  return %y : vector<16xbf16>
}
