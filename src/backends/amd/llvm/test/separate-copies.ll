; RUN: triton-opt --amd-separate-copies %s | FileCheck %s
; Reads of shared memory and fences of a program do not wait for copies to shared memory.

; CHECK-LABEL: @copies
; CHECK: raw.ptr.buffer.load.lds{{.*}} !alias.scope ![[SCOPE:[0-9]+]]
; The fence leaves shared memory out; what waves stored there is waited for by the counter.
; CHECK: call void @llvm.amdgcn.s.waitcnt(i32 49279)
; CHECK-NEXT: fence syncscope("workgroup") release, !mmra ![[GLOBAL:[0-9]+]]
; CHECK-NOT: s.waitcnt
; CHECK: fence syncscope("workgroup") acquire, !mmra ![[GLOBAL]]
; CHECK: load i32, ptr addrspace(3) %s, align 4, !noalias ![[SCOPE]]
; Memory that copies do not write, and fences of all programs, stay.
; CHECK: load i32, ptr addrspace(1) %g, align 4{{$}}
; CHECK: fence release{{$}}
define i32 @copies(ptr addrspace(8) %buffer, ptr addrspace(3) %s, ptr addrspace(1) %g) {
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %buffer, ptr addrspace(3) %s, i32 4, i32 0, i32 0, i32 0, i32 0)
  fence syncscope("workgroup") release
  fence syncscope("workgroup") acquire
  %x = load i32, ptr addrspace(3) %s
  %y = load i32, ptr addrspace(1) %g
  fence release
  %sum = add i32 %x, %y
  ret i32 %sum
}

; Without copies nothing changes.
; CHECK-LABEL: @none
; CHECK-NEXT: fence syncscope("workgroup") release{{$}}
; CHECK-NEXT: load i32, ptr addrspace(3) %s, align 4{{$}}
define i32 @none(ptr addrspace(3) %s) {
  fence syncscope("workgroup") release
  %x = load i32, ptr addrspace(3) %s
  ret i32 %x
}
