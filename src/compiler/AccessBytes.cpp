#include "compiler/AccessBytes.h"

#include "analysis/AxisInfo.h"
#include "compiler/StageDriver.h"

#include "ir/Dialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::compiler;

namespace {

constexpr int64_t widest = 16; ///< bytes

class AccessWalk {
public:
  explicit AccessWalk(ModuleOp module) : axisInfo(module) {
    module.walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp>([&](auto access) { add(access.getPtr(), access.getMask()); })
          .Case<tt::AtomicCASOp>([&](auto access) { add(access.getPtr(), {}); })
          .Case([&](tt::MakeTensorDescOp descriptor) { addDescriptor(descriptor); })
          .Case<tt::DescriptorLoadOp, tt::DescriptorStoreOp>([&](auto access) {
            auto block = cast<tt::TensorDescType>(access.getDesc().getType()).getSignlessBlockType();
            addMultiple(access.getIndices().back(), std::max(1u, block.getElementTypeBitWidth() / 8));
          });
    });
  }

  std::vector<int64_t> found;

private:
  void add(Value pointers, Value mask) {
    if (!isa<RankedTensorType>(pointers.getType()))
      return;
    auto axes = axisInfo.getAxisInfo(pointers).axes;
    auto *fastest = axes.begin(); // of equal ones the last
    for (auto *axis = axes.begin(); axis != axes.end(); ++axis)
      if (axis->contiguity >= fastest->contiguity)
        fastest = axis;
    int64_t bytes = analysis::getPointeeBytes(pointers.getType());
    int64_t run = std::min({fastest->contiguity * bytes, fastest->divisibility, widest});
    if (mask && isa<RankedTensorType>(mask.getType()))
      run = std::min(run, axisInfo.getAxisInfo(mask).axes[fastest - axes.begin()].constancy * bytes);
    found.push_back(std::max(run, bytes));
  }

  void addDescriptor(tt::MakeTensorDescOp descriptor) {
    auto block = cast<tt::TensorDescType>(descriptor.getType()).getSignlessBlockType();
    unsigned bytes = std::max(1u, block.getElementTypeBitWidth() / 8);
    addMultiple(descriptor.getBase(), 1);
    addMultiple(descriptor.getShape().back(), bytes);
    for (Value stride : descriptor.getStrides().drop_back())
      addMultiple(stride, bytes);
  }

  void addMultiple(Value value, int64_t bytes) {
    found.push_back(std::min(axisInfo.getAxisInfo(value).axes.front().divisibility * bytes, widest));
  }

  analysis::AxisInfoAnalysis axisInfo;
};

} // namespace

std::vector<int64_t> compiler::accessBytes(const CompileRequest &given) {
  CompileRequest request = given;
  request.lastStage = "ttir";
  std::vector<int64_t> found;
  auto walk = [&](const StageDriver &driver, const CompiledKernel &) {
    if (driver.module())
      found = AccessWalk(cast<ModuleOp>(driver.module())).found;
  };
  runStages(request, walk, /*isQuiet=*/true); // The compilation itself prints.
  return found;
}
