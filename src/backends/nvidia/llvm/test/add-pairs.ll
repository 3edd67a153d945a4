; RUN: triton-opt --nvidia-add-pairs %s | FileCheck %s
; Atomic additions to neighbouring floats in global memory are single instructions where nobody needs the old value.

; CHECK-LABEL: @halves
; CHECK: %[[WORDS:.*]] = bitcast <2 x half> %x to <1 x i32>
; CHECK-NEXT: %[[WORD:.*]] = extractelement <1 x i32> %[[WORDS]], i64 0
; CHECK-NEXT: call void asm sideeffect "red.relaxed.gpu.global.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 %[[WORD]])
; CHECK-NOT: atomicrmw
define void @halves(ptr addrspace(1) %p, <2 x half> %x) {
  %old = atomicrmw fadd ptr addrspace(1) %p, <2 x half> %x syncscope("device") monotonic
  ret void
}

; CHECK-LABEL: @bfloats
; CHECK: red.relaxed.cta.global.add.noftz.bf16x2
define void @bfloats(ptr addrspace(1) %p, <2 x bfloat> %x) {
  %old = atomicrmw fadd ptr addrspace(1) %p, <2 x bfloat> %x syncscope("block") monotonic
  ret void
}

; CHECK-LABEL: @words
; CHECK: %[[A:.*]] = extractelement <4 x float> %x, i64 0
; CHECK: %[[D:.*]] = extractelement <4 x float> %x, i64 3
; CHECK: call void asm sideeffect "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}"(ptr addrspace(1) %p, float %[[A]], float {{.*}}, float {{.*}}, float %[[D]])
; CHECK: red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};
; CHECK: red.relaxed.gpu.global.add.noftz.v4.bf16x2 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
define void @words(ptr addrspace(1) %p, <4 x float> %x, <2 x float> %y, <8 x bfloat> %z) {
  %old = atomicrmw fadd ptr addrspace(1) %p, <4 x float> %x syncscope("device") monotonic
  %two = atomicrmw fadd ptr addrspace(1) %p, <2 x float> %y syncscope("device") monotonic
  %eight = atomicrmw fadd ptr addrspace(1) %p, <8 x bfloat> %z syncscope("device") monotonic
  ret void
}

; The old value is needed, the order is stronger, the memory is shared: none of these is replaced.
; CHECK-LABEL: @others
; CHECK-COUNT-3: atomicrmw
; CHECK-NOT: asm
define <2 x half> @others(ptr addrspace(1) %p, ptr addrspace(3) %s, <2 x half> %x) {
  %old = atomicrmw fadd ptr addrspace(1) %p, <2 x half> %x monotonic
  %ordered = atomicrmw fadd ptr addrspace(1) %p, <2 x half> %x acq_rel
  %shared = atomicrmw fadd ptr addrspace(3) %s, <2 x half> %x monotonic
  ret <2 x half> %old
}
