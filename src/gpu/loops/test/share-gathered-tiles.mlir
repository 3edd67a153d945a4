// RUN: triton-opt --tritongpu-share-gathered-tiles %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#strided = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Rows that are four apart in a thread do not make columns contiguous.
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.swizzled_shared<{{.*}}order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A tile goes to shared memory before the outermost loop that does not change it, once for all that gathers from it.
  // CHECK-LABEL: tt.func @shared
  // CHECK-SAME: %[[X:[^:]*]]: tensor<16x64xf32
  // CHECK: %[[B:.*]] = ttg.local_alloc %[[X]] : {{.*}} -> !ttg.memdesc<16x64xf32, #[[$ROWS]], #smem>
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: ttg.local_gather %[[B]][%{{.*}}] {axis = 0 : i32}
  // CHECK: ttg.local_gather %[[B]][%{{.*}}] {axis = 1 : i32}
  // CHECK-NOT: tt.gather
  tt.func @shared(%x: tensor<16x64xf32, #strided>, %p: tensor<1x64x!tt.ptr<f32>, #strided>,
                  %q: tensor<16x1x!tt.ptr<f32>, #strided>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.for %j = %c0 to %n step %c1 : i32 {
        %row = tt.splat %j : i32 -> tensor<1x64xi32, #strided>
        %r = tt.gather %x[%row] {axis = 0 : i32} : (tensor<16x64xf32, #strided>, tensor<1x64xi32, #strided>) -> tensor<1x64xf32, #strided>
        tt.store %p, %r : tensor<1x64x!tt.ptr<f32>, #strided>
        %column = tt.splat %i : i32 -> tensor<16x1xi32, #strided>
        %c = tt.gather %x[%column] {axis = 1 : i32} : (tensor<16x64xf32, #strided>, tensor<16x1xi32, #strided>) -> tensor<16x1xf32, #strided>
        tt.store %q, %c : tensor<16x1x!tt.ptr<f32>, #strided>
      }
    }
    tt.return
  }

  // Not what the loop changes, not outside of loops, not where it takes too much, not what has parts of bytes.
  // CHECK-LABEL: tt.func @kept
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func @kept(%x: tensor<128xf32, #line>, %large: tensor<128x512xf32, #blocked>, %mask: tensor<128xi1, #line>,
                %i: tensor<128xi32, #line>, %k: tensor<1x512xi32, #blocked>, %n: i32)
      -> (tensor<128xf32, #line>, tensor<1x512xf32, #blocked>, tensor<128xi1, #line>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %before = tt.gather %x[%i] {axis = 0 : i32} : (tensor<128xf32, #line>, tensor<128xi32, #line>) -> tensor<128xf32, #line>
    %row = arith.constant dense<0.0> : tensor<1x512xf32, #blocked>
    %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%y = %before, %z = %row, %m = %mask) -> (tensor<128xf32, #line>, tensor<1x512xf32, #blocked>, tensor<128xi1, #line>) : i32 {
      %next = tt.gather %y[%i] {axis = 0 : i32} : (tensor<128xf32, #line>, tensor<128xi32, #line>) -> tensor<128xf32, #line>
      %w = tt.gather %large[%k] {axis = 0 : i32} : (tensor<128x512xf32, #blocked>, tensor<1x512xi32, #blocked>) -> tensor<1x512xf32, #blocked>
      %b = tt.gather %mask[%i] {axis = 0 : i32} : (tensor<128xi1, #line>, tensor<128xi32, #line>) -> tensor<128xi1, #line>
      scf.yield %next, %w, %b : tensor<128xf32, #line>, tensor<1x512xf32, #blocked>, tensor<128xi1, #line>
    }
    tt.return %r#0, %r#1, %r#2 : tensor<128xf32, #line>, tensor<1x512xf32, #blocked>, tensor<128xi1, #line>
  }
}
