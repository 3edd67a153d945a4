// Gives tiles the layout in which copies write shared memory, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/LaneOrder.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/analysis/SharedOperands.h"
#include "gpu/ir/Products.h"
#include "gpu/products/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUORDERCOPIES
#include "gpu/products/Passes.h.inc"

namespace {

struct TritonGPUOrderCopies : impl::TritonGPUOrderCopiesBase<TritonGPUOrderCopies>, base::OptionalPass {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    const gpu::Machine &machine = target->machine();
    if (machine.fewestAsyncBytes == 0 || !machine.copiesInLaneOrder)
      return;
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    SmallVector<std::pair<tt::LoadOp, Attribute>> found;
    getOperation().walk([&](Operation *op) {
      if (!isRegisterProduct(op) || !isa<scf::ForOp>(op->getParentOp()))
        return;
      for (Value operand : op->getOperands().take_front(2))
        if (tt::LoadOp load = findOwnLoad(operand); load && load->getBlock() == op->getBlock())
          if (Attribute order = findOrder(load, operand, machine, axisInfo))
            found.push_back({load, order});
    });
    for (auto [load, order] : found)
      setEncodingAround(load, order);
  }

private:
  /// Whether groups of `width` elements along `dimension` are aligned, neighbours in memory, and masked as one. The
  /// layout of the load may have suited something else.
  static bool areNeighbors(tt::LoadOp load, unsigned dimension, int64_t width,
                           const analysis::AxisInfoAnalysis &axisInfo) {
    const analysis::AxisFacts addresses = axisInfo.getAxisInfo(load.getPtr()).axes[dimension];
    bool isMaskedAsOne = !load.getMask() || axisInfo.getAxisInfo(load.getMask()).axes[dimension].constancy >= width;
    return addresses.contiguity >= width &&
           addresses.divisibility >= width * analysis::getPointeeBytes(load.getPtr().getType()) && isMaskedAsOne;
  }

  /// The layout in which the tile lies in the buffer that it will have; null where that depends on the layout.
  static Attribute findOrder(tt::LoadOp load, Value operand, const gpu::Machine &machine,
                             const analysis::AxisInfoAnalysis &axisInfo) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    auto encoding = dyn_cast<DotOperandEncodingAttr>(cast<RankedTensorType>(operand.getType()).getEncoding());
    if (!type || type.getRank() != 2 || !encoding || encoding.getKWidth() == 0)
      return {};
    int64_t width = machine.accessBytes * 8 / type.getElementTypeBitWidth();
    if (!areNeighbors(load, getOrder(type).front(), width, axisInfo))
      return {};
    auto bufferOf = [&](RankedTensorType contents) {
      return getOperandBufferType(type,
                                  getSwizzledEncoding(contents, getOrder(contents), encoding.getKWidth(), machine));
    };
    MemDescType buffer = bufferOf(type);
    Attribute order = analysis::getLaneOrder(buffer, unsigned(width), machine.lanes, getNumWarps(load));
    return order && bufferOf(withEncoding(type, order)) == buffer ? order : Attribute();
  }
};

} // namespace

} // namespace triton::ttg
