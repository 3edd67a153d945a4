; RUN: triton-opt --nvidia-widen-narrow-integers %s | FileCheck %s
; Arithmetic on narrow integers is arithmetic in 32 bits; operations that only move them remain.

; CHECK-LABEL: @negated
; CHECK: %[[X:.*]] = load i16
; CHECK: %[[WIDE:.*]] = {{[sz]}}ext i16 %[[X]] to i32
; CHECK: sub i32 0, %[[WIDE]]
; CHECK: asm "cvt.u16.u32 $0, $1;"
; CHECK-NOT: sub i16
; CHECK: store i16
define void @negated(ptr addrspace(1) %p) {
  %x = load i16, ptr addrspace(1) %p
  %y = sub i16 0, %x
  store i16 %y, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: @moved
; CHECK-NEXT: %x = load <2 x i8>
; CHECK-NEXT: store <2 x i8> %x
; CHECK-NEXT: ret void
define void @moved(ptr addrspace(1) %p) {
  %x = load <2 x i8>, ptr addrspace(1) %p
  store <2 x i8> %x, ptr addrspace(1) %p
  ret void
}
