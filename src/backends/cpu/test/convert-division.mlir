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

// Of any width.
// CHECK-LABEL: @wide(
// CHECK: arith.constant -170141183460469231731687303715884105728 : i128
// CHECK: %[[SAFE:.*]] = arith.select
// CHECK: arith.divsi %arg0, %[[SAFE]] : i128
func.func @wide(%a: i128, %b: i128) -> i128 {
  %r = arith.divsi %a, %b : i128
  return %r : i128
}

// A single-precision quotient would not be exact.
// CHECK-LABEL: @between(
// CHECK: arith.sitofp %{{.*}} : vector<4xi24> to vector<4xf64>
func.func @between(%a: vector<4xi24>, %b: vector<4xi24>) -> vector<4xi24> {
  %r = arith.divsi %a, %b : vector<4xi24>
  return %r : vector<4xi24>
}
