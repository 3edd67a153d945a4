// RUN: triton-opt %s --split-input-file --verify-diagnostics

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func @pointee(%p: !tt.ptr<f16>, %i: tensor<128xi32, #blocked>) {
  // expected-error @below {{accesses elements of 'tensor<128xf32, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>' behind '!tt.ptr<f16>', but the types of the elements must agree}}
  %0 = amdg.buffer_load %p[%i] : !tt.ptr<f16> -> tensor<128xf32, #blocked>
  tt.return
}

// -----

// expected-error @below {{expected `maxPhase`, an integer}}
#rotating = #ttg.amd_rotating_shared<{vec = 1, perPhase = 1, order = [1, 0]}>

// -----

tt.func @captures(%n: i32) {
  // expected-error @below {{expected as many operands of the same types as each partition names}}
  ttg.warp_specialize(%n)
  default {
    ttg.warp_yield
  }
  partition0(%m: i64) num_warps(4) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}

// -----

tt.func @empty() {
  // expected-error @below {{expected operations in each partition}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
  } : () -> ()
  tt.return
}
