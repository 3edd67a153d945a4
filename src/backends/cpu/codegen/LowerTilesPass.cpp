#include "backends/cpu/codegen/Codegen.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace triton::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_DEF_LOWERTILESPASS
#include "backends/cpu/codegen/Passes.h.inc"

namespace {
class LowerTilesPass : public impl::LowerTilesPassBase<LowerTilesPass> {
public:
  LowerTilesPass() = default;
  explicit LowerTilesPass(const CpuCodegenOptions &given) : target(given.target) {
    debug = given.debug;
    fuse = given.fuse;
  }

  void runOnOperation() override {
    if (!target) {
      llvm::Expected<const TargetDescription &> described = describeTarget(arch);
      if (!described) {
        getOperation().emitError(llvm::toString(described.takeError()));
        return signalPassFailure();
      }
      target = &*described;
    }
    if (failed(lowerTilesToLoops(getOperation(), {target, debug, fuse})))
      signalPassFailure();
  }

private:
  const TargetDescription *target = nullptr;
};
} // namespace

std::unique_ptr<mlir::Pass> createLowerTilesPass(const CpuCodegenOptions &options) {
  return std::make_unique<LowerTilesPass>(options);
}

void registerCpuCodegenPasses() {
  mlir::registerPass([] { return createLowerTilesPass(); });
}

} // namespace triton::cpu
