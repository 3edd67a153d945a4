; RUN: triton-opt --nvidia-share-initial-values %s | FileCheck %s
; Constants that a loop begins with, and that are results where it does not run, are defined once, before the test.

; CHECK-LABEL: @many
; CHECK: %[[ALL:.*]] = call {{.*}} asm "mov.b32 $0, 0; {{.*}}mov.b32 $15, 0; "
; CHECK: %[[FIRST:.*]] = extractvalue {{.*}} %[[ALL]], 0
; CHECK: br i1 %runs
; CHECK: %s0 = phi float [ %[[FIRST]], %entry ]
; CHECK: %r0 = phi float [ %[[FIRST]], %test ]
define float @many(i32 %n) {
test:
  %runs = icmp sgt i32 %n, 0
  br i1 %runs, label %entry, label %exit
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %a0, %loop ]
  %s1 = phi float [ 0.0, %entry ], [ %a1, %loop ]
  %s2 = phi float [ 0.0, %entry ], [ %a2, %loop ]
  %s3 = phi float [ 0.0, %entry ], [ %a3, %loop ]
  %s4 = phi float [ 0.0, %entry ], [ %a4, %loop ]
  %s5 = phi float [ 0.0, %entry ], [ %a5, %loop ]
  %s6 = phi float [ 0.0, %entry ], [ %a6, %loop ]
  %s7 = phi float [ 0.0, %entry ], [ %a7, %loop ]
  %s8 = phi float [ 0.0, %entry ], [ %a8, %loop ]
  %s9 = phi float [ 0.0, %entry ], [ %a9, %loop ]
  %s10 = phi float [ 0.0, %entry ], [ %a10, %loop ]
  %s11 = phi float [ 0.0, %entry ], [ %a11, %loop ]
  %s12 = phi float [ 0.0, %entry ], [ %a12, %loop ]
  %s13 = phi float [ 0.0, %entry ], [ %a13, %loop ]
  %s14 = phi float [ 0.0, %entry ], [ %a14, %loop ]
  %s15 = phi float [ 0.0, %entry ], [ %a15, %loop ]
  %a0 = fadd float %s0, 1.0
  %a1 = fadd float %s1, 1.0
  %a2 = fadd float %s2, 1.0
  %a3 = fadd float %s3, 1.0
  %a4 = fadd float %s4, 1.0
  %a5 = fadd float %s5, 1.0
  %a6 = fadd float %s6, 1.0
  %a7 = fadd float %s7, 1.0
  %a8 = fadd float %s8, 1.0
  %a9 = fadd float %s9, 1.0
  %a10 = fadd float %s10, 1.0
  %a11 = fadd float %s11, 1.0
  %a12 = fadd float %s12, 1.0
  %a13 = fadd float %s13, 1.0
  %a14 = fadd float %s14, 1.0
  %a15 = fadd float %s15, 1.0
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %r0 = phi float [ 0.0, %test ], [ %a0, %loop ]
  %r1 = phi float [ 0.0, %test ], [ %a1, %loop ]
  %r2 = phi float [ 0.0, %test ], [ %a2, %loop ]
  %r3 = phi float [ 0.0, %test ], [ %a3, %loop ]
  %r4 = phi float [ 0.0, %test ], [ %a4, %loop ]
  %r5 = phi float [ 0.0, %test ], [ %a5, %loop ]
  %r6 = phi float [ 0.0, %test ], [ %a6, %loop ]
  %r7 = phi float [ 0.0, %test ], [ %a7, %loop ]
  %r8 = phi float [ 0.0, %test ], [ %a8, %loop ]
  %r9 = phi float [ 0.0, %test ], [ %a9, %loop ]
  %r10 = phi float [ 0.0, %test ], [ %a10, %loop ]
  %r11 = phi float [ 0.0, %test ], [ %a11, %loop ]
  %r12 = phi float [ 0.0, %test ], [ %a12, %loop ]
  %r13 = phi float [ 0.0, %test ], [ %a13, %loop ]
  %r14 = phi float [ 0.0, %test ], [ %a14, %loop ]
  %r15 = phi float [ 0.0, %test ], [ %a15, %loop ]
  ret float %r0
}

; Another result than what the loop begins with.
; CHECK-LABEL: @other
; CHECK-NOT: asm
define float @other(i32 %n) {
test:
  %runs = icmp sgt i32 %n, 0
  br i1 %runs, label %entry, label %exit
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %a0, %loop ]
  %s1 = phi float [ 0.0, %entry ], [ %a1, %loop ]
  %s2 = phi float [ 0.0, %entry ], [ %a2, %loop ]
  %s3 = phi float [ 0.0, %entry ], [ %a3, %loop ]
  %s4 = phi float [ 0.0, %entry ], [ %a4, %loop ]
  %s5 = phi float [ 0.0, %entry ], [ %a5, %loop ]
  %s6 = phi float [ 0.0, %entry ], [ %a6, %loop ]
  %s7 = phi float [ 0.0, %entry ], [ %a7, %loop ]
  %s8 = phi float [ 0.0, %entry ], [ %a8, %loop ]
  %s9 = phi float [ 0.0, %entry ], [ %a9, %loop ]
  %s10 = phi float [ 0.0, %entry ], [ %a10, %loop ]
  %s11 = phi float [ 0.0, %entry ], [ %a11, %loop ]
  %s12 = phi float [ 0.0, %entry ], [ %a12, %loop ]
  %s13 = phi float [ 0.0, %entry ], [ %a13, %loop ]
  %s14 = phi float [ 0.0, %entry ], [ %a14, %loop ]
  %s15 = phi float [ 0.0, %entry ], [ %a15, %loop ]
  %a0 = fadd float %s0, 1.0
  %a1 = fadd float %s1, 1.0
  %a2 = fadd float %s2, 1.0
  %a3 = fadd float %s3, 1.0
  %a4 = fadd float %s4, 1.0
  %a5 = fadd float %s5, 1.0
  %a6 = fadd float %s6, 1.0
  %a7 = fadd float %s7, 1.0
  %a8 = fadd float %s8, 1.0
  %a9 = fadd float %s9, 1.0
  %a10 = fadd float %s10, 1.0
  %a11 = fadd float %s11, 1.0
  %a12 = fadd float %s12, 1.0
  %a13 = fadd float %s13, 1.0
  %a14 = fadd float %s14, 1.0
  %a15 = fadd float %s15, 1.0
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %r0 = phi float [ 1.0, %test ], [ %a0, %loop ]
  %r1 = phi float [ 1.0, %test ], [ %a1, %loop ]
  %r2 = phi float [ 1.0, %test ], [ %a2, %loop ]
  %r3 = phi float [ 1.0, %test ], [ %a3, %loop ]
  %r4 = phi float [ 1.0, %test ], [ %a4, %loop ]
  %r5 = phi float [ 1.0, %test ], [ %a5, %loop ]
  %r6 = phi float [ 1.0, %test ], [ %a6, %loop ]
  %r7 = phi float [ 1.0, %test ], [ %a7, %loop ]
  %r8 = phi float [ 1.0, %test ], [ %a8, %loop ]
  %r9 = phi float [ 1.0, %test ], [ %a9, %loop ]
  %r10 = phi float [ 1.0, %test ], [ %a10, %loop ]
  %r11 = phi float [ 1.0, %test ], [ %a11, %loop ]
  %r12 = phi float [ 1.0, %test ], [ %a12, %loop ]
  %r13 = phi float [ 1.0, %test ], [ %a13, %loop ]
  %r14 = phi float [ 1.0, %test ], [ %a14, %loop ]
  %r15 = phi float [ 1.0, %test ], [ %a15, %loop ]
  ret float %r0
}

; Fewer are not worth a piece of assembly.
; CHECK-LABEL: @few
; CHECK-NOT: asm
define float @few(i32 %n) {
test:
  %runs = icmp sgt i32 %n, 0
  br i1 %runs, label %entry, label %exit
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %a0, %loop ]
  %s1 = phi float [ 0.0, %entry ], [ %a1, %loop ]
  %a0 = fadd float %s0, 1.0
  %a1 = fadd float %s1, 1.0
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %r0 = phi float [ 0.0, %test ], [ %a0, %loop ]
  %r1 = phi float [ 0.0, %test ], [ %a1, %loop ]
  ret float %r0
}
