; RUN: not triton-opt --gpu-verify-llir %s 2>&1 | FileCheck %s --check-prefix=CONVERGENT
; RUN: sed 's/) ; marked/) convergent/' %s > %t.ll && not triton-opt --gpu-verify-llir %t.ll 2>&1 | FileCheck %s --check-prefix=GENERIC
; RUN: sed 's/) ; marked/) convergent/; s/, ptr %%at/, ptr %%other/' %s > %t.right.ll && triton-opt --gpu-verify-llir %t.right.ll | FileCheck %s --check-prefix=RIGHT
; Each rule of LLVM IR broken once: see docs/rules.md.

; CONVERGENT: llir-5: a call of `llvm.nvvm.mma.m16n8k8.row.col.f32.f32` is not convergent
; GENERIC: llir-4: an access of shared memory goes through a generic pointer
; RIGHT: define void @f

declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, float, float, float, float)

define void @f(ptr addrspace(3) %shared, ptr %other, <2 x half> %a, float %c) {
  %sum = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half> %a, <2 x half> %a, <2 x half> %a, float %c, float %c, float %c, float %c) ; marked
  %generic = addrspacecast ptr addrspace(3) %shared to ptr
  %at = getelementptr i8, ptr %generic, i32 4
  %x = extractvalue { float, float, float, float } %sum, 0
  store float %x, ptr %at
  ret void
}
