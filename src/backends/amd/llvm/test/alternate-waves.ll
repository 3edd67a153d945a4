; RUN: triton-opt --amd-alternate-waves="gfx942 forced" %s | FileCheck %s
; RUN: not triton-opt --amd-alternate-waves="gfx942 often" %s 2>&1 | FileCheck %s --check-prefix=WRONG
; The waves of a scheduler take turns: an iteration is a row of clusters that access memory or multiply, each of which
; ends with a barrier, and the upper half of the waves waits at one more barrier before the loop.

; WRONG: --amd-alternate-waves: `often` is unknown; a processor may be followed by `forced`

@shared = external addrspace(3) global [0 x i8]

; CHECK-LABEL: @product
; CHECK: loop:
; CHECK: call void @llvm.amdgcn.s.barrier()
; CHECK: llvm.amdgcn.mfma
; CHECK: call void @llvm.amdgcn.s.barrier()
; CHECK: store <4 x half>
; CHECK: call void @llvm.amdgcn.s.barrier()
; CHECK: llvm.amdgcn.mfma
; CHECK: call void @llvm.amdgcn.s.barrier()
; CHECK: br i1 %more
define amdgpu_kernel void @product(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %first = load <4 x half>, ptr addrspace(1) %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tile = phi <4 x half> [ %first, %entry ], [ %ahead, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %s1, %loop ]
  %isKnown = icmp sge i32 %i, 0
  call void @llvm.assume(i1 %isKnown) ; keeps nobody from a turn
  %at = getelementptr half, ptr addrspace(1) %p, i32 %i
  %ahead = load <4 x half>, ptr addrspace(1) %at
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store <4 x half> %tile, ptr addrspace(3) @shared
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %a = load <4 x half>, ptr addrspace(3) @shared
  %b = load <4 x half>, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @shared, i32 8)
  %s0 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %b, <4 x float> %sum, i32 0, i32 0, i32 0)
  %s1 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %b, <4 x half> %a, <4 x float> %s0, i32 0, i32 0, i32 0)
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  store <4 x float> %s1, ptr addrspace(1) %p
  ret void
}

; Four waves are one for each scheduler.
; CHECK-LABEL: @few
; CHECK-COUNT-2: call void @llvm.amdgcn.s.barrier()
; CHECK-NOT: call void @llvm.amdgcn.s.barrier
define amdgpu_kernel void @few(ptr addrspace(1) %p, i32 %n) #1 {
entry:
  %first = load <4 x half>, ptr addrspace(1) %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tile = phi <4 x half> [ %first, %entry ], [ %ahead, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %s1, %loop ]
  %at = getelementptr half, ptr addrspace(1) %p, i32 %i
  %ahead = load <4 x half>, ptr addrspace(1) %at
  call void @llvm.amdgcn.s.barrier()
  store <4 x half> %tile, ptr addrspace(3) @shared
  call void @llvm.amdgcn.s.barrier()
  %a = load <4 x half>, ptr addrspace(3) @shared
  %s0 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %a, <4 x float> %sum, i32 0, i32 0, i32 0)
  %s1 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %a, <4 x float> %s0, i32 0, i32 0, i32 0)
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  store <4 x float> %s1, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,512" }
attributes #1 = { "amdgpu-flat-work-group-size"="1,256" }
