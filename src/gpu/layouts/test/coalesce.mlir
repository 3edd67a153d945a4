// RUN: triton-opt --tritongpu-coalesce --split-input-file %s | FileCheck %s
// RUN: triton-opt --tritongpu-coalesce=num-stages=1 --split-input-file %s | FileCheck %s --check-prefix=ONE
// ONE-LABEL: tt.func @copiedAhead
// ONE: tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[SHARED:[a-z0-9]+]]>
// ONE: tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[SHARED]]>

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Sixteen bytes a thread where the mask allows it.
// CHECK: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @aligned
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @aligned(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
    %s = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
    %m = arith.cmpi slt, %r, %s : tensor<1024xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %a = tt.addptr %b, %r : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} : {{.*}} -> tensor<1024x!tt.ptr<f16>, #[[$WIDE]]>
    // CHECK: %[[M:.*]] = ttg.convert_layout %{{.*}} : {{.*}} -> tensor<1024xi1, #[[$WIDE]]>
    // CHECK: tt.load %[[P]], %[[M]] : tensor<1024x!tt.ptr<f16>, #[[$WIDE]]>
    %x = tt.load %a, %m : tensor<1024x!tt.ptr<f16>, #blocked>
    // CHECK: tt.store %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[$WIDE]]>
    tt.store %a, %x, %m : tensor<1024x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// A mask that may change at any element leaves single accesses, and a byte beside words takes no longer a run than
// the words.
// CHECK: #[[$SINGLE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: #[[$FOUR:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @widths
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @widths(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32) {
    %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #blocked>
    %s = tt.splat %n : i32 -> tensor<2048xi32, #blocked>
    %m = arith.cmpi slt, %r, %s : tensor<2048xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %b, %r : tensor<2048x!tt.ptr<f32>, #blocked>, tensor<2048xi32, #blocked>
    // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<2048x!tt.ptr<f32>, #[[$SINGLE]]>
    %x = tt.load %a, %m : tensor<2048x!tt.ptr<f32>, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<2048x!tt.ptr<f32>, #[[$FOUR]]>
    %y = tt.load %a : tensor<2048x!tt.ptr<f32>, #blocked>
    %c = tt.splat %q : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>, #blocked>
    %d = tt.addptr %c, %r : tensor<2048x!tt.ptr<i8>, #blocked>, tensor<2048xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<2048x!tt.ptr<i8>, #[[$FOUR]]>
    %z = tt.load %d : tensor<2048x!tt.ptr<i8>, #blocked>
    %f = arith.uitofp %z : tensor<2048xi8, #blocked> to tensor<2048xf32, #blocked>
    %g = arith.addf %f, %y : tensor<2048xf32, #blocked>
    // CHECK: tt.store %{{.*}} : tensor<2048x!tt.ptr<f32>, #[[$FOUR]]>
    %h = tt.splat %o : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #blocked>
    %k = tt.addptr %h, %r : tensor<2048x!tt.ptr<f32>, #blocked>, tensor<2048xi32, #blocked>
    tt.store %k, %g : tensor<2048x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// What does not meet has layouts of its own: bytes that are added fill an instruction beside words, although both have
// the same offsets.
// CHECK-DAG: #[[$FOUR:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$SIXTEEN:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [16], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @apart
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @apart(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #blocked>
    %c = tt.splat %q : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>, #blocked>
    %d = tt.addptr %c, %r : tensor<2048x!tt.ptr<i8>, #blocked>, tensor<2048xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<2048x!tt.ptr<i8>, #[[$SIXTEEN]]>
    %z = tt.load %d : tensor<2048x!tt.ptr<i8>, #blocked>
    %sum = "tt.reduce"(%z) <{axis = 0 : i32}> ({
    ^bb0(%left: i8, %right: i8):
      %both = arith.addi %left, %right : i8
      tt.reduce.return %both : i8
    }) : (tensor<2048xi8, #blocked>) -> i8
    %f = arith.uitofp %sum : i8 to f32
    %g = tt.splat %f : f32 -> tensor<2048xf32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %b, %r : tensor<2048x!tt.ptr<f32>, #blocked>, tensor<2048xi32, #blocked>
    // CHECK: tt.store %{{.*}} : tensor<2048x!tt.ptr<f32>, #[[$FOUR]]>
    tt.store %a, %g : tensor<2048x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#columns = #ttg.slice<{dim = 0, parent = #blocked}>

// The dimension that is contiguous in memory comes first; where none is, the order is row-major.
// CHECK: #[[$DOWN:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK: #[[$ACROSS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-LABEL: tt.func @orders
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @orders(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #columns>
    %ie = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %je = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #blocked>
    %s = tt.splat %n : i32 -> tensor<1x64xi32, #blocked>
    %js = arith.muli %je, %s : tensor<1x64xi32, #blocked>
    %ib = tt.broadcast %ie : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %jb = tt.broadcast %js : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %o = arith.addi %ib, %jb : tensor<64x64xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %b, %o : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f32>, #[[$DOWN]]>
    %x = tt.load %a : tensor<64x64x!tt.ptr<f32>, #blocked>
    %c = tt.addptr %b, %jb : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f32>, #[[$ACROSS]]>
    %y = tt.load %c : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// What is stored is loaded by the same thread, although the store's mask allows single elements alone, and although the
// program computes the pointers twice. Bytes whose
// alignment is unknown are single accesses: beside words they would take a thread's whole run one by one.
// CHECK-DAG: #[[$FOUR:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$SINGLE:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @sameAddress
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @sameAddress(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i8>, %n: i32) {
    %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #blocked>
    %s = tt.splat %n : i32 -> tensor<2048xi32, #blocked>
    %m = arith.cmpi slt, %r, %s : tensor<2048xi32, #blocked>
    %z = arith.constant dense<0.0> : tensor<2048xf32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %b, %r : tensor<2048x!tt.ptr<f32>, #blocked>, tensor<2048xi32, #blocked>
    // CHECK: tt.store {{.*}} : tensor<2048x!tt.ptr<f32>, #[[$FOUR]]>
    tt.store %a, %z, %m : tensor<2048x!tt.ptr<f32>, #blocked>
    // CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<f32>, #[[$FOUR]]>
    %b2 = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #blocked>
    %a2 = tt.addptr %b2, %r : tensor<2048x!tt.ptr<f32>, #blocked>, tensor<2048xi32, #blocked>
    %x = tt.load %a2 : tensor<2048x!tt.ptr<f32>, #blocked>
    %c = tt.splat %q : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>, #blocked>
    %d = tt.addptr %c, %r : tensor<2048x!tt.ptr<i8>, #blocked>, tensor<2048xi32, #blocked>
    // CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<i8>, #[[$SINGLE]]>
    %y = tt.load %d : tensor<2048x!tt.ptr<i8>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1, 1, 1, 1], threadsPerWarp = [1, 1, 2, 4, 4], warpsPerCTA = [2, 2, 1, 1, 1], order = [4, 3, 2, 1, 0]}>

// Of dimensions that are equally long in memory the last comes first.
// CHECK: order = [2, 4, 3, 1, 0]}>
// CHECK-LABEL: tt.func @ties
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ties(%p: tensor<4x4x4x4x4x!tt.ptr<f32>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 1, 4, 1, 1]> : tensor<5xi32>}) {
    %x = tt.load %p : tensor<4x4x4x4x4x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// Operands and their factors, which copies bring ahead of the product, have layouts of their own: each moves 16 bytes at
// once. Without copies ahead they share one.
// CHECK-DAG: #[[$EIGHT:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [1, 8]
// CHECK-DAG: #[[$FOUR:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-LABEL: tt.func @copiedAhead
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[$EIGHT]]>
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[$FOUR]]>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @copiedAhead(%p: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x64x!tt.ptr<f32>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %n: i32, %y: tensor<64x64xf32, #b>, %zero: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #blocked>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
      %f = tt.load %q : tensor<64x64x!tt.ptr<f32>, #blocked>
      %e = arith.extf %x : tensor<64x64xf16, #blocked> to tensor<64x64xf32, #blocked>
      %s = arith.mulf %e, %f : tensor<64x64xf32, #blocked>
      %o = ttg.convert_layout %s : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #a>
      %d = tt.dot %o, %y, %sum : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<64x64xf32, #blocked>
      scf.yield %d : tensor<64x64xf32, #blocked>
    }
    tt.return %r : tensor<64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// A loop moves 16 bytes of halves at once. The sum, which is stored once after it, need not.
// CHECK: #[[$EIGHT:[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [8]
// CHECK-LABEL: tt.func @afterALoop
// CHECK: scf.for
// CHECK: tt.load {{.*}} : tensor<4096x!tt.ptr<f16>, #[[$EIGHT]]>
// CHECK: tt.store {{.*}} : tensor<4096x!tt.ptr<f32>, #[[$EIGHT]]>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @afterALoop(%p: tensor<4096x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<4096> : tensor<1xi32>}, %q: tensor<4096x!tt.ptr<f32>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<4096> : tensor<1xi32>}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<4096xf32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<4096xf32, #blocked>) : i32 {
      %x = tt.load %p : tensor<4096x!tt.ptr<f16>, #blocked>
      %e = arith.extf %x : tensor<4096xf16, #blocked> to tensor<4096xf32, #blocked>
      %s = arith.addf %sum, %e : tensor<4096xf32, #blocked>
      scf.yield %s : tensor<4096xf32, #blocked>
    }
    tt.store %q, %r : tensor<4096x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>

// What is reduced in order lies side by side in each thread along that dimension, too; a sum may take any order.
// CHECK: #[[$ORDERED:.*]] = #ttg.blocked<{sizePerThread = [8, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$ANY:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @reducedInOrder
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reducedInOrder(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> (tensor<128xf16, #ttg.slice<{dim = 0, parent = #blocked}>>, tensor<128xf16, #ttg.slice<{dim = 0, parent = #blocked}>>) {
    %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %c128 = arith.constant dense<128> : tensor<64x1xi32, #blocked>
    %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %s = arith.muli %r, %c128 : tensor<64x1xi32, #blocked>
    %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
    %rb = tt.broadcast %s : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %cb = tt.broadcast %c : tensor<1x128xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %o = arith.addi %rb, %cb : tensor<64x128xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>, #blocked>
    %pa = tt.addptr %ps, %o : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
    %qs = tt.splat %q : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>, #blocked>
    %qa = tt.addptr %qs, %o : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<64x128x!tt.ptr<f16>, #[[$ORDERED]]>
    %x = tt.load %pa : tensor<64x128x!tt.ptr<f16>, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<64x128x!tt.ptr<f16>, #[[$ANY]]>
    %y = tt.load %qa : tensor<64x128x!tt.ptr<f16>, #blocked>
    %first = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      %d = arith.subf %a, %b : f16
      tt.reduce.return %d : f16
    }) : (tensor<64x128xf16, #blocked>) -> tensor<128xf16, #ttg.slice<{dim = 0, parent = #blocked}>>
    %sum = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      %d = arith.addf %a, %b : f16
      tt.reduce.return %d : f16
    }) : (tensor<64x128xf16, #blocked>) -> tensor<128xf16, #ttg.slice<{dim = 0, parent = #blocked}>>
    tt.return %first, %sum : tensor<128xf16, #ttg.slice<{dim = 0, parent = #blocked}>>, tensor<128xf16, #ttg.slice<{dim = 0, parent = #blocked}>>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// A line that meets rows in memory has no second dimension along which its elements could lie.
// CHECK: #[[$ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$LINE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @reducedInPlace
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reducedInPlace(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %c128 = arith.constant dense<128> : tensor<64x1xi32, #blocked>
    %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %s = arith.muli %r, %c128 : tensor<64x1xi32, #blocked>
    %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
    %rb = tt.broadcast %s : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %cb = tt.broadcast %c : tensor<1x128xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %o = arith.addi %rb, %cb : tensor<64x128xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>, #blocked>
    %pa = tt.addptr %ps, %o : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
    // CHECK: tt.load %{{.*}} : tensor<64x128x!tt.ptr<f16>, #[[$ROWS]]>
    %x = tt.load %pa : tensor<64x128x!tt.ptr<f16>, #blocked>
    %first = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      %d = arith.subf %a, %b : f16
      tt.reduce.return %d : f16
    }) : (tensor<64x128xf16, #blocked>) -> tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>
    %y = ttg.convert_layout %first : tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64xf16, #line>
    %line = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #line>
    %pl = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #line>
    %q = tt.addptr %pl, %line : tensor<64x!tt.ptr<f16>, #line>, tensor<64xi32, #line>
    // CHECK: tt.store %{{.*}} : tensor<64x!tt.ptr<f16>, #[[$LINE]]>
    tt.store %q, %y : tensor<64x!tt.ptr<f16>, #line>
    tt.return
  }
}
