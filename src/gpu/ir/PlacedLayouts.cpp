#include "gpu/ir/PlacedLayouts.h"

using namespace mlir;
using namespace triton;
using namespace triton::ttg;

namespace {

class Finder {
public:
  std::vector<PlacedLayout> found;

  void add(Operation *op) {
    for (Type type : op->getResultTypes())
      addType(op->getLoc(), type);
    for (Value operand : op->getOperands())
      if (isa<MemDescType>(operand.getType())) // copies write to buffers
        addType(op->getLoc(), operand.getType());
    // The same values in another place.
    if (isa<ConvertLayoutOp, LocalAllocOp, LocalStoreOp>(op) && op->getNumOperands() > 0)
      if (Operation *source = op->getOperand(0).getDefiningOp())
        for (Type type : typesOf(op))
          addType(source->getLoc(), type);
  }

private:
  static SmallVector<Type> typesOf(Operation *op) {
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    return types;
  }

  void addType(Location location, Type type) {
    if (!LaidOutType::encodingOf(type))
      return;
    location->walk([&](Location part) {
      if (auto place = dyn_cast<FileLineColLoc>(part))
        found.push_back({place.getFilename().str(), place.getLine(), place.getColumn(), {type}});
      return WalkResult::advance();
    });
  }
};

} // namespace

std::vector<PlacedLayout> ttg::placedLayouts(ModuleOp module) {
  Finder finder;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { finder.add(op); });
  return std::move(finder.found);
}
