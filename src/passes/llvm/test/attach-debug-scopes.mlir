// RUN: triton-opt --triton-attach-debug-scopes --mlir-print-debuginfo %s | FileCheck %s
// RUN: triton-opt --triton-attach-debug-scopes=directives-only --mlir-print-debuginfo %s | FileCheck %s --check-prefix=DIRECTIVES

// Every link of a chain of inlined calls has a scope of its file; a call site whose callee is unknown is its caller, and
// of fused locations the first counts.

// CHECK: constant(1 : i32) {{.*}} loc(#[[CHAIN:loc[0-9]*]])
// CHECK: constant(2 : i32) {{.*}} loc(#[[KERNEL:loc[0-9]*]])
// CHECK: constant(3 : i32) {{.*}} loc(#[[KERNEL]])
// CHECK: } loc(#[[FUNCTION:loc[0-9]*]])
// CHECK-DAG: #[[FILE:di_file[0-9]*]] = #llvm.di_file<"k.py" in "/kernels">
// CHECK-DAG: #[[LIBRARY:di_file[0-9]*]] = #llvm.di_file<"lib.py" in "">
// CHECK-DAG: #[[START:loc[0-9]*]] = loc("/kernels/k.py":8:1)
// CHECK-DAG: #[[INNER:loc[0-9]*]] = loc("lib.py":2:7)
// CHECK-DAG: #[[MIDDLE:loc[0-9]*]] = loc("/kernels/k.py":5:3)
// CHECK-DAG: #[[KERNEL]] = loc("/kernels/k.py":9:5)
// CHECK: #[[UNIT:di_compile_unit[0-9]*]] = {{.*}} file = #[[FILE]], {{.*}} emissionKind = LineTablesOnly
// CHECK: #[[SUBPROGRAM:di_subprogram[0-9]*]] = {{.*}} compileUnit = #[[UNIT]], {{.*}} name = "kernel", {{.*}} line = 8
// CHECK-DAG: #[[INNERSCOPE:di_lexical_block_file[0-9]*]] = {{.*}}<scope = #[[SUBPROGRAM]], file = #[[LIBRARY]],
// CHECK-DAG: #[[MIDDLESCOPE:di_lexical_block_file[0-9]*]] = {{.*}}<scope = #[[SUBPROGRAM]], file = #[[FILE]],
// CHECK: #[[FUNCTION]] = loc(fused<#[[SUBPROGRAM]]>[#[[START]]])
// CHECK: #[[SCOPEDINNER:loc[0-9]*]] = loc(fused<#[[INNERSCOPE]]>[#[[INNER]]])
// CHECK: #[[SCOPEDMIDDLE:loc[0-9]*]] = loc(fused<#[[MIDDLESCOPE]]>[#[[MIDDLE]]])
// CHECK: #[[CALLER:loc[0-9]*]] = loc(callsite(#[[SCOPEDMIDDLE]] at #[[KERNEL]]))
// CHECK: #[[CHAIN]] = loc(callsite(#[[SCOPEDINNER]] at #[[CALLER]]))
// DIRECTIVES: emissionKind = DebugDirectivesOnly
llvm.func @kernel() {
  %0 = llvm.mlir.constant(1 : i32) : i32 loc(callsite("lib.py":2:7 at callsite("/kernels/k.py":5:3 at "/kernels/k.py":9:5)))
  %1 = llvm.mlir.constant(2 : i32) : i32 loc(callsite(unknown at "/kernels/k.py":9:5))
  %2 = llvm.mlir.constant(3 : i32) : i32 loc(fused["named"("/kernels/k.py":9:5), "/kernels/k.py":11:5])
  llvm.return loc("/kernels/k.py":9:5)
} loc("/kernels/k.py":8:1)
