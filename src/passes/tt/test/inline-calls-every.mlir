// RUN: triton-opt --triton-inline-calls=every-call --symbol-dce --canonicalize %s | FileCheck %s

// A function with early returns, called in a loop: its branches become regions.
// CHECK-LABEL: tt.func public @kernel
// CHECK-NOT: tt.call
// CHECK: scf.for
// CHECK: %[[LARGE:.*]] = arith.cmpi sgt
// CHECK: scf.if %[[LARGE]]
// CHECK: arith.cmpi slt
// CHECK: tt.store
// CHECK-NOT: tt.func
tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %class = tt.call @classify(%i) : (i32) -> i32
    %address = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %address, %class : !tt.ptr<i32>
  }
  tt.return
}
tt.func private @classify(%x: i32) -> i32 attributes {noinline = true} {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %ten = arith.constant 10 : i32
  %large = arith.cmpi sgt, %x, %ten : i32
  cf.cond_br %large, ^end(%one : i32), ^small
^end(%result: i32):
  tt.return %result : i32
^small:
  %negative = arith.cmpi slt, %x, %two : i32
  cf.cond_br %negative, ^end(%two : i32), ^end(%three : i32)
}
