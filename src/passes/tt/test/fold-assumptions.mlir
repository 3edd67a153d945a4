// RUN: triton-opt --triton-fold-assumptions --canonicalize %s | FileCheck %s

// What is assumed holds from there on, and so does what follows from it; the assumption stays.
// CHECK-LABEL: tt.func @implied
// CHECK: llvm.intr.assume
// CHECK-NEXT: tt.store %{{.*}}, %[[ONE:.*]] :
// CHECK-NEXT: tt.store %{{.*}}, %[[ONE]] :
// CHECK-NEXT: tt.return
tt.func @implied(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %positive = arith.cmpi sgt, %n, %c0 : i32
  llvm.intr.assume %positive : i1
  scf.if %positive {
    tt.store %p, %c1 : !tt.ptr<i32>
  }
  %some = arith.cmpi ne, %n, %c0 : i32
  scf.if %some {
    tt.store %p, %c1 : !tt.ptr<i32>
  }
  %negative = arith.cmpi slt, %n, %c0 : i32
  scf.if %negative {
    tt.store %p, %c2 : !tt.ptr<i32>
  }
  tt.return
}

// Not before the assumption, nor in another branch, nor where only a part of what is assumed fulfils it.
// CHECK-LABEL: tt.func @open
// CHECK-COUNT-3: scf.if
tt.func @open(%p: !tt.ptr<i32>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %positive = arith.cmpi sgt, %n, %c0 : i32
  scf.if %positive {
    tt.store %p, %c1 : !tt.ptr<i32>
  }
  scf.if %c {
    llvm.intr.assume %positive : i1
    %many = arith.cmpi sgt, %n, %c1 : i32
    scf.if %many {
      tt.store %p, %c0 : !tt.ptr<i32>
    }
  }
  tt.return
}
