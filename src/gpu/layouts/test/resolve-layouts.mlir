// RUN: triton-opt --tritongpu-resolve-layouts --split-input-file --verify-diagnostics %s 2>&1 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#matrix = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#pairs = #ttg.linear<{shape = [64, 2], register = [], lane = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// Backwards through what computes the block, and forwards to what else is computed from it.
// CHECK-LABEL: tt.func @both_directions
// CHECK: tt.make_range {{.*}} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #[[MATRIX:blocked[0-9]*]]}>>
// CHECK: arith.constant dense<2> : tensor<64x1xi32, #[[MATRIX]]>
// CHECK: tt.expand_dims {{.*}} -> tensor<64x1xi32, #[[MATRIX]]>
// CHECK: arith.muli {{.*}} : tensor<64x1xi32, #[[MATRIX]]>
// CHECK: tt.broadcast {{.*}} -> tensor<64x32xi32, #[[MATRIX]]>
// CHECK-NOT: set_auto_layout
// CHECK: arith.addi {{.*}} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #[[MATRIX]]}>>
tt.func @both_directions() -> tensor<64x32xi32, #matrix> {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.auto>
  %two = arith.constant dense<2> : tensor<64x1xi32, #ttg.auto>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32, #ttg.auto> -> tensor<64x1xi32, #ttg.auto>
  %scaled = arith.muli %column, %two : tensor<64x1xi32, #ttg.auto>
  %wide = tt.broadcast %scaled : tensor<64x1xi32, #ttg.auto> -> tensor<64x32xi32, #ttg.auto>
  %set = ttg.set_auto_layout %wide : tensor<64x32xi32, #ttg.auto> -> tensor<64x32xi32, #matrix>
  %twice = arith.addi %range, %range : tensor<64xi32, #ttg.auto>
  tt.print "twice" {hex = false, isSigned = array<i32: 1>} : %twice : tensor<64xi32, #ttg.auto>
  tt.return %set : tensor<64x32xi32, #matrix>
}

// CHECK-LABEL: tt.func @loop
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<128xi32, #[[BLOCKED:blocked[0-9]*]]>)
// CHECK: arith.addi {{.*}} : tensor<128xi32, #[[BLOCKED]]>
tt.func @loop(%n: i32) -> tensor<128xi32, #blocked> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0> : tensor<128xi32, #ttg.auto>
  %total = scf.for %i = %zero to %n step %one iter_args(%sum = %start) -> (tensor<128xi32, #ttg.auto>) : i32 {
    %next = arith.addi %sum, %sum : tensor<128xi32, #ttg.auto>
    scf.yield %next : tensor<128xi32, #ttg.auto>
  }
  %set = ttg.set_auto_layout %total : tensor<128xi32, #ttg.auto> -> tensor<128xi32, #blocked>
  tt.return %set : tensor<128xi32, #blocked>
}

// The layout comes from the pointers: 4 elements of 32 bits a thread.
// CHECK-LABEL: tt.func @coalesced
// CHECK: %[[RANGE:.*]] = tt.make_range {{.*}} : tensor<1024xi32, #[[WIDE:blocked[0-9]*]]>
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
tt.func @coalesced(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<1024xf32, #blocked> {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #ttg.auto>
  %index = ttg.set_auto_layout %range : tensor<1024xi32, #ttg.auto> -> tensor<1024xi32, #ttg.coalesced>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #ttg.coalesced>
  %pointers = tt.addptr %base, %index : tensor<1024x!tt.ptr<f32>, #ttg.coalesced>, tensor<1024xi32, #ttg.coalesced>
  %block = tt.load %pointers : tensor<1024x!tt.ptr<f32>, #ttg.coalesced>
  %result = ttg.convert_layout %block : tensor<1024xf32, #ttg.coalesced> -> tensor<1024xf32, #blocked>
  tt.return %result : tensor<1024xf32, #blocked>
}

// Accesses of what has one layout agree: 4 elements of 32 bits, of those of 16 bits as many.
// CHECK-LABEL: tt.func @agree
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f16>, #[[AGREED:blocked[0-9]*]]>
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[AGREED]]>
tt.func @agree(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #ttg.coalesced>
  %x_base = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #ttg.coalesced>
  %from = tt.addptr %x_base, %range : tensor<1024x!tt.ptr<f16>, #ttg.coalesced>, tensor<1024xi32, #ttg.coalesced>
  %block = tt.load %from : tensor<1024x!tt.ptr<f16>, #ttg.coalesced>
  %wide = arith.extf %block : tensor<1024xf16, #ttg.coalesced> to tensor<1024xf32, #ttg.coalesced>
  %y_base = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #ttg.coalesced>
  %to = tt.addptr %y_base, %range : tensor<1024x!tt.ptr<f32>, #ttg.coalesced>, tensor<1024xi32, #ttg.coalesced>
  tt.store %to, %wide : tensor<1024x!tt.ptr<f32>, #ttg.coalesced>
  tt.return
}

// A layout that follows through a reshape yields to one that was named. Both hold the same elements.
// CHECK-LABEL: tt.func @derived
// CHECK: arith.constant dense<1> : tensor<128xi32, #[[FLAT:blocked[0-9]*]]>
// CHECK: tt.reshape {{.*}} : tensor<128xi32, #[[FLAT]]> -> tensor<64x2xi32, #linear>
tt.func @derived() -> (tensor<128xi32, #blocked>, tensor<64x2xi32, #pairs>) {
  %block = arith.constant dense<1> : tensor<128xi32, #ttg.auto>
  %pairs = tt.reshape %block : tensor<128xi32, #ttg.auto> -> tensor<64x2xi32, #ttg.auto>
  %set = ttg.set_auto_layout %pairs : tensor<64x2xi32, #ttg.auto> -> tensor<64x2xi32, #pairs>
  %named = ttg.set_auto_layout %block : tensor<128xi32, #ttg.auto> -> tensor<128xi32, #blocked>
  tt.return %named, %set : tensor<128xi32, #blocked>, tensor<64x2xi32, #pairs>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @conflict() -> (tensor<128xi32, #blocked>, tensor<128xi32, #other>) {
  // expected-error @below {{this block, which names no layout, would need two of them, #ttg.blocked<{sizePerThread = [1]}}
  %block = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.auto>
  %first = ttg.set_auto_layout %block : tensor<128xi32, #ttg.auto> -> tensor<128xi32, #blocked>
  %second = ttg.set_auto_layout %block : tensor<128xi32, #ttg.auto> -> tensor<128xi32, #other>
  tt.return %first, %second : tensor<128xi32, #blocked>, tensor<128xi32, #other>
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @nothing_follows() {
  // expected-error @below {{no layout follows for this block}}
  %block = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.auto>
  tt.print "block" {hex = false, isSigned = array<i32: 1>} : %block : tensor<128xi32, #ttg.auto>
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @verify(%x: tensor<128xi32, #blocked>) {
  // expected-error @below {{takes a tensor with the layout #ttg.auto}}
  %y = ttg.set_auto_layout %x : tensor<128xi32, #blocked> -> tensor<128xi32, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @named_on_both_sides() -> (tensor<256xi32, #blocked>, tensor<128x2xi32, #pairs>) {
  %block = arith.constant dense<1> : tensor<256xi32, #ttg.auto>
  // expected-error @below {{of what this block is made of does not give the layout}}
  %pairs = tt.reshape %block : tensor<256xi32, #ttg.auto> -> tensor<128x2xi32, #ttg.auto>
  %set = ttg.set_auto_layout %pairs : tensor<128x2xi32, #ttg.auto> -> tensor<128x2xi32, #pairs>
  %named = ttg.set_auto_layout %block : tensor<256xi32, #ttg.auto> -> tensor<256xi32, #blocked>
  tt.return %named, %set : tensor<256xi32, #blocked>, tensor<128x2xi32, #pairs>
}
}
