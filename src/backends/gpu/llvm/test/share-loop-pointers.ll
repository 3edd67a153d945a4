; RUN: triton-opt --gpu-share-loop-pointers %s | FileCheck %s
; Pointers that a loop moves by the same step share what it carries.

; Those at constant distances from one another are one.
; CHECK-LABEL: @near
; CHECK: %p = phi ptr addrspace(1) [ %first, %entry ], [ %p.next, %loop ]
; CHECK-NOT: phi ptr
; CHECK: %[[Q:.*]] = getelementptr i8, ptr addrspace(1) %p, i64 12
; CHECK: store i32 %i, ptr addrspace(1) %[[Q]]
define void @near(ptr addrspace(1) %array, i32 %n, i64 %step) {
entry:
  %first = getelementptr i32, ptr addrspace(1) %array, i64 1
  %fourth = getelementptr i32, ptr addrspace(1) %array, i64 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr addrspace(1) [ %first, %entry ], [ %p.next, %loop ]
  %q = phi ptr addrspace(1) [ %fourth, %entry ], [ %q.next, %loop ]
  %p.next = getelementptr i32, ptr addrspace(1) %p, i64 %step
  %q.next = getelementptr i32, ptr addrspace(1) %q, i64 %step
  store i32 %i, ptr addrspace(1) %p
  store i32 %i, ptr addrspace(1) %q
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Other steps, and what is not the pointer's own next place, stay.
; CHECK-LABEL: @different
; CHECK: %p = phi ptr addrspace(1)
; CHECK: %q = phi ptr addrspace(1)
; CHECK: %r = phi ptr addrspace(1)
define void @different(ptr addrspace(1) %array, i32 %n, i64 %step) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr addrspace(1) [ %array, %entry ], [ %p.next, %loop ]
  %q = phi ptr addrspace(1) [ %array, %entry ], [ %q.next, %loop ]
  %r = phi ptr addrspace(1) [ %array, %entry ], [ %p.next, %loop ]
  %p.next = getelementptr i32, ptr addrspace(1) %p, i64 %step
  %q.next = getelementptr i16, ptr addrspace(1) %q, i64 %step
  store i32 %i, ptr addrspace(1) %p
  store i32 %i, ptr addrspace(1) %q
  store i32 %i, ptr addrspace(1) %r
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Of eight that begin at places known at the launch, the loop carries the distance. Offsets stay as narrow as they are.
; CHECK-LABEL: @far
; CHECK: entry:
; CHECK-NOT: sext
; CHECK: %[[BYTES:.*]] = mul i64 %step, 2
; CHECK: loop:
; CHECK: %[[DISTANCE:.*]] = phi i64 [ 0, %entry ], [ %[[MOVED:.*]], %loop ]
; CHECK-NOT: phi ptr
; CHECK: %[[ARRAY:.*]] = getelementptr i8, ptr addrspace(1) %array, i64 %[[DISTANCE]]
; CHECK: %[[OFFSET:.*]] = sext i32 %o0 to i64
; CHECK: %[[PLACE:.*]] = getelementptr i16, ptr addrspace(1) %[[ARRAY]], i64 %[[OFFSET]]
; CHECK: store i16 0, ptr addrspace(1) %[[PLACE]]
; CHECK: %[[MOVED]] = add i64 %[[DISTANCE]], %[[BYTES]]
define void @far(ptr addrspace(1) %array, i32 %n, i64 %step, i32 %o0, i32 %o1, i32 %o2, i32 %o3, i32 %o4, i32 %o5, i32 %o6, i32 %o7) {
entry:
  %w0 = sext i32 %o0 to i64
  %b0 = getelementptr i16, ptr addrspace(1) %array, i64 %w0
  %w1 = sext i32 %o1 to i64
  %b1 = getelementptr i16, ptr addrspace(1) %array, i64 %w1
  %w2 = sext i32 %o2 to i64
  %b2 = getelementptr i16, ptr addrspace(1) %array, i64 %w2
  %w3 = sext i32 %o3 to i64
  %b3 = getelementptr i16, ptr addrspace(1) %array, i64 %w3
  %w4 = sext i32 %o4 to i64
  %b4 = getelementptr i16, ptr addrspace(1) %array, i64 %w4
  %w5 = sext i32 %o5 to i64
  %b5 = getelementptr i16, ptr addrspace(1) %array, i64 %w5
  %w6 = sext i32 %o6 to i64
  %b6 = getelementptr i16, ptr addrspace(1) %array, i64 %w6
  %w7 = sext i32 %o7 to i64
  %b7 = getelementptr i16, ptr addrspace(1) %array, i64 %w7
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p0 = phi ptr addrspace(1) [ %b0, %entry ], [ %n0, %loop ]
  %p1 = phi ptr addrspace(1) [ %b1, %entry ], [ %n1, %loop ]
  %p2 = phi ptr addrspace(1) [ %b2, %entry ], [ %n2, %loop ]
  %p3 = phi ptr addrspace(1) [ %b3, %entry ], [ %n3, %loop ]
  %p4 = phi ptr addrspace(1) [ %b4, %entry ], [ %n4, %loop ]
  %p5 = phi ptr addrspace(1) [ %b5, %entry ], [ %n5, %loop ]
  %p6 = phi ptr addrspace(1) [ %b6, %entry ], [ %n6, %loop ]
  %p7 = phi ptr addrspace(1) [ %b7, %entry ], [ %n7, %loop ]
  %n0 = getelementptr i16, ptr addrspace(1) %p0, i64 %step
  store i16 0, ptr addrspace(1) %p0
  %n1 = getelementptr i16, ptr addrspace(1) %p1, i64 %step
  store i16 0, ptr addrspace(1) %p1
  %n2 = getelementptr i16, ptr addrspace(1) %p2, i64 %step
  store i16 0, ptr addrspace(1) %p2
  %n3 = getelementptr i16, ptr addrspace(1) %p3, i64 %step
  store i16 0, ptr addrspace(1) %p3
  %n4 = getelementptr i16, ptr addrspace(1) %p4, i64 %step
  store i16 0, ptr addrspace(1) %p4
  %n5 = getelementptr i16, ptr addrspace(1) %p5, i64 %step
  store i16 0, ptr addrspace(1) %p5
  %n6 = getelementptr i16, ptr addrspace(1) %p6, i64 %step
  store i16 0, ptr addrspace(1) %p6
  %n7 = getelementptr i16, ptr addrspace(1) %p7, i64 %step
  store i16 0, ptr addrspace(1) %p7
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
