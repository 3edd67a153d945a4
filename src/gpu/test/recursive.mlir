// Passes that follow calls refuse a function that calls itself, which they would follow without end.
// RUN: triton-opt --allocate-shared-memory --verify-diagnostics %s
// RUN: triton-opt --tritongpu-insert-barriers --verify-diagnostics %s
// RUN: triton-opt --convert-triton-gpu-to-llvm --verify-diagnostics %s

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @calls_the_caller(%p: !tt.ptr<i32>) {
    tt.call @calls_itself(%p) : (!tt.ptr<i32>) -> ()
    tt.return
  }
  tt.func @calls_itself(%p: !tt.ptr<i32>) {
    // expected-error @below {{a function calls itself here, also through others, which kernels cannot; write a loop}}
    tt.call @calls_the_caller(%p) : (!tt.ptr<i32>) -> ()
    tt.return
  }
}
