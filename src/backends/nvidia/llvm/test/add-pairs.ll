; RUN: triton-opt --nvidia-add-pairs %s | FileCheck %s
; Atomic additions to pairs of 16-bit floats in global memory are single instructions where nobody needs the old value.

; CHECK-LABEL: @halves
; CHECK: %[[WORD:.*]] = bitcast <2 x half> %x to i32
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
