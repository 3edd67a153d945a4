// RUN: triton-opt --split-input-file --verify-diagnostics %s

// What is not known is named at its place.

tt.func public @unknown_memory() {
  // expected-error @below {{expected one of none, local, global_read, global_write, tensor_read, tensor_write, all, not shared}}
  ttg.barrier local|shared
  tt.return
}

// -----

tt.func public @twice(%p: !tt.ptr<f32>) {
  // expected-error @below {{expected `cachePolicy`, instead of cacheModifier and evictionPolicy, to be a #tt.cache_policy}}
  %x = tt.load %p cacheModifier = ca {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @no_policy(%p: !tt.ptr<f32>) {
  // expected-error @below {{expected `cachePolicy`, instead of cacheModifier and evictionPolicy, to be a #tt.cache_policy}}
  %x = tt.load %p {cachePolicy = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @unknown_modifier(%p: !tt.ptr<f32>) {
  // expected-error @below {{`fast` is not known}}
  %x = tt.load %p cacheModifier = fast : !tt.ptr<f32>
  tt.return
}

// -----

// expected-error @below {{a descriptor's block must be a tensor of known rank}}
tt.func public @no_block(%d: !tt.tensordesc<f32>)

// -----

tt.func public @no_operation(%x: f32) {
  // expected-error @below {{custom op 'tt.divided' is unknown}}
  %y = tt.divided %x, %x : f32
  tt.return
}

// -----

// expected-error @below {{expected `lane`, a list of bases, or `shape`}}
#linear = #ttg.linear<{register = [[1, 0]], lane = [], warp = [], block = []}>
tt.func public @no_lanes(%x: tensor<2x1xf32, #linear>)
