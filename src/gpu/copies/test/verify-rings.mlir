// The rules of docs/rules.md for rings that bulk copies fill, for turns and for programs of several blocks, each broken once.
// RUN: triton-opt "--tritongpu-verify-ttgir=is-specialized=true has-new-rings=true" --split-input-file --verify-diagnostics %s

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>

// A warp that fills a ring and warps that read it, as they should be.
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @right(%map: !map, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ring
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 1 : i32} : !barriers
    %empty = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %empty {count = 4 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %w = ttg.is_mover {anyThread}
    scf.if %w {
      %m = ttg.is_mover
      scf.if %m {
        scf.for %i = %c0 to %n step %c1 : i32 {
          %e = ttg.memdesc_index %empty[%c0] : !barriers -> !barrier
          ttg.wait_barrier %e, %c1 : !barrier
          %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
          ttg.expect_bytes %f, 8192 : !barrier
          %s = ttg.memdesc_index %ring[%c0] : !ring -> !slot
          ttg.async_mapped_load %map[%i, %c0], %s, %f : !map -> !slot, !barrier
        }
      }
    } else {
      scf.for %i = %c0 to %n step %c1 : i32 {
        %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
        ttg.wait_barrier %f, %c0 : !barrier
        %s = ttg.memdesc_index %ring[%c0] : !ring -> !slot
        %e = ttg.memdesc_index %empty[%c0] : !barriers -> !barrier
        ttg.arrive_barrier %e releases %s : !barrier, !slot
      }
    }
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir8_count(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    // expected-error @below {{ttgir-8: a phase ends when 3 threads have arrived, but 4 do}}
    ttg.init_barrier %full {count = 3 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    ttg.wait_barrier %f, %c1 : !barrier
    // expected-note @below {{here}}
    ttg.arrive_barrier %f : !barrier
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A block of 64 x 64 halves has 8192 bytes.
  tt.func @ttgir8_bytes(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 1 : i32} : !barriers
    %ring = ttg.local_alloc : () -> !ring
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    %s = ttg.memdesc_index %ring[%c0] : !ring -> !slot
    // expected-error @below {{ttgir-8: announces 4096 bytes, but copies bring 8192}}
    ttg.expect_bytes %f, 4096 : !barrier
    ttg.async_mapped_load %map[%c0, %c0], %s, %f : !map -> !slot, !barrier
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir8_nothing_arrives(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 1 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    // expected-error @below {{ttgir-8: waits for a barrier at which nothing arrives}}
    ttg.wait_barrier %f, %c0 : !barrier
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir9_not_made(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    // expected-error @below {{ttgir-9: the barrier is made 0 times; `init_barrier` must make it once}}
    ttg.arrive_barrier %f : !barrier
    ttg.wait_barrier %f, %c0 : !barrier
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The barrier of the warps that compute leaves the mover out.
  tt.func @ttgir9_too_early(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    // expected-note @below {{made here}}
    ttg.init_barrier %full {count = 4 : i32} : !barriers
    ttg.local_barrier
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    // expected-error @below {{ttgir-9: a thread may use the barrier before another one has made it; `local_barrier {allWarps}` must come between}}
    ttg.arrive_barrier %f : !barrier
    ttg.wait_barrier %f, %c0 : !barrier
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Where the condition does not hold, the slot stays taken.
  tt.func @ttgir10_path(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ring
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 1 : i32} : !barriers
    %empty = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %empty {count = 4 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    %e = ttg.memdesc_index %empty[%c0] : !barriers -> !barrier
    %w = ttg.is_mover {anyThread}
    scf.if %w {
      ttg.wait_barrier %e, %c1 : !barrier
      ttg.expect_bytes %f, 8192 : !barrier
    } else {
      ttg.wait_barrier %f, %c0 : !barrier
      // expected-error @below {{ttgir-10: on some path a slot is not released}}
      scf.if %c {
        ttg.arrive_barrier %e : !barrier
      }
    }
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Each iteration takes a slot, and only the last one is released.
  tt.func @ttgir10_loop(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ring
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 1 : i32} : !barriers
    %empty = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %empty {count = 4 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    %e = ttg.memdesc_index %empty[%c0] : !barriers -> !barrier
    %w = ttg.is_mover {anyThread}
    scf.if %w {
      ttg.wait_barrier %e, %c1 : !barrier
      ttg.expect_bytes %f, 8192 : !barrier
    } else {
      // expected-error @below {{ttgir-10: on some path a slot is not released}}
      scf.for %i = %c0 to %n step %c1 : i32 {
        ttg.wait_barrier %f, %c0 : !barrier
      }
      ttg.arrive_barrier %e : !barrier
    }
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir10_end(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ring
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 1 : i32} : !barriers
    %empty = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %empty {count = 4 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    %e = ttg.memdesc_index %empty[%c0] : !barriers -> !barrier
    %w = ttg.is_mover {anyThread}
    scf.if %w {
      ttg.wait_barrier %e, %c1 : !barrier
      ttg.expect_bytes %f, 8192 : !barrier
      ttg.wait_barrier %f, %c0 : !barrier
      ttg.arrive_barrier %e : !barrier
    } else {
      ttg.wait_barrier %f, %c0 : !barrier
      ttg.arrive_barrier %e : !barrier
      // expected-error @below {{ttgir-10: a slot is released that is not in use}}
      ttg.arrive_barrier %e : !barrier
    }
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir10_filled_twice(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ring
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 1 : i32} : !barriers
    %empty = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %empty {count = 4 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    %e = ttg.memdesc_index %empty[%c0] : !barriers -> !barrier
    %w = ttg.is_mover {anyThread}
    scf.if %w {
      ttg.wait_barrier %e, %c1 : !barrier
      ttg.expect_bytes %f, 8192 : !barrier
      // expected-error @below {{ttgir-10: a slot is filled that may be in use}}
      ttg.expect_bytes %f, 8192 : !barrier
    } else {
      ttg.wait_barrier %f, %c0 : !barrier
      ttg.arrive_barrier %e : !barrier
    }
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir11_kept(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    ttg.pass_turn {begins}
    ttg.wait_turn
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttg.pass_turn
      ttg.wait_turn
    }
    // expected-error @below {{ttgir-11: the group ends with a turn that it has not handed on}}
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir11_twice(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    ttg.pass_turn {begins}
    ttg.wait_turn
    // expected-error @below {{ttgir-11: waits for a turn that the group has}}
    ttg.wait_turn
    ttg.pass_turn
    ttg.pass_turn
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir11_paths(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    ttg.pass_turn {begins}
    ttg.wait_turn
    // expected-error @below {{ttgir-11: on some paths the group has the turn after this, and on others it does not}}
    scf.if %c {
      ttg.pass_turn
    }
    ttg.pass_turn
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir11_no_beginning(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-error @below {{ttgir-11: no group has the first turn, which `pass_turn {begins}` gives}}
    ttg.wait_turn
    ttg.pass_turn
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir12_left(%x: !tt.ptr<f16>) {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{ttgir-12: an access of a block is left for which no copy was made}}
    %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "x", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir13_one_block(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 4 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    // expected-error @below {{ttgir-13: is for all blocks that run the program, but `tt.blocks` does not say that there are several}}
    ttg.arrive_barrier %f {allBlocks} : !barrier
    ttg.wait_barrier %f, %c0 : !barrier
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, tt.blocks = 2 : i32} {
  tt.func @ttgir13_before(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 8 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    // expected-error @below {{ttgir-13: accesses other blocks before a `cluster_barrier`, after which their barriers exist}}
    ttg.arrive_barrier %f {allBlocks} : !barrier
    ttg.wait_barrier %f, %c0 : !barrier
    ttg.cluster_barrier
    tt.return
  }
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x64x64xf16, #tile, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barriers = !ttg.memdesc<2x1xi64, #word, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, tt.blocks = 2 : i32} {
  tt.func @ttgir13_behind(%map: !map, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !barriers
    ttg.init_barrier %full {count = 8 : i32} : !barriers
    ttg.local_barrier {allWarps}
    %f = ttg.memdesc_index %full[%c0] : !barriers -> !barrier
    ttg.cluster_barrier
    // expected-error @below {{ttgir-13: no `cluster_barrier` follows, without which other blocks may end before this accesses them}}
    ttg.arrive_barrier %f {allBlocks} : !barrier
    ttg.wait_barrier %f, %c0 : !barrier
    tt.return
  }
}
