; RUN: triton-opt --amd-place-shared-memory %s | FileCheck %s
; RUN: sed 's/^; also: //' %s > %t.ll && triton-opt --amd-place-shared-memory %t.ll | FileCheck %s --check-prefix=TWO
; The memory whose size the launch gives begins at 0 if there is no other shared memory.

@window = external addrspace(3) global [0 x i8]
; also: @table = internal addrspace(3) global [64 x i8] poison

; CHECK-LABEL: @f
; CHECK: getelementptr i8, ptr addrspace(3) null, i32 %at
; TWO: getelementptr i8, ptr addrspace(3) @window, i32 %at
define i32 @f(i32 %at) {
  %p = getelementptr i8, ptr addrspace(3) @window, i32 %at
  %x = load i32, ptr addrspace(3) %p
  ret i32 %x
}
