// RUN: triton-opt --tritongpu-delay-waits --split-input-file %s | FileCheck %s
// RUN: sed 's/cuda:80/hip:gfx950/; s/threads-per-warp" = 32/threads-per-warp" = 64/; s/\[4, 8\]/[8, 8]/; s/\[8, 4\]/[16, 4]/' %s | triton-opt --tritongpu-delay-waits --split-input-file | FileCheck %s --check-prefix=ORDERED

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>

module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Threads meet to read what they have stored, then to read what the copy brought: the copy has the time of the first.
  // Machines whose waits count all accesses of memory wait as the program says.
  // CHECK-LABEL: tt.func @later
  // CHECK: ttg.local_barrier
  // CHECK: tt.store
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // ORDERED-LABEL: tt.func @later
  // ORDERED: ttg.async_wait
  // ORDERED: ttg.local_barrier
  // ORDERED: ttg.local_barrier
  tt.func @later(%p: !pointers, %q: !pointers, %x: !tile) -> !tile {
    %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %s : !pointers -> !slot
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %b = ttg.local_alloc %x {allocation.offset = 4096 : i32} : (!tile) -> !buffer
    ttg.local_barrier
    %y = ttg.local_load %b : !buffer -> !tile
    tt.store %q, %y : !pointers
    ttg.local_barrier
    %z = ttg.local_load %s : !slot -> !tile
    tt.return %z : !tile
  }

  // A single barrier is where threads read it; nothing would be gained.
  // CHECK-LABEL: tt.func @once
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_barrier
  tt.func @once(%p: !pointers, %x: !tile) -> (!tile, !tile) {
    %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %s : !pointers -> !slot
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %b = ttg.local_alloc %x {allocation.offset = 4096 : i32} : (!tile) -> !buffer
    ttg.local_barrier
    %y = ttg.local_load %b : !buffer -> !tile
    %z = ttg.local_load %s : !slot -> !tile
    tt.return %y, %z : !tile, !tile
  }

  // Another buffer takes the place that the copy writes; and a further group would be in flight.
  // CHECK-LABEL: tt.func @reused
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-LABEL: tt.func @another
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.async_commit_group
  tt.func @reused(%p: !pointers, %x: !tile) -> !tile {
    %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %s : !pointers -> !slot
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    ttg.local_barrier
    %b = ttg.local_alloc %x {allocation.offset = 0 : i32} : (!tile) -> !buffer
    ttg.local_barrier
    %y = ttg.local_load %b : !buffer -> !tile
    ttg.local_barrier
    tt.return %y : !tile
  }
  tt.func @another(%p: !pointers, %x: !tile) {
    %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %s : !pointers -> !slot
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %h = ttg.async_commit_group
    ttg.local_barrier
    ttg.local_barrier
    tt.return
  }

  // Another program that sees the counter may overwrite what the copy reads.
  // CHECK-LABEL: tt.func @release
  // CHECK: ttg.async_wait
  // CHECK: tt.atomic_rmw
  tt.func @release(%p: !pointers, %done: !tt.ptr<i32>, %one: i32, %x: !tile) -> !tile {
    %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %s : !pointers -> !slot
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    ttg.local_barrier
    %old = tt.atomic_rmw add, release, gpu, %done, %one : (!tt.ptr<i32>, i32) -> i32
    ttg.local_barrier
    %z = ttg.local_load %s : !slot -> !tile
    tt.return %z : !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!others = tensor<32x32x!tt.ptr<f32>, #other>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>

module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The lanes of one warp meet inside a conversion. They meet again, which costs little, when the copy has had the time
  // of the store as well.
  // CHECK-LABEL: tt.func @inside
  // CHECK: tt.store
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @inside(%p: !pointers, %q: !others, %x: !tile) -> !tile {
    %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %s : !pointers -> !slot
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %y = ttg.convert_layout %x {allocation.offset = 4096 : i32} : !tile -> tensor<32x32xf32, #other>
    tt.store %q, %y : !others
    %z = ttg.local_load %s token %w : !slot -> !tile
    tt.return %z : !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>

module attributes {ttg.target = "cuda:80", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Several warps meet where they did.
  // CHECK-LABEL: tt.func @insideOfWarps
  // CHECK: math.exp
  // CHECK-NEXT: ttg.async_wait
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: ttg.local_load
  tt.func @insideOfWarps(%p: !pointers, %x: !tile) -> (!tile, tensor<32x32xf32, #other>) {
    %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %s : !pointers -> !slot
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %e = math.exp %x : !tile
    %y = ttg.convert_layout %e {allocation.offset = 4096 : i32} : !tile -> tensor<32x32xf32, #other>
    %z = ttg.local_load %s token %w : !slot -> !tile
    tt.return %z, %y : !tile, tensor<32x32xf32, #other>
  }
}
