// A kernel as the stage llir leaves it: out[i] = x[i] + y[i] where i < n, one element a thread, 128 threads a program.
#pragma once

namespace triton::simulator {

inline constexpr char vectorAddText[] = R"(
target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @add(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %program = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %program, 7
  %i = or i32 %base, %thread
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %exit
body:
  %px = getelementptr float, ptr addrspace(1) %x, i32 %i
  %py = getelementptr float, ptr addrspace(1) %y, i32 %i
  %pout = getelementptr float, ptr addrspace(1) %out, i32 %i
  %a = load float, ptr addrspace(1) %px, align 4
  %b = load float, ptr addrspace(1) %py, align 4
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(1) %pout, align 4
  br label %exit
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

attributes #0 = { "nvvm.reqntid"="128" }
)";

} // namespace triton::simulator
