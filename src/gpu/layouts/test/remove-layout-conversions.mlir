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
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
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
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
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
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
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
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
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
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
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

// -----

#load = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#store = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// Carried values that change places have one layout, of which there is one copy: the loop is rebuilt once.
// CHECK-LABEL: tt.func @swapped
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<64x64xf32, #[[L:.*]]>, tensor<64x64xf32, #[[L]]>)
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.yield %[[B]], %{{.*}} : tensor<64x64xf32, #[[L]]>, tensor<64x64xf32, #[[L]]>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @swapped(%p: tensor<64x64x!tt.ptr<f32>, #load>, %q: tensor<64x64x!tt.ptr<f32>, #store>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #load>
    %y = arith.negf %x : tensor<64x64xf32, #load>
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y)
        -> (tensor<64x64xf32, #load>, tensor<64x64xf32, #load>) : i32 {
      %as = ttg.convert_layout %a : tensor<64x64xf32, #load> -> tensor<64x64xf32, #store>
      %s = arith.addf %as, %as : tensor<64x64xf32, #store>
      %sl = ttg.convert_layout %s : tensor<64x64xf32, #store> -> tensor<64x64xf32, #load>
      scf.yield %b, %sl : tensor<64x64xf32, #load>, tensor<64x64xf32, #load>
    }
    %d = arith.subf %l#0, %l#1 : tensor<64x64xf32, #load>
    %ds = ttg.convert_layout %d : tensor<64x64xf32, #load> -> tensor<64x64xf32, #store>
    tt.store %q, %ds : tensor<64x64x!tt.ptr<f32>, #store>
    tt.return
  }
}

// -----

#load = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#store = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// A value that a branch converted first is converted where both the branch and what follows see it.
// CHECK-LABEL: tt.func @dominance
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[S:.*]] = ttg.convert_layout %[[X]]
// CHECK: scf.if
// CHECK: tt.store %{{.*}}, %[[S]]
// CHECK: }
// CHECK: tt.store %{{.*}}, %[[S]]
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @dominance(%p: tensor<64x64x!tt.ptr<f32>, #load>, %q: tensor<64x64x!tt.ptr<f32>, #store>,
                     %o: tensor<64x64x!tt.ptr<f32>, #store>, %c: i1) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #load>
    scf.if %c {
      %s = ttg.convert_layout %x : tensor<64x64xf32, #load> -> tensor<64x64xf32, #store>
      tt.store %q, %s : tensor<64x64x!tt.ptr<f32>, #store>
    }
    %t = ttg.convert_layout %x : tensor<64x64xf32, #load> -> tensor<64x64xf32, #store>
    tt.store %o, %t : tensor<64x64x!tt.ptr<f32>, #store>
    tt.return
  }
}

// -----

#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Few elements are loaded in the layout that wants them; but what was just written, by the threads that wrote it.
// CHECK-DAG: #[[$PLAIN:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [1]
// CHECK-DAG: #[[$WIDE:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-LABEL: tt.func @written
// CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #[[$WIDE]]>
// CHECK: tt.store %{{.*}} : tensor<128x!tt.ptr<f32>, #[[$PLAIN]]>
// CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #[[$PLAIN]]>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @written(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %o: tensor<128x!tt.ptr<f32>, #wide>) {
    %one = arith.constant dense<1.0> : tensor<128xf32, #plain>
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #plain>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #plain>
    %pa = tt.addptr %ps, %r : tensor<128x!tt.ptr<f32>, #plain>, tensor<128xi32, #plain>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #plain>
    %qa = tt.addptr %qs, %r : tensor<128x!tt.ptr<f32>, #plain>, tensor<128xi32, #plain>
    %x = tt.load %pa : tensor<128x!tt.ptr<f32>, #plain>
    %xw = ttg.convert_layout %x : tensor<128xf32, #plain> -> tensor<128xf32, #wide>
    tt.store %qa, %one : tensor<128x!tt.ptr<f32>, #plain>
    %y = tt.load %qa : tensor<128x!tt.ptr<f32>, #plain>
    %yw = ttg.convert_layout %y : tensor<128xf32, #plain> -> tensor<128xf32, #wide>
    tt.store %o, %xw : tensor<128x!tt.ptr<f32>, #wide>
    tt.store %o, %yw : tensor<128x!tt.ptr<f32>, #wide>
    tt.return
  }
}

// -----

#tall = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#rows = #ttg.slice<{dim = 1, parent = #tall}>
#columns = #ttg.slice<{dim = 0, parent = #tall}>

// A mask is compared where each thread has few rows. In the other layout, the numbers of 64 rows would take 128 registers
// all the time.
// CHECK-DAG: #[[$MMA:.*]] = #ttg.nvidia_mma
// CHECK-LABEL: tt.func @held
// CHECK: scf.for
// CHECK: arith.cmpi sge, %{{.*}} : tensor<64x128xi64, #[[$MMA]]>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @held(%p: tensor<128x!tt.ptr<i32>, #columns>, %first: i64, %x: tensor<64x128xf32, #mma>, %n: i32)
      -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %wide = arith.extsi %range : tensor<64xi32, #rows> to tensor<64xi64, #rows>
    %base = tt.splat %first : i64 -> tensor<64xi64, #rows>
    %row = arith.addi %base, %wide : tensor<64xi64, #rows>
    %column_of_rows = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi64, #rows> -> tensor<64x1xi64, #tall>
    %all_rows = tt.broadcast %column_of_rows : tensor<64x1xi64, #tall> -> tensor<64x128xi64, #tall>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<64x128xf32, #mma>) : i32 {
      %l = tt.load %p : tensor<128x!tt.ptr<i32>, #columns>
      %c = arith.extsi %l : tensor<128xi32, #columns> to tensor<128xi64, #columns>
      %e = tt.expand_dims %c {axis = 0 : i32} : tensor<128xi64, #columns> -> tensor<1x128xi64, #tall>
      %b = tt.broadcast %e : tensor<1x128xi64, #tall> -> tensor<64x128xi64, #tall>
      %m = arith.cmpi sge, %b, %all_rows : tensor<64x128xi64, #tall>
      %k = ttg.convert_layout %m : tensor<64x128xi1, #tall> -> tensor<64x128xi1, #mma>
      %d = arith.addf %sum, %x : tensor<64x128xf32, #mma>
      %s = arith.select %k, %d, %sum : tensor<64x128xi1, #mma>, tensor<64x128xf32, #mma>
      scf.yield %s : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>

// Where accesses spread rows over warps again and again, warps would exchange a total for each row of a thread. A scan
// over rows has runs of them in threads instead, next to each other in lanes.
// CHECK-DAG: #[[$RUNS:.*]] = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16]
// CHECK-LABEL: tt.func @scan_of_rows
// CHECK: tt.load %{{.*}} : tensor<128x64x!tt.ptr<bf16>, #[[$ROWS]]>
// CHECK: ttg.convert_layout %{{.*}} : tensor<128x64xbf16, #[[$ROWS]]> -> tensor<128x64xbf16, #[[$RUNS]]>
// CHECK: "tt.scan"
// CHECK: (tensor<128x64xf32, #[[$RUNS]]>) -> tensor<128x64xf32, #[[$RUNS]]>
// Few columns, which fit one after the other, stay as they are loaded.
// CHECK-LABEL: tt.func @scan_of_a_row
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @scan_of_rows(%p: tensor<128x64x!tt.ptr<bf16>, #rows>, %q: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %x = tt.load %p : tensor<128x64x!tt.ptr<bf16>, #rows>
    %w = arith.extf %x : tensor<128x64xbf16, #rows> to tensor<128x64xf32, #rows>
    %s = "tt.scan"(%w) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<128x64xf32, #rows>) -> tensor<128x64xf32, #rows>
    tt.store %q, %s : tensor<128x64x!tt.ptr<f32>, #rows>
    tt.return
  }

  tt.func @scan_of_a_row(%p: tensor<2048x!tt.ptr<f32>, #row>) {
    %x = tt.load %p : tensor<2048x!tt.ptr<f32>, #row>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<2048xf32, #row>) -> tensor<2048xf32, #row>
    tt.store %p, %s : tensor<2048x!tt.ptr<f32>, #row>
    tt.return
  }
}

// -----

#lines = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [0, 1]}>
#vector = #ttg.slice<{dim = 1, parent = #lines}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

// Lanes have other columns of the state, so that its sums over rows need two exchanges and not five for each column; the
// vector of each iteration is brought to them.
// CHECK: #[[$LANES:.*]] = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @state
// CHECK: scf.for {{.*}} -> (tensor<128x8xf32, #[[$LANES]]>
// CHECK: ttg.convert_layout %{{.*}} -> tensor<128x{{.*}}, #ttg.slice<{dim = 1, parent = #[[$LANES]]}>>
// CHECK: "tt.reduce"
// CHECK: (tensor<128x8xf32, #[[$LANES]]>)
// What is loaded in each iteration stays in the layout of the load.
// CHECK-LABEL: tt.func @loaded
// CHECK-NOT: ttg.convert_layout
// CHECK: "tt.reduce"
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @state(%p: tensor<128x!tt.ptr<bf16>, #vector>, %q: tensor<8x!tt.ptr<f32>, #single>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<128x8xf32, #lines>
    %h = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<128x8xf32, #lines>) : i32 {
      %x = tt.load %p : tensor<128x!tt.ptr<bf16>, #vector>
      %w = arith.extf %x : tensor<128xbf16, #vector> to tensor<128xf32, #vector>
      %e = tt.expand_dims %w {axis = 1 : i32} : tensor<128xf32, #vector> -> tensor<128x1xf32, #lines>
      %b = tt.broadcast %e : tensor<128x1xf32, #lines> -> tensor<128x8xf32, #lines>
      %m = arith.mulf %s, %b : tensor<128x8xf32, #lines>
      %r = "tt.reduce"(%m) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %c: f32):
        %d = arith.addf %a, %c : f32
        tt.reduce.return %d : f32
      }) : (tensor<128x8xf32, #lines>) -> tensor<8xf32, #ttg.slice<{dim = 0, parent = #lines}>>
      %f = tt.expand_dims %r {axis = 0 : i32} : tensor<8xf32, #ttg.slice<{dim = 0, parent = #lines}>> -> tensor<1x8xf32, #lines>
      %g = tt.broadcast %f : tensor<1x8xf32, #lines> -> tensor<128x8xf32, #lines>
      %k = arith.mulf %b, %g : tensor<128x8xf32, #lines>
      %t = arith.addf %s, %k : tensor<128x8xf32, #lines>
      %o = arith.mulf %t, %b : tensor<128x8xf32, #lines>
      %y = "tt.reduce"(%o) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %c: f32):
        %d = arith.addf %a, %c : f32
        tt.reduce.return %d : f32
      }) : (tensor<128x8xf32, #lines>) -> tensor<8xf32, #ttg.slice<{dim = 0, parent = #lines}>>
      %v = ttg.convert_layout %y : tensor<8xf32, #ttg.slice<{dim = 0, parent = #lines}>> -> tensor<8xf32, #single>
      tt.store %q, %v : tensor<8x!tt.ptr<f32>, #single>
      scf.yield %t : tensor<128x8xf32, #lines>
    }
    tt.return
  }

  tt.func @loaded(%p: tensor<128x8x!tt.ptr<f32>, #lines>, %q: tensor<8x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #lines}>>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : tensor<128x8x!tt.ptr<f32>, #lines>
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %c: f32):
        %d = arith.addf %a, %c : f32
        tt.reduce.return %d : f32
      }) : (tensor<128x8xf32, #lines>) -> tensor<8xf32, #ttg.slice<{dim = 0, parent = #lines}>>
      tt.store %q, %r : tensor<8x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #lines}>>
    }
    tt.return
  }
}

// -----

#tile = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>

// A thread has 64 rows of a column. The group of all of them has one number, which each thread computes; of numbers that
// may differ, an exchange brings it 64.
// CHECK-DAG: #[[$TILE:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32]
// CHECK-LABEL: tt.func @groups
// CHECK: arith.divsi %{{.*}} : tensor<64x1xi32, #[[$TILE]]>
// CHECK-NOT: ttg.convert_layout
// CHECK-LABEL: tt.func @rows
// CHECK: ttg.convert_layout
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @groups(%p: tensor<64x128x!tt.ptr<f32>, #tile>, %c: tensor<64x128xf32, #tile>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %size = arith.constant dense<128> : tensor<64x1xi32, #column>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #column}>>
    %e = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #column}>> -> tensor<64x1xi32, #column>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %o = arith.muli %i, %c64 : i32
      %s = tt.splat %o : i32 -> tensor<64x1xi32, #column>
      %k = arith.addi %s, %e : tensor<64x1xi32, #column>
      %g = arith.divsi %k, %size : tensor<64x1xi32, #column>
      %t = ttg.convert_layout %g : tensor<64x1xi32, #column> -> tensor<64x1xi32, #tile>
      %b = tt.broadcast %t : tensor<64x1xi32, #tile> -> tensor<64x128xi32, #tile>
      %q = tt.addptr %p, %b : tensor<64x128x!tt.ptr<f32>, #tile>, tensor<64x128xi32, #tile>
      tt.store %q, %c : tensor<64x128x!tt.ptr<f32>, #tile>
    }
    tt.return
  }

  tt.func @rows(%p: tensor<64x128x!tt.ptr<f32>, #tile>, %c: tensor<64x128xf32, #tile>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %size = arith.constant dense<99> : tensor<64x1xi32, #column>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #column}>>
    %e = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #column}>> -> tensor<64x1xi32, #column>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %o = arith.muli %i, %c64 : i32
      %s = tt.splat %o : i32 -> tensor<64x1xi32, #column>
      %k = arith.addi %s, %e : tensor<64x1xi32, #column>
      %g = arith.divsi %k, %size : tensor<64x1xi32, #column>
      %t = ttg.convert_layout %g : tensor<64x1xi32, #column> -> tensor<64x1xi32, #tile>
      %b = tt.broadcast %t : tensor<64x1xi32, #tile> -> tensor<64x128xi32, #tile>
      %q = tt.addptr %p, %b : tensor<64x128x!tt.ptr<f32>, #tile>, tensor<64x128xi32, #tile>
      tt.store %q, %c : tensor<64x128x!tt.ptr<f32>, #tile>
    }
    tt.return
  }
}

// -----

#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Eight halves of a row are one access, also where each row of lanes repeats it: there is no exchange. Eight floats are
// two, and fill eight registers.
// CHECK-LABEL: tt.func @halves
// CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<bf16>, #ttg.slice<{dim = 0,
// CHECK-NOT: ttg.convert_layout
// CHECK-LABEL: tt.func @floats
// CHECK: ttg.convert_layout
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @halves(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %q: tensor<32x64x!tt.ptr<bf16>, #tile>) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %s = tt.splat %p : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>, #row>
    %a = tt.addptr %s, %r : tensor<64x!tt.ptr<bf16>, #row>, tensor<64xi32, #row>
    %w = tt.load %a : tensor<64x!tt.ptr<bf16>, #row>
    %c = ttg.convert_layout %w : tensor<64xbf16, #row> -> tensor<64xbf16, #ttg.slice<{dim = 0, parent = #tile}>>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xbf16, #ttg.slice<{dim = 0, parent = #tile}>> -> tensor<1x64xbf16, #tile>
    %b = tt.broadcast %e : tensor<1x64xbf16, #tile> -> tensor<32x64xbf16, #tile>
    tt.store %q, %b : tensor<32x64x!tt.ptr<bf16>, #tile>
    tt.return
  }

  tt.func @floats(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: tensor<32x64x!tt.ptr<f32>, #tile>) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %a = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
    %w = tt.load %a : tensor<64x!tt.ptr<f32>, #row>
    %c = ttg.convert_layout %w : tensor<64xf32, #row> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #tile}>>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #tile}>> -> tensor<1x64xf32, #tile>
    %b = tt.broadcast %e : tensor<1x64xf32, #tile> -> tensor<32x64xf32, #tile>
    tt.store %q, %b : tensor<32x64x!tt.ptr<f32>, #tile>
    tt.return
  }
}

// -----

#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// A count that no access determines takes the layout of what it is reduced with.
// CHECK: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-LABEL: tt.func @counted
// CHECK: scf.for {{.*}} -> (tensor<1024xf32, #[[$WIDE]]>, tensor<1024xf32, #[[$WIDE]]>)
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @counted(%p: tensor<1024x!tt.ptr<f32>, #wide>, %n: i32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #plain>
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #plain>
    %limit = tt.splat %n : i32 -> tensor<1024xi32, #plain>
    %counts:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %count = %zero) -> (tensor<1024xf32, #plain>, tensor<1024xf32, #plain>) : i32 {
      %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #wide>
      %xp = ttg.convert_layout %x : tensor<1024xf32, #wide> -> tensor<1024xf32, #plain>
      %m = arith.cmpi slt, %r, %limit : tensor<1024xi32, #plain>
      %one = arith.uitofp %m : tensor<1024xi1, #plain> to tensor<1024xf32, #plain>
      %count_next = arith.addf %count, %one : tensor<1024xf32, #plain>
      %sum_next = arith.addf %sum, %xp : tensor<1024xf32, #plain>
      scf.yield %sum_next, %count_next : tensor<1024xf32, #plain>, tensor<1024xf32, #plain>
    }
    %both:2 = "tt.reduce"(%counts#0, %counts#1) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %s = arith.addf %a, %c : f32
      %t = arith.addf %b, %d : f32
      tt.reduce.return %s, %t : f32, f32
    }) : (tensor<1024xf32, #plain>, tensor<1024xf32, #plain>) -> (f32, f32)
    %mean = arith.divf %both#0, %both#1 : f32
    tt.return %mean : f32
  }
}

// -----

#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Loads from places that nothing is known of take the layout of the store that they meet, both at once.
// CHECK: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [8]
// CHECK-LABEL: tt.func @scattered
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<i8>, #[[$WIDE]]>
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<i8>, #[[$WIDE]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @scattered(%p: !tt.ptr<i8>, %q: tensor<1024x!tt.ptr<i8>, #wide>, %stride: i32) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #plain>
    %s = tt.splat %stride : i32 -> tensor<1024xi32, #plain>
    %o = arith.muli %r, %s : tensor<1024xi32, #plain>
    %b = tt.splat %p : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>, #plain>
    %a = tt.addptr %b, %o : tensor<1024x!tt.ptr<i8>, #plain>, tensor<1024xi32, #plain>
    %x = tt.load %a : tensor<1024x!tt.ptr<i8>, #plain>
    %t = arith.addi %o, %r : tensor<1024xi32, #plain>
    %c = tt.addptr %b, %t : tensor<1024x!tt.ptr<i8>, #plain>, tensor<1024xi32, #plain>
    %y = tt.load %c : tensor<1024x!tt.ptr<i8>, #plain>
    %z = arith.addi %x, %y : tensor<1024xi8, #plain>
    %zw = ttg.convert_layout %z : tensor<1024xi8, #plain> -> tensor<1024xi8, #wide>
    tt.store %q, %zw : tensor<1024x!tt.ptr<i8>, #wide>
    tt.return
  }
}

// -----

#plain = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [16], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// A histogram counts elements where they are.
// CHECK-LABEL: tt.func @counts
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @counts(%p: tensor<2048x!tt.ptr<i8>, #wide>, %m: tensor<2048xi1, #wide>) -> tensor<256xi32, #plain> {
    %x = tt.load %p : tensor<2048x!tt.ptr<i8>, #wide>
    %c = ttg.convert_layout %x : tensor<2048xi8, #wide> -> tensor<2048xi8, #plain>
    %e = arith.extui %c : tensor<2048xi8, #plain> to tensor<2048xi32, #plain>
    %k = ttg.convert_layout %m : tensor<2048xi1, #wide> -> tensor<2048xi1, #plain>
    %h = tt.histogram %e, %k : tensor<2048xi32, #plain> -> tensor<256xi32, #plain>
    tt.return %h : tensor<256xi32, #plain>
  }
}
