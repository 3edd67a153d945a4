; RUN: triton-opt --nvidia-convert-pairs %s | FileCheck %s
; Sums of wgmma that are needed several times are converted in pairs.

; CHECK-LABEL: @twice
; CHECK: %high = extractvalue
; CHECK: %[[LOW:.*]] = extractvalue { float, float } %sums, 0
; CHECK: %[[HIGH:.*]] = extractvalue { float, float } %sums, 1
; CHECK-NEXT: %[[BOTH:.*]] = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %[[HIGH]], float %[[LOW]])
; CHECK: %[[A:.*]] = extractelement <2 x bfloat> %[[BOTH]], i{{.*}} 0
; CHECK: %[[B:.*]] = extractelement <2 x bfloat> %[[BOTH]], i{{.*}} 1
; CHECK-NOT: fptrunc
; CHECK: store bfloat %[[B]], ptr %p
; CHECK: store bfloat %[[A]], ptr %q
; CHECK: store bfloat %[[A]], ptr %r
define void @twice(ptr %p, ptr %q, ptr %r, float %x, float %y) {
  %sums = call { float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,0,1"(float %x, float %y)
  %high = extractvalue { float, float } %sums, 1
  %b = fptrunc float %high to bfloat
  %low = extractvalue { float, float } %sums, 0
  %a = fptrunc float %low to bfloat
  store bfloat %b, ptr %p
  store bfloat %a, ptr %q
  store bfloat %a, ptr %r
  ret void
}

; CHECK-LABEL: @halves
; CHECK: call <2 x half> @llvm.nvvm.ff2f16x2.rn(
define void @halves(ptr %p, ptr %q, float %x, float %y) {
  %sums = call { float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,0,1"(float %x, float %y)
  %low = extractvalue { float, float } %sums, 0
  %high = extractvalue { float, float } %sums, 1
  %a = fptrunc float %low to half
  %b = fptrunc float %high to half
  store half %a, ptr %p
  store half %b, ptr %p
  store half %b, ptr %q
  ret void
}

; What is used once, what has no neighbour, and what is not a sum of wgmma are left.
; CHECK-LABEL: @others
; CHECK-COUNT-5: fptrunc
; CHECK-NOT: call <2
define void @others(ptr %p, float %x, float %y) {
  %sums = call { float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,0,1,2"(float %x, float %y, float %x)
  %s0 = extractvalue { float, float, float } %sums, 0
  %s1 = extractvalue { float, float, float } %sums, 1
  %s2 = extractvalue { float, float, float } %sums, 2
  %a = fptrunc float %s0 to bfloat
  %b = fptrunc float %s1 to bfloat
  %c = fptrunc float %s2 to bfloat
  %d = fptrunc float %x to bfloat
  %e = fptrunc float %y to bfloat
  store bfloat %a, ptr %p
  store bfloat %b, ptr %p
  store bfloat %c, ptr %p
  store bfloat %c, ptr %p
  store bfloat %d, ptr %p
  store bfloat %d, ptr %p
  store bfloat %e, ptr %p
  ret void
}
