// TTCIR that a user wrote is verified before a pass of ours sees it.
// RUN: cp %s %t.ttcir && not tritonc show %t.ttcir:k --stage llir --target cpu 2>&1 | FileCheck %s --implicit-check-not="internal compiler error"

func.func @k(%p: !llvm.ptr) {
  // CHECK: .ttcir:[[# @LINE + 1]]:{{[0-9]+}}: error: `arith.constant` still makes a value of type 'vector<4x4xf32>'
  %x = arith.constant dense<1.0> : vector<4x4xf32>
  %y = vector.extract %x[0] : vector<4xf32> from vector<4x4xf32>
  llvm.store %y, %p : vector<4xf32>, !llvm.ptr
  return
}
