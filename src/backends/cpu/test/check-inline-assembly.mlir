// RUN: triton-opt --cpu-check-inline-assembly=arch=x86-64-v3 --split-input-file --verify-diagnostics %s

llvm.func @assembles(%a: i32, %b: f32) -> i32 {
  %r = llvm.inline_asm asm_dialect = att "leal 1($1), $0", "=r,r" %a : (i32) -> i32
  %f = llvm.inline_asm asm_dialect = att "vsqrtss $1, $1, $0", "=x,x" %b : (f32) -> f32
  llvm.inline_asm has_side_effects asm_dialect = att "nop", "" : () -> ()
  %q = llvm.inline_asm asm_dialect = att "movl $1, $0", "=Q,Q" %a : (i32) -> i32
  llvm.return %r : i32
}

// -----

llvm.func @ptx(%a: i32) -> i32 {
  // expected-error @+1 {{do not assemble for x86-64-v3: <inline asm>:1:2: invalid instruction mnemonic 'add.s32'; the text is PTX}}
  %r = llvm.inline_asm asm_dialect = att "add.s32 $0, $1, $1;", "=r,r" %a : (i32) -> i32
  llvm.return %r : i32
}

// -----

llvm.func @constraints(%a: i32) -> i32 {
  // expected-error @+1 {{the constraints `=r,r,r` name 1 result and 2 operands, but the assembly has 1 result and 1 operand}}
  %r = llvm.inline_asm asm_dialect = att "movl $1, $0", "=r,r,r" %a : (i32) -> i32
  llvm.return %r : i32
}

// -----

// Registers of the x87 unit end LLVM, which must not end more than the check.
llvm.func @other_unit(%a: f32) -> f32 {
  // expected-error @+1 {{do not assemble for x86-64-v3: LLVM: Cannot pop empty stack!; the text is PTX}}
  %r = llvm.inline_asm asm_dialect = att "{ add.rz.f32 $0, $1, $1; }", "=f,f" %a : (f32) -> f32
  llvm.return %r : f32
}
