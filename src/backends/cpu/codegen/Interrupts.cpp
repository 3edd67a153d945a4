// How a launch is given up while one of its programs runs: loops test a word that the runtime sets, see
// backends/cpu/runtime/CpuRuntimeFunctions.h. In object code that is linked elsewhere, without that runtime, both
// symbols are absent, and the loops test a word that is always 0.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

static LLVM::GlobalOp wordOf(OpBuilder &b, ModuleOp module, Location loc, llvm::StringRef name, LLVM::Linkage linkage,
                             Attribute value) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, loc, b.getI32Type(), /*isConstant=*/value != nullptr, linkage, name, value);
}

void emitAttention(Lowering &lowering, Location loc) {
  OpBuilder &b = lowering.b;
  bool hasLoops = lowering.kernel
                      .walk([](Operation *op) {
                        return isa<scf::ForOp, scf::WhileOp, tt::AtomicPollOp>(op) ? WalkResult::interrupt()
                                                                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!hasLoops)
    return;
  auto module = lowering.kernel->getParentOfType<ModuleOp>();
  auto word = wordOf(b, module, loc, "triton_cpu_attention", LLVM::Linkage::ExternWeak, nullptr);
  auto never = wordOf(b, module, loc, "triton.never", LLVM::Linkage::Internal, b.getI32IntegerAttr(0));
  Value address = LLVM::AddressOfOp::create(b, loc, word);
  Value isAbsent =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, address, LLVM::ZeroOp::create(b, loc, address.getType()));
  lowering.programs.attention =
      LLVM::SelectOp::create(b, loc, isAbsent, LLVM::AddressOfOp::create(b, loc, never), address);
}

void emitInterruptCheck(Lowering &lowering, Location loc, Block *block) {
  OpBuilder &b = lowering.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(block);
  // Volatile, so that each iteration reads it.
  Value word =
      LLVM::LoadOp::create(b, loc, b.getI32Type(), lowering.programs.attention, /*alignment=*/4, /*isVolatile=*/true);
  Value isAsked =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word, lowering.lanes.constantInt(loc, b.getI32Type(), 0));
  LLVM::LLVMFuncOp tick = runtimeFunction(lowering, "triton_cpu_tick", {});
  tick.setLinkage(LLVM::Linkage::ExternWeak);
  tick.setPassthroughAttr(b.getStrArrayAttr({"cold"})); // the path around the call keeps its registers
  auto branch = scf::IfOp::create(b, loc, isAsked, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  LLVM::CallOp::create(b, loc, tick, ValueRange());
  if (lowering.programs.tileForm)
    emitLoadTileForm(b, loc, lowering.programs.tileForm); // The call may have run anything.
}

} // namespace triton::cpu
