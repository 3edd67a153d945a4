// Names of functions that generated code may call: private functions get others, kernels and symbols of two types are
// refused.
// RUN: triton-opt -split-input-file -verify-diagnostics %s -convert-triton-gpu-to-llvm | FileCheck %s

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK: llvm.func @__nv_tanf(f32) -> f32
  // CHECK: @kernel
  // CHECK: llvm.call @function___nv_tanf_(
  // CHECK: llvm.call @function___nv_tanf(
  // CHECK: llvm.call @__nv_tanf
  // CHECK: llvm.func internal @function___nv_tanf_(
  // CHECK: llvm.func internal @function___nv_tanf(
  tt.func public @kernel(%x: f32, %out: !tt.ptr<f32>) {
    %w = tt.call @__nv_tanf(%x) : (f32) -> f32
    %y = tt.call @function___nv_tanf(%w) : (f32) -> f32
    %z = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (f32) -> f32
    tt.store %out, %z : !tt.ptr<f32>
    tt.return
  }
  tt.func private @__nv_tanf(%x: f32) -> f32 attributes {noinline = true} {
    %y = arith.addf %x, %x : f32
    tt.return %y : f32
  }
  tt.func private @function___nv_tanf(%x: f32) -> f32 attributes {noinline = true} {
    %y = arith.mulf %x, %x : f32
    tt.return %y : f32
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // expected-error @below {{not supported on NVIDIA GPUs: a kernel with the name `vprintf`, which is that of a function or variable outside of it; give the kernel another name}}
  tt.func public @vprintf(%x: i32) {
    tt.print "x" {hex = false, isSigned = array<i32: 1>} : %x : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  // expected-error @below {{a kernel with the name `mine`, which is that of a function or variable outside of it}}
  tt.func public @mine(%x: f32, %out: !tt.ptr<f32>) {
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "mine"} : (f32) -> f32
    tt.store %out, %y : !tt.ptr<f32>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @kernel(%x: f32, %n: i32, %out: !tt.ptr<f32>) {
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "mine"} : (f32) -> f32
    // expected-error @below {{not supported on GPUs: `mine` as a function of type '!llvm.func<f32 (i32)>', since the program calls it as one of type '!llvm.func<f32 (f32)>', too}}
    %z = tt.extern_elementwise %n {libname = "", libpath = "", pure = true, symbol = "mine"} : (i32) -> f32
    %s = arith.addf %y, %z : f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @kernel(%x: f32, %out: !tt.ptr<f32>) {
    // expected-error @below {{a function with the name `global_smem`, which is that of the program's shared memory}}
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "global_smem"} : (f32) -> f32
    tt.store %out, %y : !tt.ptr<f32>
    tt.return
  }
}
