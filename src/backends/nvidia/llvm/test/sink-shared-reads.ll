; RUN: triton-opt --nvidia-sink-shared-reads %s | FileCheck %s
; What is computed from shared memory comes depth first where a thread has too few registers.

declare float @llvm.vector.reduce.fadd.v128f32(float, <128 x float>)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; CHECK-LABEL: @together
; CHECK-NEXT: load <128 x float>, ptr addrspace(3) %p
; CHECK-NEXT: %x = call
; CHECK-NEXT: store float %x
; CHECK-NEXT: getelementptr
; CHECK-NEXT: load <128 x float>, ptr addrspace(3) %q
; CHECK-NEXT: %y = call
; CHECK-NEXT: store float %y
define void @together(ptr addrspace(3) %p, ptr addrspace(1) %out) {
  %a = load <128 x float>, ptr addrspace(3) %p
  %q = getelementptr i8, ptr addrspace(3) %p, i32 512
  %b = load <128 x float>, ptr addrspace(3) %q
  %x = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %a)
  %y = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %b)
  store float %x, ptr addrspace(1) %out
  store float %y, ptr addrspace(1) %out
  ret void
}

; Other threads may write after the barrier.
; CHECK-LABEL: @barrier
; CHECK: load <128 x float>
; CHECK: load <128 x float>
; CHECK: call void @llvm.nvvm.barrier
; CHECK: %x = call
define void @barrier(ptr addrspace(3) %p, ptr addrspace(1) %out) {
  %a = load <128 x float>, ptr addrspace(3) %p
  %q = getelementptr i8, ptr addrspace(3) %p, i32 512
  %b = load <128 x float>, ptr addrspace(3) %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %a)
  %y = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %b)
  store float %x, ptr addrspace(1) %out
  store float %y, ptr addrspace(1) %out
  ret void
}

; So may this thread itself, and what is volatile keeps its place.
; CHECK-LABEL: @written
; CHECK: %a = load <128 x float>
; CHECK: store float 0.000000e+00, ptr addrspace(3)
; CHECK: %b = load volatile <128 x float>
; CHECK: %x = call
define void @written(ptr addrspace(3) %p, ptr addrspace(1) %out) {
  %a = load <128 x float>, ptr addrspace(3) %p
  store float 0.0, ptr addrspace(3) %p
  %b = load volatile <128 x float>, ptr addrspace(3) %p
  %x = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %a)
  %y = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %b)
  store float %x, ptr addrspace(1) %out
  store float %y, ptr addrspace(1) %out
  ret void
}

; Few registers: the order of the program gives time to the reads.
; CHECK-LABEL: @few
; CHECK-NEXT: %a = load
; CHECK-NEXT: %q = getelementptr
; CHECK-NEXT: %b = load
; CHECK-NEXT: %x = call
define void @few(ptr addrspace(3) %p, ptr addrspace(1) %out) {
  %a = load <16 x float>, ptr addrspace(3) %p
  %q = getelementptr i8, ptr addrspace(3) %p, i32 64
  %b = load <16 x float>, ptr addrspace(3) %q
  %x = call float @llvm.vector.reduce.fadd.v16f32(float 0.0, <16 x float> %a)
  %y = call float @llvm.vector.reduce.fadd.v16f32(float 0.0, <16 x float> %b)
  store float %x, ptr addrspace(1) %out
  store float %y, ptr addrspace(1) %out
  ret void
}

; Registers of products are written before the fence.
; CHECK-LABEL: @products
; CHECK: %b = load <128 x float>
; CHECK: %x = call
; CHECK: call void @llvm.nvvm.wgmma.fence
define void @products(ptr addrspace(3) %p, ptr addrspace(1) %out) {
  %a = load <128 x float>, ptr addrspace(3) %p
  %q = getelementptr i8, ptr addrspace(3) %p, i32 512
  %b = load <128 x float>, ptr addrspace(3) %q
  %x = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %a)
  %y = call float @llvm.vector.reduce.fadd.v128f32(float 0.0, <128 x float> %b)
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  store float %x, ptr addrspace(1) %out
  store float %y, ptr addrspace(1) %out
  ret void
}
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
