#include "gpu/target/TargetInfo.h"

#include "analysis/CallCycles.h"

using namespace mlir;

namespace triton::gpu {

SmallVector<MatrixUnit> TargetInfo::findMatrixUnits(const ProductTypes &) const { return {}; }

llvm::StringRef MatrixUnit::refuses(const ProductTile &tile) const {
  int64_t rowTiles = tile.rows / rows, columnTiles = tile.columns / columns;
  if (rowTiles < 1 || columnTiles < 1 || tile.depth < std::max(depth, operandDepth))
    return "the tile is smaller than what the unit computes at once";
  if (!readsShared)
    return {};
  if (tile.rank != 2)
    return "it does not multiply batches of matrices";
  unsigned groups = tile.warps / groupWarps;
  if (groups < 1)
    return "groups of warps compute together, and the program has fewer warps than a group";
  if (rowTiles * columnTiles < groups)
    return "there are more groups of warps than tiles";
  return {};
}

std::optional<MatrixUnit> TargetInfo::findUnitOfBuffers(const ProductTypes &types) const {
  SmallVector<MatrixUnit> units = findMatrixUnits(types);
  auto *unit = llvm::find_if(units, [](const MatrixUnit &unit) { return unit.readsShared; });
  return unit == units.end() ? std::nullopt : std::optional(*unit);
}

llvm::StringRef TargetInfo::explainMissingUnit(const ProductTypes &) const { return {}; }

int64_t TargetInfo::getInstructionColumns(const MatrixUnit &unit, Attribute) const { return unit.columns; }

Attribute TargetInfo::getMatrixEncoding(MLIRContext *, const MatrixUnit &, llvm::ArrayRef<unsigned>, int64_t) const {
  llvm_unreachable("a target without matrix units has no layouts for them");
}

void TargetRegistry::add(llvm::StringRef family, Factory factory) const {
  std::lock_guard lock(mutex);
  factories[family] = factory;
}

llvm::Expected<const TargetInfo &> TargetRegistry::find(llvm::StringRef name) const {
  std::lock_guard lock(mutex);
  std::unique_ptr<TargetInfo> &machine = machines[name];
  if (machine)
    return *machine;
  auto [family, architecture] = name.split(':');
  Factory factory = factories.lookup(family);
  if (!factory)
    return llvm::createStringError(("no backend for GPUs is called `" + family + "`").str());
  llvm::Expected<std::unique_ptr<TargetInfo>> made = factory(architecture);
  if (!made)
    return made.takeError();
  return *(machine = std::move(*made));
}

static const TargetRegistry *registryOf(MLIRContext *context) {
  // A compilation that begins with a later stage has loaded no dialect.
  return context->getOrLoadDialect<ttg::TritonGPUDialect>()->getRegisteredInterface<TargetRegistry>();
}

const TargetInfo *findTarget(Location location, llvm::StringRef name) {
  const TargetRegistry *registry = registryOf(location.getContext());
  if (!registry) {
    emitError(location) << "no backend for GPUs is registered, so that the target `" << name << "` is not known";
    return nullptr;
  }
  llvm::Expected<const TargetInfo &> target = registry->find(name);
  if (!target) {
    emitError(location) << "the target `" << name << "` is not known: " << llvm::toString(target.takeError());
    return nullptr;
  }
  return &*target;
}

/// Rule ttgir-1. Regions of combinations and of elementwise code contain scalars.
static LogicalResult verifyHaveLayouts(ModuleOp module, bool resolvesPlaceholders) {
  auto lacksLayout = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (!tensor.getEncoding() || (!resolvesPlaceholders && ttg::isPlaceholder(tensor.getEncoding())));
  };
  WalkResult walk = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    SmallVector<Type> types(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    if (auto found = llvm::find_if(types, lacksLayout); found != types.end()) {
      InFlightDiagnostic error = op->emitError() << "ttgir-1: " << *found << " has no layout";
      if (cast<RankedTensorType>(*found).getEncoding())
        error << " yet; tritongpu-resolve-layouts finds it";
      return WalkResult::interrupt();
    }
    return isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

const TargetInfo *findTarget(ModuleOp module, bool resolvesPlaceholders) {
  auto name = module->getAttrOfType<StringAttr>(ttg::targetAttribute);
  if (!name) {
    module.emitError() << "a module with layouts must name its machine in the attribute `" << ttg::targetAttribute
                       << "`; convert-triton-to-tritongpu gives layouts and sets it";
    return nullptr;
  }
  for (llvm::StringRef count : {ttg::numWarpsAttribute, ttg::threadsPerWarpAttribute}) {
    auto number = module->getAttrOfType<IntegerAttr>(count);
    if (!number || number.getInt() < 1 || !llvm::isPowerOf2_64(uint64_t(number.getInt()))) {
      module.emitError() << "the attribute `" << count << "` of a module with layouts must be a power of two";
      return nullptr;
    }
  }
  bool isFit =
      succeeded(verifyHaveLayouts(module, resolvesPlaceholders)) && succeeded(analysis::refuseRecursion(module));
  return isFit ? findTarget(module.getLoc(), name.getValue()) : nullptr;
}

const TargetInfo &getTarget(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto name = module->getAttrOfType<StringAttr>(ttg::targetAttribute);
  return llvm::cantFail(registryOf(op->getContext())->find(name.getValue()));
}

} // namespace triton::gpu
