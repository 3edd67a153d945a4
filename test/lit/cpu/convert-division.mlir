// RUN: triton-opt %s --cpu-convert-division | FileCheck %s

// CHECK-LABEL: @vectors(
// CHECK: arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf64>
// CHECK: arith.divf
// CHECK: arith.fptosi
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @vectors(%a: vector<16xi32>, %b: vector<16xi32>) -> vector<16xi32> {
  %r = arith.remsi %a, %b : vector<16xi32>
  return %r : vector<16xi32>
}

// Scalars keep the instruction, with a divisor that does not trap.
// CHECK-LABEL: @scalar(
// CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %c1_i64, %arg1
// CHECK: arith.divui %arg0, %[[SAFE]]
func.func @scalar(%a: i64, %b: i64) -> i64 {
  %q = arith.divui %a, %b : i64
  return %q : i64
}

// LLVM does better with a constant.
// CHECK-LABEL: @constant(
// CHECK: arith.divsi
func.func @constant(%a: vector<16xi32>) -> vector<16xi32> {
  %seven = arith.constant dense<7> : vector<16xi32>
  %q = arith.divsi %a, %seven : vector<16xi32>
  return %q : vector<16xi32>
}
