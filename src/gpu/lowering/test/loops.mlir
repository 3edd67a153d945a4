// RUN: triton-opt --convert-triton-gpu-to-llvm %s | FileCheck %s

#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90"} {
  // From a number that is not negative, the next index is compared without its sign: it may be past the end of its type.
  // LLVM is told that no index is negative.
  // CHECK-LABEL: llvm.func {{.*}}@from_zero
  // CHECK: llvm.icmp "slt"
  // CHECK: %[[IS_INDEX:.*]] = llvm.icmp "sge" %[[INDEX:.*]], %{{.*}} : i32
  // CHECK-NEXT: llvm.intr.assume %[[IS_INDEX]]
  // CHECK: %[[NEXT:.*]] = llvm.add %[[INDEX]], %{{.*}} : i32
  // CHECK-NEXT: %[[MORE:.*]] = llvm.icmp "ult" %[[NEXT]]
  // CHECK-NEXT: llvm.cond_br %[[MORE]]
  tt.func public @from_zero(%p: !tt.ptr<i32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    scf.for %i = %zero to %n step %step : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // CHECK-LABEL: llvm.func {{.*}}@from_program
  // CHECK-NOT: llvm.select
  // CHECK: llvm.icmp "ult"
  tt.func public @from_program(%p: !tt.ptr<i32>, %n: i32) {
    %first = tt.get_program_id x : i32
    %step = tt.get_num_programs x : i32
    scf.for %i = %first to %n step %step : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // In general, whether there is a next index is known before it is computed.
  // CHECK-LABEL: llvm.func {{.*}}@from_anywhere
  // CHECK-NOT: llvm.intr.assume
  // CHECK: %[[LIMIT:.*]] = llvm.select
  // CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[INDEX:.*]], %[[LIMIT]] : i32
  // CHECK-NEXT: llvm.add %[[INDEX]], %{{.*}} : i32
  // CHECK-NEXT: llvm.cond_br %[[MORE]]
  tt.func public @from_anywhere(%p: !tt.ptr<i32>, %first: i32, %n: i32) {
    %step = arith.constant 64 : i32
    scf.for %i = %first to %n step %step : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // By ones no index is past the end.
  // CHECK-LABEL: llvm.func {{.*}}@by_ones
  // CHECK-NOT: "ult"
  // CHECK-NOT: llvm.select
  // CHECK: llvm.return
  tt.func public @by_ones(%p: !tt.ptr<i32>, %first: i32, %n: i32) {
    %one = arith.constant 1 : i32
    scf.for %i = %first to %n step %one : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // LLVM's hints for a loop are on the branch back to its start, in both forms of loops.
  // CHECK-LABEL: llvm.func {{.*}}@hints
  // CHECK-DAG: llvm.br {{.*}} {loop_annotation = #{{.*}}}
  // CHECK-DAG: llvm.cond_br {{.*}} {loop_annotation = #{{.*}}}
  tt.func public @hints(%p: !tt.ptr<i32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %n step %one : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
    %two = arith.constant 2 : i32
    scf.for %i = %zero to %n step %two : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
    tt.return
  }

  // Loops carry elements of 8 bits in fours and of 16 bits in pairs, those of 1 bit and odd numbers of them one by one.
  // CHECK-LABEL: llvm.func {{.*}}@carried
  // CHECK: llvm.br ^bb[[LOOP:[0-9]+]](%{{.*}} : i32, vector<4xi8>, vector<2xi16>, vector<2xi16>, i1, i1, i1, i1, i8)
  tt.func public @carried(%p: tensor<128x!tt.ptr<i8>, #four>, %q: tensor<128x!tt.ptr<i16>, #four>,
                          %r: tensor<32x!tt.ptr<i8>, #single>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = tt.load %p : tensor<128x!tt.ptr<i8>, #four>
    %shorts = tt.load %q : tensor<128x!tt.ptr<i16>, #four>
    %bits = arith.cmpi eq, %bytes, %bytes : tensor<128xi8, #four>
    %byte = tt.load %r : tensor<32x!tt.ptr<i8>, #single>
    scf.for %i = %zero to %n step %one iter_args(%a = %bytes, %b = %shorts, %c = %bits, %d = %byte)
        -> (tensor<128xi8, #four>, tensor<128xi16, #four>, tensor<128xi1, #four>, tensor<32xi8, #single>) : i32 {
      tt.store %p, %a, %c : tensor<128x!tt.ptr<i8>, #four>
      tt.store %q, %b : tensor<128x!tt.ptr<i16>, #four>
      tt.store %r, %d : tensor<32x!tt.ptr<i8>, #single>
      %e = arith.cmpi slt, %a, %a : tensor<128xi8, #four>
      scf.yield %a, %b, %e, %d : tensor<128xi8, #four>, tensor<128xi16, #four>, tensor<128xi1, #four>, tensor<32xi8, #single>
    }
    tt.return
  }
}
