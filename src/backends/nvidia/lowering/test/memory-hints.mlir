// RUN: triton-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// An access without hints stays LLVM's own, but for masked loads: what uses them must not move under their branch.
// CHECK-LABEL: @plain
// CHECK: inline_asm has_side_effects {{.*}}"@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3"
// CHECK-NOT: inline_asm
// CHECK: llvm.intr.masked.store
tt.func public @plain(%a: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %limit = arith.constant dense<400> : tensor<512xi32, #blocked>
  %mask = arith.cmpi slt, %i, %limit : tensor<512xi32, #blocked>
  %s = tt.splat %a : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #blocked>
  %p = tt.addptr %s, %i : tensor<512x!tt.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
  %x = tt.load %p, %mask : tensor<512x!tt.ptr<i32>, #blocked>
  tt.store %p, %x, %mask : tensor<512x!tt.ptr<i32>, #blocked>
  tt.return
}

// What is computed for a masked store alone must not move under a branch either, if much is loaded for it.
// CHECK-LABEL: @computed
// CHECK: inline_asm has_side_effects {{.*}}"@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"
tt.func public @computed(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32, #blocked>
  %limit = arith.constant dense<8000> : tensor<8192xi32, #blocked>
  %mask = arith.cmpi slt, %i, %limit : tensor<8192xi32, #blocked>
  %s = tt.splat %a : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>, #blocked>
  %p = tt.addptr %s, %i : tensor<8192x!tt.ptr<f32>, #blocked>, tensor<8192xi32, #blocked>
  %x = tt.load %p, %mask : tensor<8192x!tt.ptr<f32>, #blocked>
  %y = math.exp %x : tensor<8192xf32, #blocked>
  tt.store %p, %y, %mask : tensor<8192x!tt.ptr<f32>, #blocked>
  tt.return
}

// Where the block hands on several registers, and does nothing else with them, the load is LLVM's own as well.
// CHECK-LABEL: @handedOn
// CHECK-NOT: inline_asm
// CHECK: llvm.intr.masked.load
tt.func public @handedOn(%a: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %i0 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %limit = arith.constant dense<400> : tensor<512xi32, #blocked>
  %mask = arith.cmpi slt, %i0, %limit : tensor<512xi32, #blocked>
  %s = tt.splat %a : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #blocked>
  %p = tt.addptr %s, %i0 : tensor<512x!tt.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<512xi32, #blocked>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<512xi32, #blocked>) : i32 {
    %x = tt.load %p, %mask : tensor<512x!tt.ptr<i32>, #blocked>
    scf.yield %x : tensor<512xi32, #blocked>
  }
  tt.return
}

// One register costs no more with a predicate.
// CHECK-LABEL: @handedOnAlone
// CHECK: inline_asm has_side_effects {{.*}}"@$2 ld.global.b32 $0, [$1];"
tt.func public @handedOnAlone(%p: tensor<128x!tt.ptr<i32>, #single>, %mask: tensor<128xi1, #single>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128xi32, #single>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<128xi32, #single>) : i32 {
    %x = tt.load %p, %mask : tensor<128x!tt.ptr<i32>, #single>
    scf.yield %x : tensor<128xi32, #single>
  }
  tt.return
}

// The results start as what masked elements are.
// CHECK-LABEL: @masked
// CHECK: inline_asm has_side_effects {{.*}}"@$5 ld.global.cg.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3"
// CHECK: inline_asm has_side_effects {{.*}}"@$5 st.global.wt.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"
tt.func public @masked(%a: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %limit = arith.constant dense<400> : tensor<512xi32, #blocked>
  %mask = arith.cmpi slt, %i, %limit : tensor<512xi32, #blocked>
  %other = arith.constant dense<5> : tensor<512xi32, #blocked>
  %s = tt.splat %a : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #blocked>
  %p = tt.addptr %s, %i : tensor<512x!tt.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
  %x = tt.load %p, %mask, %other cacheModifier = cg : tensor<512x!tt.ptr<i32>, #blocked>
  tt.store %p, %x, %mask cacheModifier = wt : tensor<512x!tt.ptr<i32>, #blocked>
  tt.return
}

// A single byte goes through a register of 16 bits. A modifier wins over a policy, which the instruction cannot have too.
// CHECK-LABEL: @bytes
// CHECK: inline_asm has_side_effects {{.*}}"ld.global.L1::evict_last.b8 $0, [$1];", "=h,l"
// CHECK: llvm.trunc {{.*}} : i16 to i8
// CHECK: llvm.zext {{.*}} : i8 to i16
// CHECK: inline_asm has_side_effects {{.*}}"st.global.cs.b8 [$0], $1;", "l,h"
tt.func public @bytes(%a: !tt.ptr<i8>) {
  %x = tt.load %a evictionPolicy = evict_last : !tt.ptr<i8>
  tt.store %a, %x cacheModifier = cs evictionPolicy = evict_first : !tt.ptr<i8>
  tt.return
}

}
