; RUN: not triton-opt --gpu-verify-llir %s 2>&1 | FileCheck %s --check-prefix=WHOLE
; RUN: sed 's/thread, 64$/thread, 128/' %s > %t.1.ll && not triton-opt --gpu-verify-llir %t.1.ll 2>&1 | FileCheck %s --check-prefix=COMPUTING
; RUN: sed 's/i32 96)/i32 64)/' %t.1.ll > %t.2.ll && not triton-opt --gpu-verify-llir %t.2.ll 2>&1 | FileCheck %s --check-prefix=TURNS
; RUN: sed 's/warp, 3$/warp, 4/' %t.2.ll > %t.3.ll && triton-opt --gpu-verify-llir %t.3.ll | FileCheck %s --check-prefix=RIGHT
; Each barrier waits for threads that a condition keeps away from it. In the last text, they all can reach it.

; RIGHT: define ptx_kernel void @whole

; WHOLE: llir-6: 64 threads can reach a barrier that waits for 128
define ptx_kernel void @whole(i32 %n) "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %thread, 64
  br i1 %low, label %some, label %all

some:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %all

all:
  %loops = icmp sgt i32 %n, 0
  br i1 %loops, label %unknown, label %end

unknown:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end

end:
  ret void
}

; The last two of four warps move data, the first two compute.
; COMPUTING: llir-6: 64 threads can reach a barrier that waits for 96
define ptx_kernel void @computing() "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %number = lshr i32 %thread, 5
  %warp = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %number, i32 0, i32 31)
  %computes = icmp ult i32 %warp, 2
  br i1 %computes, label %compute, label %end

compute:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 96)
  br label %end

end:
  ret void
}

; One group waits, another one arrives.
; TURNS: llir-6: 96 threads can reach a barrier that waits for 128
define ptx_kernel void @turns() "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %thread, 5
  %first = icmp ult i32 %warp, 2
  br i1 %first, label %wait, label %others

wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 128)
  br label %end

others:
  %second = icmp ult i32 %warp, 3
  br i1 %second, label %arrive, label %end

arrive:
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 2, i32 128)
  br label %end

end:
  ret void
}

; No thread waits here: that is dead code, not a barrier that waits forever.
; RIGHT: define ptx_kernel void @nobody
define ptx_kernel void @nobody() "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %high = icmp ugt i32 %thread, 127
  br i1 %high, label %wait, label %end

wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end

end:
  ret void
}
