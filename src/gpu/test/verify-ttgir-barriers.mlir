// Barriers are checked by layouts, so that a module without any is refused.
// RUN: triton-opt --tritongpu-verify-ttgir=has-barriers=true --verify-diagnostics %s

// expected-error @below {{a module with layouts must name its machine in the attribute `ttg.target`}}
module {
  tt.func @stores(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
