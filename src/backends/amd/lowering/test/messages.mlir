// RUN: triton-opt %s --split-input-file --convert-triton-gpu-to-llvm=check-assertions=true | FileCheck %s

// A kernel cannot call the host: it leaves messages in memory, which every function takes as its last parameter.
// CHECK: ttg.messages = [{format = "pid (%u, %u, %u) idx () 100%%: %d\0A"}, {failure, format = "device assertion failed: small\0A at {{.*}}in program (%u, %u, %u)"}]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK: llvm.func amdgpu_kernelcc @speaks(%{{.*}}: i32, %{{.*}}: i1, %[[BUFFER:.*]]: !llvm.ptr<1>)
// CHECK: llvm.call @helper(%{{.*}}, %[[BUFFER]])
tt.func public @speaks(%n: i32, %small: i1) {
  tt.print " 100%: " {hex = false, isSigned = array<i32: 1>} : %n : i32
  tt.call @helper(%small) : (i1) -> ()
  tt.return
}
// CHECK: llvm.func internal @helper(%{{.*}}: i1, %[[BUFFER:.*]]: !llvm.ptr<1>)
// CHECK: %[[PLACE:.*]] = llvm.atomicrmw add %[[BUFFER]], %{{.*}} syncscope("agent") monotonic
// CHECK: llvm.icmp "ule"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.endpgm"
tt.func private @helper(%small: i1) attributes {noinline = true} {
  tt.assert %small, "small" : i1
  tt.return
}
}

// -----

// Who says nothing has no such parameter.
// CHECK-NOT: ttg.messages
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK: llvm.func amdgpu_kernelcc @silent(%{{[^,]*}}: i32) attributes
tt.func public @silent(%n: i32) {
  tt.return
}
}
