// RUN: triton-opt --triton-cpu-lower-tiles --split-input-file --verify-diagnostics %s

// What the backend does not support is reported in the user's words, once and before any code is emitted: what would
// follow inside a loop has no value to use.
tt.func public @inside_a_loop(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.000000e+00 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    // expected-error @+1 {{not supported on cpu yet: the function `__nv_frobnicatef` on these types; compute it with}}
    %f = tt.extern_elementwise %acc {libname = "", libpath = "", symbol = "__nv_frobnicatef", pure = true} : (f32) -> f32
    %s = tt.splat %f : f32 -> tensor<16xf32>
    %r = "tt.reduce"(%s) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %m = arith.addf %a, %b : f32
      tt.reduce.return %m : f32
    }) : (tensor<16xf32>) -> f32
    scf.yield %r : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @in_a_combination(%x: !tt.ptr<f32>) {
  %s = arith.constant dense<1.000000e+00> : tensor<16xf32>
  %r = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{not supported on cpu yet: the function `__nv_frobnicatef` on these types; compute it with}}
    %f = tt.extern_elementwise %b {libname = "", libpath = "", symbol = "__nv_frobnicatef", pure = true} : (f32) -> f32
    %m = arith.addf %a, %f : f32
    tt.reduce.return %m : f32
  }) : (tensor<16xf32>) -> f32
  tt.store %x, %r : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @different_constants(%x: !tt.ptr<i32>) {
  // expected-error @+1 {{not supported on cpu yet: `arith.constant`}}
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %i = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<2x!tt.ptr<i32>>, tensor<2xi32>
  tt.store %xp, %c : tensor<2x!tt.ptr<i32>>
  tt.return
}

// -----

tt.func private @callee(%a: i32) -> i32 {
  %r = tt.call @callee(%a) : (i32) -> i32
  tt.return %r : i32
}

// expected-error @+1 {{not supported on cpu: functions that call themselves}}
tt.func public @calls(%x: !tt.ptr<i32>, %a: i32) {
  %r = tt.call @callee(%a) : (i32) -> i32
  tt.store %x, %r : !tt.ptr<i32>
  tt.return
}
