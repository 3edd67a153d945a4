#include "gpu/analysis/CombinePlan.h"

#include "gpu/analysis/ConversionPlan.h"
#include "ir/CombinationOrder.h"

using namespace mlir;

namespace triton::analysis {

using layout::LinearLayout;

std::optional<SmallVector<AxisBit>> findAxisBits(const LinearLayout &layout, unsigned axis) {
  SmallVector<std::optional<AxisBit>> found(layout.outputs()[axis].bits());
  for (auto [name, source] : {std::pair<llvm::StringRef, AxisBit::Source>{"register", AxisBit::Source::Register},
                              {"lane", AxisBit::Source::Lane},
                              {"warp", AxisBit::Source::Warp}}) {
    const layout::Input *input = layout.findInput(name);
    for (unsigned bit = 0; input && bit < input->bits(); ++bit) {
      const layout::Basis &basis = input->bases[bit];
      if (basis[axis] == 0)
        continue;
      bool isAlone = llvm::count_if(basis, [](int32_t component) { return component != 0; }) == 1;
      if (!isAlone || !llvm::isPowerOf2_32(uint32_t(basis[axis])))
        return std::nullopt;
      std::optional<AxisBit> &place = found[llvm::Log2_32(uint32_t(basis[axis]))];
      if (place && source == AxisBit::Source::Register && place->source == source)
        continue; // copies in registers
      if (place)
        return std::nullopt;
      place = AxisBit{source, bit};
    }
  }
  SmallVector<AxisBit> bits;
  for (std::optional<AxisBit> bit : found) {
    if (!bit)
      return std::nullopt;
    bits.push_back(*bit);
  }
  return bits;
}

std::optional<ReducePlan> planReduce(tt::ReduceOp op) {
  RankedTensorType type = op.getInputTypes().front();
  std::optional<SmallVector<AxisBit>> bits = findAxisBits(ttg::toLinearLayout(type), op.getAxis());
  if (!bits)
    return std::nullopt;
  ReducePlan plan{std::move(*bits)};
  plan.resultElements = type.getNumElements() / type.getDimSize(op.getAxis());
  auto isOfWarp = [](const AxisBit &bit) { return bit.source == AxisBit::Source::Warp; };
  auto isBefore = [](const AxisBit &bit, const AxisBit &other) { return bit.source < other.source; };
  plan.isInOrder = !llvm::is_sorted(plan.axisBits, isBefore) && tt::keepsOrder(op);
  plan.firstExchanged = unsigned(llvm::find_if(plan.axisBits, isOfWarp) - plan.axisBits.begin());
  for (const AxisBit &bit : llvm::drop_begin(plan.axisBits, plan.firstExchanged))
    if (plan.isInOrder || isOfWarp(bit))
      plan.parts *= 2;
  for (Type element : op.getElementTypes()) {
    plan.operandOffsets.push_back(plan.scratchBytes);
    if (plan.parts > 1)
      plan.scratchBytes = llvm::alignTo(
          plan.scratchBytes + std::size_t(plan.resultElements) * plan.parts * sharedElementBytes(element), 16);
  }
  return plan;
}

/// Registers that differ only in `processed` bits, or hold copies, are represented by the lowest one.
static SmallVector<unsigned> distinctRegisters(const LinearLayout &layout, unsigned processed) {
  const layout::Input *registers = layout.findInput("register");
  unsigned ignored = processed;
  for (auto &[name, mask] : layout.freeVariables())
    if (name == "register")
      ignored |= unsigned(mask);
  SmallVector<unsigned> distinct;
  for (unsigned index = 0; index < 1u << registers->bits(); ++index)
    if (!(index & ignored))
      distinct.push_back(index);
  return distinct;
}

unsigned countLaneRun(const ScanPlan &plan, unsigned first) {
  unsigned count = 0;
  for (const AxisBit &bit : ArrayRef(plan.axisBits).drop_front(first)) {
    if (bit.source != AxisBit::Source::Lane || bit.bit != plan.axisBits[first].bit + count)
      break;
    ++count;
  }
  return count;
}

std::optional<ScanPlan> planScan(tt::ScanOp op) {
  return planScan(op, ttg::toLinearLayout(op.getInputTypes().front()));
}

std::optional<ScanPlan> planScan(tt::ScanOp op, const LinearLayout &layout) {
  std::optional<SmallVector<AxisBit>> bits = findAxisBits(layout, op.getAxis());
  if (!bits)
    return std::nullopt;
  ScanPlan plan{std::move(*bits)};
  unsigned processed = 0, processedLanes = 0;
  for (unsigned first = 0; first < plan.axisBits.size(); ++first) {
    const AxisBit &bit = plan.axisBits[first];
    if (bit.source == AxisBit::Source::Register)
      processed |= 1u << bit.bit;
    if (bit.source == AxisBit::Source::Lane)
      processedLanes |= 1u << bit.bit;
    if (bit.source != AxisBit::Source::Warp)
      continue;
    ScanExchange exchange{first, 1, distinctRegisters(layout, processed), unsigned(llvm::countr_one(processedLanes))};
    while (first + 1 < plan.axisBits.size() && plan.axisBits[first + 1].source == AxisBit::Source::Warp) {
      ++exchange.bitCount;
      ++first;
    }
    std::size_t threads = std::size_t(layout.inputSize("lane")) * ttg::getNumWarps(op) >> exchange.equalLaneBits;
    for (Type element : op.getElementTypes()) {
      exchange.operandOffsets.push_back(plan.scratchBytes);
      plan.scratchBytes =
          llvm::alignTo(plan.scratchBytes + exchange.registers.size() * threads * sharedElementBytes(element), 16);
    }
    plan.exchanges.push_back(std::move(exchange));
  }
  return plan;
}

} // namespace triton::analysis
