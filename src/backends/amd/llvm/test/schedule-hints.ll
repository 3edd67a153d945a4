; RUN: triton-opt --amd-schedule-hints=attention %s | FileCheck %s
; RUN: triton-opt --amd-schedule-hints=none %s | FileCheck %s --check-prefix=NONE
; RUN: not triton-opt --amd-schedule-hints=fast %s 2>&1 | FileCheck %s --check-prefix=WRONG
; The hint is for loops with matrix instructions whose order is not fixed already.

; NONE-NOT: iglp
; WRONG: --amd-schedule-hints: the option `schedule_hint` is `fast`; it must be `none`, `local-prefetch` or `attention`

; CHECK-LABEL: @product
; CHECK: loop:
; CHECK: call void @llvm.amdgcn.iglp.opt(i32 2)
; CHECK-NEXT: br i1
define <4 x float> @product(<4 x half> %a, <4 x half> %b, i1 %more) {
entry:
  br label %loop
loop:
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %next, %loop ]
  %next = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %b, <4 x float> %sum, i32 0, i32 0, i32 0)
  br i1 %more, label %loop, label %exit
exit:
  ret <4 x float> %next
}

; CHECK-LABEL: @ordered
; CHECK-NOT: call void @llvm.amdgcn.iglp.opt
define <4 x float> @ordered(<4 x half> %a, <4 x half> %b, i1 %more) {
entry:
  br label %loop
loop:
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %next, %loop ]
  call void @llvm.amdgcn.sched.barrier(i32 0)
  %next = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %b, <4 x float> %sum, i32 0, i32 0, i32 0)
  br i1 %more, label %loop, label %exit
exit:
  ret <4 x float> %next
}
