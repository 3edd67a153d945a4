#include "passes/llvm/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

namespace triton {

#define GEN_PASS_DEF_TRITONATTACHDEBUGSCOPES
#include "passes/llvm/Passes.h.inc"

using namespace mlir;

/// The first position in a file among the parts of a location; null when there is none.
static FileLineColLoc firstPosition(Location location) {
  if (auto position = dyn_cast<FileLineColLoc>(location))
    return position;
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static LLVM::DIFileAttr fileOf(FileLineColLoc position) {
  llvm::StringRef path = position.getFilename().getValue();
  return LLVM::DIFileAttr::get(position.getContext(), llvm::sys::path::filename(path),
                               llvm::sys::path::parent_path(path));
}

namespace {

/// Rewrites the locations of one function's operations.
class FunctionScopes {
public:
  explicit FunctionScopes(LLVM::DISubprogramAttr subprogram) : subprogram(subprogram) {}

  /// The location of an operation of the function itself, or of a call in it. The translation to LLVM adds the
  /// function's scope.
  Location inFunction(Location location) const {
    if (auto call = dyn_cast<CallSiteLoc>(location))
      return callSite(inInlined(call.getCallee()), inFunction(call.getCaller()));
    return plain(location);
  }

private:
  /// The location of something that was inlined, which has its own scope within the function.
  Location inInlined(Location location) const {
    if (auto call = dyn_cast<CallSiteLoc>(location))
      return callSite(inInlined(call.getCallee()), inInlined(call.getCaller()));
    Location position = plain(location);
    auto known = dyn_cast<FileLineColLoc>(position);
    if (!known)
      return position;
    auto scope = LLVM::DILexicalBlockFileAttr::get(subprogram, fileOf(known), /*discriminator=*/0);
    return FusedLoc::get(location.getContext(), {position}, scope);
  }

  /// Only the position, without names and without locations that were fused with it.
  static Location plain(Location location) {
    if (FileLineColLoc position = firstPosition(location))
      return position;
    return UnknownLoc::get(location.getContext());
  }

  /// The location of a call. Code without a position belongs to its caller.
  static Location callSite(Location callee, Location caller) {
    if (isa<UnknownLoc>(callee))
      return caller;
    return isa<UnknownLoc>(caller) ? callee : CallSiteLoc::get(callee, caller);
  }

  LLVM::DISubprogramAttr subprogram;
};

struct AttachDebugScopes : impl::TritonAttachDebugScopesBase<AttachDebugScopes> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      FileLineColLoc position = firstPosition(function.getLoc());
      if (function.isExternal() || !position)
        continue;
      LLVM::DISubprogramAttr subprogram = makeSubprogram(function, position);
      FunctionScopes scopes(subprogram);
      function.walk([&](Operation *op) {
        if (op != function)
          op->setLoc(scopes.inFunction(op->getLoc()));
      });
      function->setLoc(FusedLoc::get(&getContext(), {position}, subprogram));
    }
  }

private:
  LLVM::DISubprogramAttr makeSubprogram(LLVM::LLVMFuncOp function, FileLineColLoc position) {
    MLIRContext *context = &getContext();
    auto distinct = [&] { return DistinctAttr::create(UnitAttr::get(context)); };
    LLVM::DIFileAttr file = fileOf(position);
    auto kind = directivesOnly ? LLVM::DIEmissionKind::DebugDirectivesOnly : LLVM::DIEmissionKind::LineTablesOnly;
    auto unit = LLVM::DICompileUnitAttr::get(distinct(), llvm::dwarf::DW_LANG_C, file, StringAttr::get(context, "MLIR"),
                                             /*isOptimized=*/true, kind);
    auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    StringAttr name = function.getNameAttr();
    return LLVM::DISubprogramAttr::get(context, distinct(), unit, file, name, name, file, position.getLine(),
                                       position.getLine(),
                                       LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type,
                                       /*retainedNodes=*/{}, /*annotations=*/{});
  }
};

} // namespace
} // namespace triton
