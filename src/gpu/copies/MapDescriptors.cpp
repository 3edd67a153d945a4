// Lets the launch make the tensor maps of descriptors that a kernel in Gluon makes, see Passes.td.
#include "base/UserErrors.h"
#include "gpu/copies/DescriptorMaps.h"
#include "gpu/copies/Passes.h"
#include "gpu/copies/TensorMaps.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUMAPDESCRIPTORS
#include "gpu/copies/Passes.h.inc"

namespace {

/// Copies of an operation, each with what it copies through and the encoding of its buffer.
struct MappedCopy {
  Operation *op;
  OpOperand *map;
  NvmmaSharedEncodingAttr encoding;
};

std::optional<MappedCopy> findCopy(Operation *op) {
  auto describe = [&](auto copy, MemDescType buffer) {
    return MappedCopy{op, &copy.getMapMutable(), cast<NvmmaSharedEncodingAttr>(buffer.getEncoding())};
  };
  if (auto load = dyn_cast<AsyncMappedLoadOp>(op))
    return describe(load, load.getDst().getType());
  if (auto store = dyn_cast<AsyncMappedStoreOp>(op))
    return describe(store, store.getSrc().getType());
  return std::nullopt;
}

bool isPassedByLaunch(Value map) {
  auto argument = dyn_cast<BlockArgument>(map);
  auto function = argument ? dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp()) : tt::FuncOp();
  return function && function.getArgAttr(argument.getArgNumber(), tensorMapAttribute);
}

class DescribedMaps {
public:
  LogicalResult replace(const MappedCopy &copy) {
    auto descriptor = copy.map->get().getDefiningOp<tt::MakeTensorDescOp>();
    if (!descriptor)
      return copy.op->emitError()
             << base::wrongKernelPrefix
             << "the descriptor of this copy is chosen by the running kernel, but the launch makes "
                "its map; copy in both branches, or make the descriptor outside of the loop";
    llvm::StringRef obstacle;
    std::optional<DescriptorMap> described = describeMap(descriptor, MapAlignment::Promised, obstacle);
    if (!described) {
      InFlightDiagnostic error = descriptor.emitError()
                                 << base::wrongKernelPrefix
                                 << "the launch cannot make the map of this descriptor: " << obstacle;
      error.attachNote() << "blocks of other arrays come with `ttgl.load`, or with `async_copy.async_load`";
      return error;
    }
    NamedAttrList map(described->map);
    if (descriptor.getPadding() == tt::PaddingOption::NaN)
      map.set("nan", UnitAttr::get(descriptor.getContext()));
    auto function = descriptor->getParentOfType<tt::FuncOp>();
    auto box = cast<tt::TensorDescType>(descriptor.getType()).getBlockType();
    TensorMaps &ofFunction = maps.try_emplace(function, function).first->second;
    copy.map->set(ofFunction.get(map.getDictionary(descriptor.getContext()), box, copy.encoding, descriptor.getLoc()));
    return success();
  }

private:
  llvm::DenseMap<tt::FuncOp, TensorMaps> maps;
};

struct TritonGPUMapDescriptors : impl::TritonGPUMapDescriptorsBase<TritonGPUMapDescriptors> {
  void runOnOperation() override {
    SmallVector<MappedCopy> copies;
    SmallVector<tt::MakeTensorDescOp> descriptors;
    getOperation()->walk([&](Operation *op) {
      std::optional<MappedCopy> copy = findCopy(op);
      if (copy && !isPassedByLaunch(copy->map->get()))
        copies.push_back(*copy);
      if (auto descriptor = dyn_cast<tt::MakeTensorDescOp>(op))
        descriptors.push_back(descriptor);
    });
    if (copies.empty() && descriptors.empty())
      return markAllAnalysesPreserved();
    DescribedMaps maps;
    for (const MappedCopy &copy : copies)
      if (failed(maps.replace(copy)))
        return signalPassFailure();
    for (tt::MakeTensorDescOp descriptor : descriptors)
      if (descriptor->use_empty())
        descriptor->erase();
  }
};

} // namespace

} // namespace triton::ttg
