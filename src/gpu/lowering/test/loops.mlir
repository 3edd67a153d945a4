// RUN: triton-opt --convert-triton-gpu-to-llvm %s | FileCheck %s

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
}
