// RUN: triton-opt --tritongpu-remove-layout-conversions --split-input-file %s | FileCheck %s
// Once more changes nothing.
// RUN: triton-opt --tritongpu-remove-layout-conversions --split-input-file %s > %t.once
// RUN: triton-opt --tritongpu-remove-layout-conversions --split-input-file %t.once > %t.twice
// RUN: diff %t.once %t.twice

#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Cheap values are computed where they are needed, for each layout anew.
// CHECK-LABEL: tt.func @recompute
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.load
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @recompute(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #plain>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #plain>
    %a = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #plain>, tensor<1024xi32, #plain>
    %aw = ttg.convert_layout %a : tensor<1024x!tt.ptr<f32>, #plain> -> tensor<1024x!tt.ptr<f32>, #wide>
    %x = tt.load %aw : tensor<1024x!tt.ptr<f32>, #wide>
    %xp = ttg.convert_layout %x : tensor<1024xf32, #wide> -> tensor<1024xf32, #plain>
    %y = arith.mulf %xp, %xp : tensor<1024xf32, #plain>
    %yw = ttg.convert_layout %y : tensor<1024xf32, #plain> -> tensor<1024xf32, #wide>
    tt.store %aw, %yw : tensor<1024x!tt.ptr<f32>, #wide>
    tt.return
  }
}

// -----

#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// What a loop carries takes the layout of its users, start and step included.
// CHECK: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-LABEL: tt.func @carried
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.for {{.*}} -> (tensor<1024x!tt.ptr<f32>, #[[$WIDE]]>, tensor<1024xf32, #[[$WIDE]]>)
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @carried(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant dense<1024> : tensor<1024xi32, #plain>
    %z = arith.constant dense<0.0> : tensor<1024xf32, #plain>
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #plain>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #plain>
    %a = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #plain>, tensor<1024xi32, #plain>
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %a, %s = %z)
        -> (tensor<1024x!tt.ptr<f32>, #plain>, tensor<1024xf32, #plain>) : i32 {
      %w = ttg.convert_layout %q : tensor<1024x!tt.ptr<f32>, #plain> -> tensor<1024x!tt.ptr<f32>, #wide>
      %x = tt.load %w : tensor<1024x!tt.ptr<f32>, #wide>
      %xp = ttg.convert_layout %x : tensor<1024xf32, #wide> -> tensor<1024xf32, #plain>
      %t = arith.addf %s, %xp : tensor<1024xf32, #plain>
      %u = tt.addptr %q, %k : tensor<1024x!tt.ptr<f32>, #plain>, tensor<1024xi32, #plain>
      scf.yield %u, %t : tensor<1024x!tt.ptr<f32>, #plain>, tensor<1024xf32, #plain>
    }
    %aw = ttg.convert_layout %a : tensor<1024x!tt.ptr<f32>, #plain> -> tensor<1024x!tt.ptr<f32>, #wide>
    %sw = ttg.convert_layout %l#1 : tensor<1024xf32, #plain> -> tensor<1024xf32, #wide>
    tt.store %aw, %sw : tensor<1024x!tt.ptr<f32>, #wide>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#row = #ttg.slice<{dim = 1, parent = #blocked}>
#otherRow = #ttg.slice<{dim = 1, parent = #other}>

// A sum of floats is computed once, even if two layouts want it; its few results move.
// CHECK-LABEL: tt.func @reduction
// CHECK-COUNT-1: "tt.reduce"
// CHECK-NOT: "tt.reduce"
// CHECK: tt.return
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reduction(%p: tensor<64x64x!tt.ptr<f32>, #blocked>, %q: tensor<64x64x!tt.ptr<f32>, #other>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #blocked>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<64x64xf32, #blocked>) -> tensor<64xf32, #row>
    %e = tt.expand_dims %s {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #blocked>
    %f = tt.broadcast %e : tensor<64x1xf32, #blocked> -> tensor<64x64xf32, #blocked>
    %g = ttg.convert_layout %f : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #other>
    tt.store %p, %f : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.store %q, %g : tensor<64x64x!tt.ptr<f32>, #other>
    tt.return
  }
}

// -----

#load = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#store = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// The conversion that must remain is that of the narrowest value on the way.
// CHECK-LABEL: tt.func @narrowest
// CHECK: arith.truncf
// CHECK: ttg.convert_layout %{{.*}} : tensor<64x64xf16
// CHECK: arith.extf
// CHECK: tt.store
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @narrowest(%p: tensor<64x64x!tt.ptr<f32>, #load>, %q: tensor<64x64x!tt.ptr<f32>, #store>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #load>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #load> -> tensor<64x64xf32, #store>
    %h = arith.truncf %y : tensor<64x64xf32, #store> to tensor<64x64xf16, #store>
    %w = arith.extf %h : tensor<64x64xf16, #store> to tensor<64x64xf32, #store>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #store>
    tt.return
  }
}

// -----

#load = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#store = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// A conversion does not move into a loop.
// CHECK-LABEL: tt.func @outside
// CHECK: ttg.convert_layout
// CHECK: scf.for
// CHECK-NOT: ttg.convert_layout
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @outside(%p: tensor<64x64x!tt.ptr<f32>, #load>, %q: tensor<64x64x!tt.ptr<f32>, #store>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #load>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %y = ttg.convert_layout %x : tensor<64x64xf32, #load> -> tensor<64x64xf32, #store>
      tt.store %q, %y : tensor<64x64x!tt.ptr<f32>, #store>
    }
    tt.return
  }
}
