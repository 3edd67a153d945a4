; RUN: triton-opt --gpu-keep-carried-pairs %s | FileCheck %s
; A pair that a loop carries is taken apart in the block that uses the half, and not in the loop's header.

; CHECK-LABEL: @f
; CHECK: header:
; CHECK-NEXT: %pair = phi <2 x half>
; CHECK-NEXT: br i1
; CHECK: body:
; CHECK-NEXT: %[[HALF:.*]] = extractelement <2 x half> %pair, i32 0
; CHECK-NEXT: fadd half %[[HALF]]
define <2 x half> @f(<2 x half> %first, i1 %more) {
entry:
  br label %header
header:
  %pair = phi <2 x half> [ %first, %entry ], [ %next, %body ]
  %half = extractelement <2 x half> %pair, i32 0
  br i1 %more, label %body, label %exit
body:
  %sum = fadd half %half, 1.0
  %next = insertelement <2 x half> %pair, half %sum, i32 0
  br label %header
exit:
  ret <2 x half> %pair
}
