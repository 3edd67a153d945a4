// TTGIR to the LLVM dialect, see Passes.td.
#include "analysis/IndexRange.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/Passes.h"
#include "gpu/lowering/TargetEmitter.h"
#include "passes/llvm/ForLoops.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_CONVERTTRITONGPUTOLLVM
#include "gpu/lowering/Passes.h.inc"

namespace {

LoweringTable makeTable() {
  LoweringTable table;
  for (auto add :
       {addArithmeticLowerings, addConversionLowerings, addMathLowerings, addProgramLowerings, addShapeLowerings,
        addMemoryLowerings, addAtomicLowerings, addConvertLayoutLowerings, addReduceLowerings, addScanLowerings,
        addSharedLowerings, addAsyncCopyLowerings, addBulkCopyLowerings, addDotLowerings, addTensorMemoryLowerings,
        addGatherLowerings, addDebugLowerings, addExternLowerings})
    add(table);
  return table;
}

struct ConvertTritonGPUToLLVM : impl::ConvertTritonGPUToLLVMBase<ConvertTritonGPUToLLVM> {
  using ConvertTritonGPUToLLVMBase::ConvertTritonGPUToLLVMBase;

  void runOnOperation() override {
    static const LoweringTable table = makeTable();
    ModuleOp module = getOperation();
    const TargetInfo *info = findTarget(module);
    if (!info || failed(analysis::verifyHavePlaces(module)))
      return signalPassFailure();
    std::unique_ptr<TargetEmitter> target = info->createEmitter({maxRegisters, ptxVersion, buffers});
    if (failed(separateNames(module, *info)) || failed(refuseClusters(module, target->bulkCopies() != nullptr)) ||
        failed(lowerStructuredControlFlow(module)))
      return signalPassFailure();
    addSharedMemory(module);
    analysis::AxisInfoAnalysis axisInfo(module);
    std::optional<analysis::AxisInfoAnalysis> withoutRuns;
    if (analysis::AxisInfoAnalysis::hasStatedRuns(module))
      withoutRuns.emplace(module, analysis::StatedRuns::Ignored);
    ModuleFacts facts{axisInfo, withoutRuns ? *withoutRuns : axisInfo};
    Emitter emitter(module, table, facts, *info, *target, {flushDenormals, checkAssertions, definesAll});
    for (auto function : llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
      if (failed(emitter.lowerFunction(function)))
        return signalPassFailure();
  }

private:
  /// Each block of a cluster has its part of the program.
  static LogicalResult refuseClusters(ModuleOp module, bool targetHasClusters) {
    constexpr unsigned mostBlocks = 8; // that every GPU with clusters runs
    if (unsigned blocks = ttg::getNumCtas(module); blocks != 1)
      return module.emitError() << "`" << ttg::numCtasAttribute << "` is " << blocks
                                << "; code is for one block, so it must be 1: `tritongpu-divide-among-blocks` gives "
                                   "each block its part";
    unsigned blocks = tt::getBlocks(module);
    if (blocks != 1 && (!targetHasClusters || !llvm::isPowerOf2_32(blocks) || blocks > mostBlocks))
      return module.emitError() << "`" << tt::blocksAttribute << "` is " << blocks << "; it must be "
                                << (targetHasClusters ? "1, 2, 4 or 8" : "1, because the target has no clusters");
    auto hasBlocks = [](Type type) {
      if (ttg::isInTensorMemory(type))
        return false; // Products say of how many blocks they are.
      if (auto buffer = dyn_cast<ttg::MemDescType>(type))
        return !cast<ttg::SharedEncodingInterface>(buffer.getEncoding()).getBlockBases().empty();
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.getEncoding() && ttg::toLinearLayout(tensor).inputSize("block") != 1;
    };
    llvm::DenseMap<Type, bool> known;
    WalkResult walk = module.walk([&](Operation *op) {
      for (Type type : op->getResultTypes()) {
        auto [entry, isNew] = known.try_emplace(type, false);
        if (isNew)
          entry->second = hasBlocks(type);
        if (entry->second) {
          op->emitError() << "has the type " << type << ", whose layout is over several blocks, but the program is one";
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// The loops that could wrap around and start from numbers that are not negative.
  static llvm::DenseSet<Operation *> findUpwards(ModuleOp module) {
    std::optional<analysis::AxisInfoAnalysis> axisInfo;
    llvm::DenseSet<Operation *> upwards;
    module.walk([&](scf::ForOp loop) {
      if (loop.getUnsignedCmp() || !passes::mayWrap(loop))
        return;
      APInt first;
      bool isKnown = matchPattern(loop.getLowerBound(), m_ConstantInt(&first));
      if (!isKnown && !axisInfo)
        axisInfo.emplace(module);
      if (isKnown ? first.isNonNegative() : analysis::IndexRanges(*axisInfo).find(loop.getLowerBound()).isNonNegative())
        upwards.insert(loop);
    });
    return upwards;
  }

  LogicalResult lowerStructuredControlFlow(ModuleOp module) {
    RewritePatternSet patterns(&getContext());
    passes::populateControlFlowPatterns(patterns, findUpwards(module));
    ConversionTarget target(getContext());
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(module, target, std::move(patterns));
  }

  /// The window of shared memory, whose size the launch gives.
  static void addSharedMemory(ModuleOp module) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External, "global_smem",
                           /*value=*/Attribute(), /*alignment=*/1024, sharedSpace);
  }
};

} // namespace

} // namespace triton::gpu
