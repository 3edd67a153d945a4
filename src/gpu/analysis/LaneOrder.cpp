#include "gpu/analysis/LaneOrder.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/BufferAddress.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::analysis {

using layout::LinearLayout;

LinearLayout findBufferOffsets(RankedTensorType tensor, ttg::MemDescType buffer) {
  // element -> offset, after (register, lane, warp) -> element.
  return ttg::toLinearLayout(tensor).compose(ttg::getElementOffsets(buffer));
}

bool followsLanes(const LinearLayout &offsets, unsigned width, llvm::ArrayRef<int32_t> paddings) {
  auto lanes = offsets.findInput("lane")->bases;
  unsigned first = llvm::Log2_32(width), end = first + unsigned(lanes.size());
  for (std::size_t i = 0; i < paddings.size(); i += 2)
    if (paddings[i] < int32_t(1) << end)
      return false;
  int32_t low = (int32_t(1) << end) - 1;
  for (const layout::Input &input : offsets.inputs())
    for (auto [bit, basis] : llvm::enumerate(input.bases)) {
      bool isInVector = input.name == "register" && bit < first, isLane = input.name == "lane";
      bool isRight = isInVector ? basis.front() == int32_t(1) << bit
                     : isLane   ? basis.front() == int32_t(1) << (first + bit)
                                : (basis.front() & low) == 0;
      if (!isRight)
        return false;
    }
  return offsets.findInput("register")->bits() >= first;
}

Attribute getLaneOrder(ttg::MemDescType buffer, unsigned width, unsigned lanes, unsigned warps) {
  LinearLayout places = ttg::toLinearLayout(buffer);
  const std::vector<layout::Basis> &offsets = places.inputs().front().bases;
  unsigned next = 0;
  auto take = [&](llvm::StringRef name, unsigned bits) {
    layout::Input input{name.str(), {}};
    for (unsigned bit = 0; bit < bits; ++bit, ++next)
      input.bases.push_back(next < offsets.size() ? offsets[next] : layout::Basis(places.outputs().size(), 0));
    return input;
  };
  layout::Input ofRegisters = take("register", llvm::Log2_32(width)), ofLanes = take("lane", llvm::Log2_32(lanes));
  if (next > offsets.size())
    return {};
  layout::Input ofWarps = take("warp", llvm::Log2_32(warps));
  while (next < offsets.size())
    ofRegisters.bases.push_back(offsets[next++]);
  return ttg::LinearEncodingAttr::get(
      buffer.getContext(), LinearLayout({ofRegisters, ofLanes, ofWarps, layout::Input{"block", {}}}, places.outputs()));
}

unsigned countLaneCopies(ttg::AsyncCopyGlobalToLocalOp copy, const AxisInfoAnalysis &axisInfo) {
  const gpu::Machine &machine = gpu::getTarget(copy).machine();
  auto type = cast<RankedTensorType>(copy.getSrc().getType());
  unsigned width = getVectorWidth(axisInfo, copy.getSrc(), copy.getMask(), machine.accessBytes);
  LinearLayout offsets = findBufferOffsets(type, copy.getDst().getType());
  bool isDone = machine.copiesAsynchronously(width * getPointeeBytes(type)) && !copy.getOther() &&
                followsLanes(offsets, width, ttg::getPaddings(copy.getDst().getType())) &&
                findBufferAddress(axisInfo, copy.getSrc(), copy.getMask());
  // Where threads hold copies of elements, not all of them take part.
  return isDone && offsets.isInjective() ? unsigned(offsets.inputSize("register")) / width : 0;
}

/// The copies that `group` closes: those whose tokens it has, and those without that follow the group before.
static SmallVector<ttg::AsyncCopyGlobalToLocalOp> findCopies(ttg::AsyncCommitGroupOp group) {
  SmallVector<ttg::AsyncCopyGlobalToLocalOp> copies;
  for (Value token : group.getInputTokens())
    if (auto copy = token.getDefiningOp<ttg::AsyncCopyGlobalToLocalOp>())
      copies.push_back(copy);
  for (Operation *op = group->getPrevNode(); op && !isa<ttg::AsyncCommitGroupOp>(op); op = op->getPrevNode())
    if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op); copy && copy.getToken().use_empty())
      copies.push_back(copy);
  return copies;
}

/// The groups of the block of `wait`, and those that its waits have tokens of: a loop that this compiler has pipelined
/// counts no others. Those of the function where a token is missing or comes from elsewhere.
static llvm::SetVector<Operation *> findGroups(ttg::AsyncWaitOp wait) {
  llvm::SetVector<Operation *> groups, all;
  wait->getParentOfType<FunctionOpInterface>()->walk([&](ttg::AsyncCommitGroupOp group) { all.insert(group); });
  groups.insert_range(wait->getBlock()->getOps<ttg::AsyncCommitGroupOp>());
  for (auto other : wait->getBlock()->getOps<ttg::AsyncWaitOp>()) {
    if (other.getInputTokens().empty())
      return all;
    for (Value token : other.getInputTokens())
      for (Value origin : findOrigins(token))
        if (auto group = origin.getDefiningOp<ttg::AsyncCommitGroupOp>())
          groups.insert(group);
        else
          return all;
  }
  return groups;
}

unsigned countLaneCopiesOfGroups(ttg::AsyncWaitOp wait, const AxisInfoAnalysis &axisInfo) {
  std::optional<unsigned> fewest;
  for (Operation *op : findGroups(wait)) {
    auto group = cast<ttg::AsyncCommitGroupOp>(op);
    unsigned copies = 0;
    for (ttg::AsyncCopyGlobalToLocalOp copy : findCopies(group))
      copies += countLaneCopies(copy, axisInfo);
    fewest = std::min(fewest.value_or(copies), copies);
  }
  return fewest.value_or(0);
}

} // namespace triton::analysis
