// The passes over MLIR's LLVM dialect that several backends run. Each has a source file and a lit test
// (test/) of its name.
#ifndef TRITON_PASSES_LLVM_PASSES_TD
#define TRITON_PASSES_LLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonAttachDebugScopes : Pass<"triton-attach-debug-scopes", "::mlir::ModuleOp"> {
  let summary = "give functions and the code inlined into them the scopes that line tables need";
  let description = [{
    Each function gets a subprogram. Code that was inlined keeps the whole chain of its callers: each call site in the
    chain becomes a location in a scope of its file. For fused locations, the first one that is known is used, because
    LLVM would merge them to no line at all.
  }];
  let options = [
    Option<"directivesOnly", "directives-only", "bool", "false",
           "line directives for an assembler rather than tables of our own">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TRITON_PASSES_LLVM_PASSES_TD
