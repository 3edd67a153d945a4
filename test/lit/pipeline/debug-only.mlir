// RUN: triton-opt --triton-licm --triton-loop-unroll -debug-only=triton-loop-unroll %s -o /dev/null 2>&1 | FileCheck %s

// Debug output works in every build, and only that of the passes named is printed.
// CHECK-NOT: moved out
// CHECK: unrolling by 2
// CHECK-NOT: moved out
tt.func @loop(%p: !tt.ptr<f32>, %n: i32, %x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (f32) : i32 {
    %y = tt.load %p : !tt.ptr<f32>
    %t = arith.addf %s, %y : f32
    scf.yield %t : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %r : f32
}
