; RUN: triton-opt --gpu-bound-half-conversions %s | FileCheck %s
; Integers that may be too large for half are bounded at what rounds to infinity.

; CHECK-LABEL: @large
; CHECK: %[[F:.*]] = uitofp i32 %x to float
; CHECK: %[[B:.*]] = call float @llvm.minnum.f32(float %[[F]], float 6.553600e+04)
; CHECK: fptrunc float %[[B]] to half
define half @large(i32 %x) {
  %h = uitofp i32 %x to half
  ret half %h
}

; CHECK-LABEL: @signed_through_float
; CHECK: llvm.minnum.f32
; CHECK: llvm.maxnum.f32({{.*}}, float -6.553600e+04)
define half @signed_through_float(i32 %x) {
  %f = sitofp i32 %x to float
  %h = fptrunc float %f to half
  ret half %h
}

; CHECK-LABEL: @small
; CHECK-NOT: minnum
; CHECK: uitofp i32 %{{.*}} to half
define half @small(i32 %x) {
  %low = and i32 %x, 255
  %h = uitofp i32 %low to half
  ret half %h
}
