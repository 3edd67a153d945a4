// RUN: triton-opt --triton-cpu-lower-tiles=arch=sapphirerapids --cse %s | FileCheck %s --check-prefixes=ALL,AMX
// RUN: triton-opt --triton-cpu-lower-tiles=arch=graniterapids --cse %s | FileCheck %s --check-prefixes=ALL,AMX,HALF
// RUN: triton-opt --triton-cpu-lower-tiles=arch=znver4 --cse %s | FileCheck %s --check-prefixes=ALL,ZEN
// RUN: triton-opt --triton-cpu-lower-tiles=arch=cooperlake --cse %s | FileCheck %s --check-prefixes=ALL,FMA
// RUN: triton-opt --triton-cpu-lower-tiles=arch=neoverse-v2 --cse %s | FileCheck %s --check-prefixes=ALL,BLOCKS
// RUN: triton-opt --triton-cpu-lower-tiles=arch=cortex-a76 --cse %s | FileCheck %s --check-prefixes=ALL,NEON
// RUN: triton-opt --triton-cpu-lower-tiles=arch=apple-m4 --cse %s | FileCheck %s --check-prefixes=ALL,SME

// Processors with AMX multiply tiles, whose form is loaded before the programs and released behind them. Otherwise bf16
// takes the instruction for pairs only where that is faster than multiply-add in f32.

// ALL-LABEL: llvm.func @bf16
// AMX: %[[FORM:.*]] = llvm.alloca {{.*}} x vector<64xi8> {alignment = 64 : i64}
// AMX: llvm.store %{{.*}}, %[[FORM]]
// AMX-NEXT: llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[FORM]])
// AMX: scf.for
// AMX: llvm.call_intrinsic "llvm.x86.tileloadd64"
// AMX-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// AMX-NOT: llvm.x86.tdpbf16ps
// AMX: llvm.call_intrinsic "llvm.x86.tilestored64"
// AMX: llvm.call_intrinsic "llvm.x86.tilerelease"
// AMX-NEXT: llvm.return
// ZEN-NOT: llvm.x86.ldtilecfg
// ZEN: llvm.x86.avx512bf16.dpbf16ps.512
// FMA-NOT: llvm.x86
// FMA: math.fma %{{.*}} : vector<8xf32>
// BLOCKS-COUNT-16: llvm.call_intrinsic "llvm.aarch64.neon.bfmmla"
// BLOCKS-NOT: llvm.aarch64.neon.bfmmla
// NEON-NOT: llvm.aarch64
// NEON: math.fma %{{.*}} : vector<4xf32>
// SME: vector.interleave %{{.*}}, %{{.*}} : vector<8xi16> -> vector<16xi16>
// SME: llvm.call @triton_outer_products_bf16_2x2(
tt.func public @bf16(%x: !tt.ptr<bf16>, %o: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c32 = arith.constant dense<32> : tensor<32x1xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %rows, %c32 : tensor<32x1xi32>
  %a = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %a, %b : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %v = tt.load %xp : tensor<32x32x!tt.ptr<bf16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %v, %v, %zero : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %op, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// ALL-LABEL: llvm.func @f16
// HALF: llvm.call_intrinsic "llvm.x86.tdpfp16ps"
// ZEN: math.fma %{{.*}} : vector<16xf32>
// SME: llvm.call @triton_outer_products_f16_2x2(
tt.func public @f16(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c32 = arith.constant dense<32> : tensor<32x1xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %rows, %c32 : tensor<32x1xi32>
  %a = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %a, %b : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %offsets : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  %v = tt.load %xp : tensor<32x32x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %v, %v, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %op, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// A block that the product alone reads, whose rows lie in memory, is packed where it is loaded, two registers at once.
// ZEN-LABEL: llvm.func @packed
// ZEN: scf.for
// ZEN-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<32xi16>
// ZEN: vector.interleave %{{.*}}, %{{.*}} : vector<32xi16> -> vector<64xi16>
// ZEN: llvm.store %{{.*}} : vector<64xi16>
// ZEN: llvm.x86.avx512bf16.dpbf16ps.512
tt.func public @packed(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %o: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c32 = arith.constant dense<32> : tensor<32x1xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %rows, %c32 : tensor<32x1xi32>
  %a = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %a, %b : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %v = tt.load %xp : tensor<32x32x!tt.ptr<bf16>>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %w = tt.load %yp : tensor<32x32x!tt.ptr<bf16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %v, %w, %zero : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %op, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// Columns that wrap around are neighbours only within a vector of 32-bit elements. A mask of whole rows selects the
// address.
// ZEN-LABEL: llvm.func @packed_around
// ZEN-NOT: gather
// ZEN-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<16xi16>
// ZEN-NOT: gather
// ZEN: vector.interleave %{{.*}}, %{{.*}} : vector<16xi16> -> vector<32xi16>
// ZEN-NOT: gather
// ZEN: llvm.x86.avx512bf16.dpbf16ps.512
tt.func public @packed_around(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %o: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}, %k: i32) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %around = arith.remsi %i, %ns : tensor<32xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %around {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %nr = tt.splat %n : i32 -> tensor<32x1xi32>
  %starts = arith.muli %rows, %nr : tensor<32x1xi32>
  %a = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %a, %b : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %v = tt.load %xp : tensor<32x32x!tt.ptr<bf16>>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %ks = tt.splat %k : i32 -> tensor<32x1xi32>
  %inside = arith.cmpi slt, %rows, %ks : tensor<32x1xi32>
  %mask = tt.broadcast %inside : tensor<32x1xi1> -> tensor<32x32xi1>
  %none = arith.constant dense<0.0> : tensor<32x32xbf16>
  %w = tt.load %yp, %mask, %none : tensor<32x32x!tt.ptr<bf16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %v, %w, %zero : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %op, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// One function computes all products of a type. It alone runs in streaming mode, and it knows neither the length of the
// vectors nor the extents. Tiles that a caller has left are saved first.
// SME-LABEL: llvm.func internal @triton_outer_products_bf16_2x2
// SME-SAME: attributes {arm_locally_streaming}
// SME: llvm.call_intrinsic "llvm.aarch64.sme.get.tpidr2"
// SME: scf.if
// SME: llvm.call_intrinsic "llvm.aarch64.sme.str"
// SME: llvm.call_intrinsic "llvm.aarch64.sme.za.enable"
// SME: scf.for
// SME: scf.for
// SME: llvm.call_intrinsic "llvm.aarch64.sme.ld1w.horiz"
// SME: llvm.call_intrinsic "llvm.aarch64.sve.ld1.nxv4i32"
// SME: llvm.bitcast %{{.*}} : vector<[4]xi32> to vector<[8]xbf16>
// SME-COUNT-4: llvm.call_intrinsic "llvm.aarch64.sme.mopa.wide.nxv8bf16"
// SME-NOT: llvm.aarch64.sme.mopa
// SME: llvm.call_intrinsic "llvm.aarch64.sme.st1w.horiz"
// SME: llvm.call_intrinsic "llvm.aarch64.sme.za.disable"
// SME-NEXT: llvm.return
// SME-LABEL: llvm.func internal @triton_outer_products_f16_2x2
