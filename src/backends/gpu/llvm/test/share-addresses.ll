; RUN: triton-opt --gpu-share-addresses %s | FileCheck %s
; Addresses that differ by constants are computed once, with what is compared with bounds.

; CHECK-LABEL: @rows
; CHECK: %first = or disjoint i64 %block, %lane64
; CHECK: %second = add i64 %first, 4
; CHECK: icmp slt i64 %first, %n
; CHECK: icmp slt i64 %second, %n
; CHECK: %[[ADDRESS:.*]] = getelementptr i8, ptr addrspace(1) %p, i64
; CHECK-NEXT: %[[NEXT:.*]] = getelementptr i8, ptr addrspace(1) %[[ADDRESS]], i64 4096
; CHECK: store i1 %c, ptr addrspace(1) %[[ADDRESS]]
; CHECK: store i1 %d, ptr addrspace(1) %[[NEXT]]
define void @rows(ptr addrspace(1) %p, i32 %thread, i64 %number, i64 %n) {
  %lane = and i32 %thread, 3
  %block = shl i64 %number, 3
  %lane64 = zext i32 %lane to i64
  %other = or disjoint i32 %lane, 4
  %other64 = zext i32 %other to i64
  %first = or disjoint i64 %block, %lane64
  %second = or disjoint i64 %block, %other64
  %c = icmp slt i64 %first, %n
  %d = icmp slt i64 %second, %n
  %x = shl i64 %first, 10
  %y = shl i64 %second, 10
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %x
  %b = getelementptr i8, ptr addrspace(1) %p, i64 %y
  store i1 %c, ptr addrspace(1) %a
  store i1 %d, ptr addrspace(1) %b
  ret void
}

; A sum that may wrap is not what its extended parts add up to, and neither is a number with a sign.
; CHECK-LABEL: @wraps
; CHECK: %b = getelementptr i8, ptr addrspace(1) %p, i64 %y
; CHECK: %d = getelementptr i8, ptr addrspace(1) %p, i64 %w
define void @wraps(ptr addrspace(1) %p, i32 %lane) {
  %x = sext i32 %lane to i64
  %next = add i32 %lane, 4
  %y = sext i32 %next to i64
  %z = zext i32 %lane to i64
  %high = or disjoint i32 %lane, -2147483648
  %w = sext i32 %high to i64
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %x
  %b = getelementptr i8, ptr addrspace(1) %p, i64 %y
  %c = getelementptr i8, ptr addrspace(1) %p, i64 %z
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %w
  store i8 0, ptr addrspace(1) %a
  store i8 0, ptr addrspace(1) %b
  store i8 0, ptr addrspace(1) %c
  store i8 0, ptr addrspace(1) %d
  ret void
}

; What one branch has computed is not there in another one. More than memory instructions add stays with the root.
; CHECK-LABEL: @branches
; CHECK: left:
; CHECK: %[[SHIFTED:.*]] = shl i64 %row, 3
; CHECK: right:
; CHECK-NEXT: %[[AGAIN:.*]] = shl i64 %row, 3
; CHECK-NEXT: %[[ROOT:.*]] = getelementptr i8, ptr addrspace(1) %p, i64 %[[AGAIN]]
; CHECK-NEXT: getelementptr i8, ptr addrspace(1) %[[ROOT]], i64 64
; CHECK: getelementptr i8, ptr addrspace(1) %p, i64 %far
define void @branches(ptr addrspace(1) %p, i64 %row, i1 %c) {
  br i1 %c, label %left, label %right
left:
  %x = shl i64 %row, 3
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %x
  store i8 0, ptr addrspace(1) %a
  ret void
right:
  %next = add i64 %row, 8
  %y = shl i64 %next, 3
  %b = getelementptr i8, ptr addrspace(1) %p, i64 %y
  store i8 0, ptr addrspace(1) %b
  %many = add i64 %row, 16777216
  %far = shl i64 %many, 3
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %far
  store i8 0, ptr addrspace(1) %d
  ret void
}

; What others use as well is defined for all operands: a number may be one that their own sums reach without a carry.
; CHECK-LABEL: @undefined
; CHECK: %either = add i64 %x, %y
; CHECK: %near = getelementptr i8, ptr addrspace(1) %p, i64 %either
; CHECK: getelementptr i8, ptr addrspace(1) %near, i64 4
; CHECK: %wide = zext i32 %z to i64
define void @undefined(ptr addrspace(1) %p, i64 %x, i64 %y, i32 %z) {
  %either = or disjoint i64 %x, %y
  %near = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %either
  store i8 0, ptr addrspace(1) %near
  %next = add i64 %x, 4
  %sum = add i64 %next, %y
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %sum
  store i8 1, ptr addrspace(1) %a
  %wide = zext nneg i32 %z to i64
  %b = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %wide
  store i8 2, ptr addrspace(1) %b
  %other = or disjoint i32 %z, 4
  %otherwide = zext i32 %other to i64
  %c = getelementptr i8, ptr addrspace(1) %p, i64 %otherwide
  store i8 3, ptr addrspace(1) %c
  ret void
}

; A sum from which a constant goes again is its root only where nothing was carried: others compute the root.
; CHECK-LABEL: @cancelled
; CHECK: %back = add i64 %wide, -4
; CHECK: %[[WIDE:.*]] = zext i32 %x to i64
; CHECK: getelementptr i8, ptr addrspace(1) %p, i64 %[[WIDE]]
define void @cancelled(ptr addrspace(1) %p, i32 %x, ptr %out) {
  %four = or disjoint i32 %x, 4
  %wide = zext i32 %four to i64
  %back = add i64 %wide, -4
  store i64 %back, ptr %out
  %eight = or disjoint i32 %x, 8
  %b = zext i32 %eight to i64
  %c = getelementptr i8, ptr addrspace(1) %p, i64 %b
  store i8 0, ptr addrspace(1) %c
  %sixteen = or disjoint i32 %x, 16
  %d = zext i32 %sixteen to i64
  %e = getelementptr i8, ptr addrspace(1) %p, i64 %d
  store i8 0, ptr addrspace(1) %e
  ret void
}

; Constants have no root.
; CHECK-LABEL: @constants
; CHECK: getelementptr i8, ptr addrspace(1) %p, i64 %x
; CHECK: getelementptr i8, ptr addrspace(1) %p, i64 %y
define void @constants(ptr addrspace(1) %p) {
  %x = zext i32 5 to i64
  %y = shl i64 3, 2
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %x
  %b = getelementptr i8, ptr addrspace(1) %p, i64 %y
  store i8 0, ptr addrspace(1) %a
  store i8 0, ptr addrspace(1) %b
  ret void
}
