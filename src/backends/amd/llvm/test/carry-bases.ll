; RUN: triton-opt --amd-carry-bases %s | FileCheck %s
; A loop whose counter only serves the base of a buffer carries the base instead.

; CHECK-LABEL: @f
; CHECK: entry:
; CHECK: %[[FIRST:.*]] = getelementptr half, ptr addrspace(1) %p, i64 %begin
; CHECK: loop:
; CHECK: %[[BASE:.*]] = phi ptr addrspace(1) [ %[[FIRST]], %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK-NOT: phi i64
; CHECK: make.buffer.rsrc{{.*}}(ptr addrspace(1) %[[BASE]],
; CHECK: %[[NEXT]] = getelementptr half, ptr addrspace(1) %[[BASE]], i64 %step
define void @f(ptr addrspace(1) %p, i64 %begin, i64 %step, i32 %offset) {
entry:
  br label %loop
loop:
  %at = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %base = getelementptr half, ptr addrspace(1) %p, i64 %at
  %buffer = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %base, i16 0, i64 1024, i32 0)
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %buffer, i32 %offset, i32 0, i32 0)
  %next = add i64 %at, %step
  %more = icmp ne i32 %x, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The counter is compared as well.
; CHECK-LABEL: @counted
; CHECK: phi i64
define void @counted(ptr addrspace(1) %p, i64 %end, i32 %offset) {
entry:
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %base = getelementptr half, ptr addrspace(1) %p, i64 %at
  %buffer = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %base, i16 0, i64 1024, i32 0)
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %buffer, i32 %offset, i32 0, i32 0)
  %next = add i64 %at, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
