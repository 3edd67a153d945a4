// RUN: triton-opt --tritongpu-optimize-thread-locality --split-input-file %s | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#thread = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Four lanes hold parts of a row. Each scales and adds up its own; the rest follows the loop. What the sum starts with
  // is the first part's.
  // CHECK-LABEL: tt.func @rowSums
  // CHECK: %[[RANGE:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32}
  // CHECK: %[[START:.*]] = arith.select {{.*}} tensor<64x4xf32, #[[$PARTS:.*]]>
  // CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[START]]) -> (tensor<64x4xf32, #[[$PARTS]]>)
  // CHECK: tt.reshape {{.*}} -> tensor<64x4x4x2xf32
  // CHECK: "tt.reduce"({{.*}}) <{axis = 3 : i32}>
  // CHECK: "tt.reduce"({{.*}}) <{axis = 1 : i32}>
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], {{.*}} : tensor<64x4xf32, #[[$PARTS]]>
  // CHECK: %[[NEXT:.*]] = arith.addf %[[SCALED]], {{.*}} : tensor<64x4xf32, #[[$PARTS]]>
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: %[[RESULT:.*]] = "tt.reduce"(%[[LOOP]]) <{axis = 1 : i32}>
  tt.func @rowSums(%x: tensor<64x32xf32, #mma>, %start: tensor<64xf32, #row>, %factor: tensor<64xf32, #row>, %n: i32)
      -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (tensor<64xf32, #row>) : i32 {
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<64x32xf32, #mma>) -> tensor<64xf32, #row>
      %scaled = arith.mulf %sum, %factor : tensor<64xf32, #row>
      %next = arith.addf %scaled, %s : tensor<64xf32, #row>
      scf.yield %next : tensor<64xf32, #row>
    }
    tt.return %r : tensor<64xf32, #row>
  }

  // The carried value may have another layout than the reduction: it gets its own after the loop.
  // CHECK-LABEL: tt.func @converted
  // CHECK: %[[LOOP:.*]] = scf.for {{.*}} -> (tensor<64x4xf32, #[[$PARTS]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  // CHECK: %[[WHOLE:.*]] = "tt.reduce"(%[[LOOP]]) <{axis = 1 : i32}>
  // CHECK: %[[RESULT:.*]] = ttg.convert_layout %[[WHOLE]] {{.*}} -> tensor<64xf32, #[[LINE:.*]]>
  // CHECK: tt.return %[[RESULT]]
  tt.func @converted(%x: tensor<64x32xf32, #mma>, %n: i32) -> tensor<64xf32, #line> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32, #line>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64xf32, #line>) : i32 {
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<64x32xf32, #mma>) -> tensor<64xf32, #row>
      %c = ttg.convert_layout %s : tensor<64xf32, #row> -> tensor<64xf32, #line>
      %next = arith.addf %sum, %c : tensor<64xf32, #line>
      scf.yield %next : tensor<64xf32, #line>
    }
    tt.return %r : tensor<64xf32, #line>
  }

  // Extremes start with the same value everywhere. All 128 threads hold a part.
  // CHECK-LABEL: tt.func @maximum
  // CHECK: %[[START:.*]] = tt.splat %{{.*}} : f32 -> tensor<128xf32
  // CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]]) -> (tensor<128xf32
  // CHECK: arith.maxnumf {{.*}} : tensor<128xf32
  // CHECK: "tt.reduce"(%[[LOOP]]) <{axis = 0 : i32}>
  // CHECK: -> f32
  tt.func @maximum(%x: tensor<512xf32, #line>, %start: f32, %n: i32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%most = %start) -> (f32) : i32 {
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.maxnumf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<512xf32, #line>) -> f32
      %next = arith.maxnumf %s, %most : f32
      scf.yield %next : f32
    }
    tt.return %r : f32
  }

  // Nothing to gain where a thread holds a whole row, and nothing allowed where the loop uses the value.
  // CHECK-LABEL: tt.func @withinThreads
  // CHECK: scf.for {{.*}} -> (tensor<128xf32, #ttg.slice
  tt.func @withinThreads(%x: tensor<128x4xf32, #thread>, %start: tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>>, %n: i32)
      -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>>) : i32 {
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<128x4xf32, #thread>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>>
      %next = arith.addf %sum, %s : tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>>
      scf.yield %next : tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>>
    }
    tt.return %r : tensor<128xf32, #ttg.slice<{dim = 1, parent = #thread}>>
  }

  // CHECK-LABEL: tt.func @used
  // CHECK: scf.for {{.*}} -> (f32)
  tt.func @used(%x: tensor<512xf32, #line>, %p: !tt.ptr<f32>, %start: f32, %n: i32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (f32) : i32 {
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<512xf32, #line>) -> f32
      %next = arith.addf %s, %sum : f32
      tt.store %p, %next : !tt.ptr<f32>
      scf.yield %next : f32
    }
    tt.return %r : f32
  }
}
