#include "gpu/analysis/LayoutCost.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/CombinePlan.h"
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/analysis/GlobalAccess.h"
#include "gpu/analysis/LaneOrder.h"
#include "gpu/analysis/TunedNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace triton::analysis {

/// Divisions by what is known are shifts, or products and shifts.
static double weightOfDivision(Value divisor) {
  APInt known;
  if (!matchPattern(divisor, m_ConstantInt(&known)))
    return tuned::functionWeight;
  return known.isPowerOf2() ? 2 : 4;
}

bool isCostly(Operation *op) {
  return isa<arith::DivFOp, tt::PreciseDivFOp, tt::PreciseSqrtOp>(op) ||
         (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp>(op));
}

double instructionsOf(Operation *op) {
  if (isa<arith::ConstantOp, tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp,
          tt::SplitOp>(op))
    return 0;
  if (isa<tt::MakeRangeOp>(op))
    return tuned::rangeWeight;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return weightOfDivision(op->getOperand(1));
  if (isCostly(op) || isa<tt::ExternElementwiseOp, tt::ElementwiseInlineAsmOp, tt::MapElementwiseOp>(op))
    return tuned::functionWeight;
  if (isa<tt::LoadOp>(op))
    return tuned::loadWeight;
  return 1;
}

/// Integers of 64 bits take two instructions and two registers.
static double wordsOf(Value value) { return getElementTypeOrSelf(value).isInteger(64) ? 2 : 1; }

/// Exchanges between lanes and warps along the axis of a reduction.
static double axisCost(RankedTensorType type, Attribute layout, unsigned axis, unsigned warps,
                       const gpu::Machine &machine) {
  layout::LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  auto bitsAlongAxis = [&](llvm::StringRef input) {
    return llvm::count_if(linear.findInput(input)->bases, [&](const layout::Basis &basis) { return basis[axis] != 0; });
  };
  double results = double(linear.inputSize("register")) / double(1 << bitsAlongAxis("register"));
  double shuffles = results * double(bitsAlongAxis("lane")) * warps;
  double exchange = bitsAlongAxis("warp") ? machine.exchangeClocks + 4 * results * warps : 0;
  return 2 * shuffles + exchange;
}

/// What the lowering of a scan emits, step by step: bits of the axis after a bit of a lane or warp still separate
/// totals when that bit is processed, and each total is exchanged on its own.
static double scanCost(tt::ScanOp scan, const layout::LinearLayout &layout, unsigned warps,
                       const gpu::Machine &machine) {
  std::optional<ScanPlan> plan = planScan(scan, layout);
  if (!plan)
    return std::numeric_limits<double>::infinity();
  double elements = double(layout.inputSize("register")), totals = elements, operands = scan.getNumOperands(),
         combination = double(llvm::range_size(scan.getCombineOp().front().without_terminator()));
  double instructions = 0, rows = 0;
  const ScanExchange *exchange = plan->exchanges.begin();
  for (unsigned bit = 0; bit < plan->axisBits.size(); ++bit) {
    if (plan->axisBits[bit].source == AxisBit::Source::Register) {
      totals /= 2;
      instructions += (totals + elements / 2) * combination;
    } else if (unsigned run = countLaneRun(*plan, bit); machine.shiftsLanes && run > 1) {
      instructions += totals * run * (combination + operands);
      rows += 2 * totals * operands * (run + 2);
      bit += run - 1;
    } else if (run != 0) {
      instructions += totals * 2 * (combination + operands);
      rows += 2 * totals * operands;
    } else {
      double parts = double(1u << exchange->bitCount);
      instructions += totals * parts * (combination + operands);
      rows += totals * operands * (1 + parts);
      bit += exchange++->bitCount - 1;
    }
  }
  return (instructions / machine.schedulers + rows) * warps + double(plan->exchanges.size()) * machine.exchangeClocks;
}

/// The registers of a thread that hold `value`, of those with the same number one.
static double registersOf(Value value, Attribute layout, EqualElements &equal) {
  layout::LinearLayout linear = ttg::toLinearLayout(cast<RankedTensorType>(value.getType()).getShape(), layout);
  unsigned alike = llvm::popcount(registerBitsWithin(linear, equal.groupsOf(value)));
  return double(linear.inputSize("register")) / double(1 << alike);
}

/// Accesses of a thread, or the registers that they fill where these are more.
static double loadsOf(tt::LoadOp load, Attribute layout, EqualElements &equal, const gpu::Machine &machine) {
  auto type = cast<RankedTensorType>(load.getType());
  unsigned width = findAccessWidth(equal.axisInfo(), load.getPtr(), load.getMask(), machine.accessBytes,
                                   ttg::toLinearLayout(type.getShape(), layout))
                       .elements;
  double elements = registersOf(load, layout, equal), bytes = double(getPointeeBytes(load.getPtr().getType()));
  return std::max({1.0, elements / width, elements * bytes / 4});
}

/// Lines of the cache that a warp touches beyond the first, for each access of a load from scattered places. How far
/// apart neighbours are is a guess: nothing is known of them.
static double scatteredLines(tt::LoadOp load, Attribute layout, EqualElements &equal, const gpu::Machine &machine) {
  std::optional<ttg::GlobalAccess> access = ttg::findGlobalAccess(load, equal.axisInfo(), machine);
  if (!access || !access->isScattered)
    return 0;
  layout::LinearLayout linear = ttg::toLinearLayout(access->pointers.getShape(), layout);
  unsigned along = access->order.front();
  double rows = 1, span = 1;
  for (const layout::Basis &basis : linear.findInput("lane")->bases) {
    span += basis[along];
    if (basis[along] == 0 && llvm::any_of(basis, [](int32_t distance) { return distance != 0; }))
      rows *= 2;
  }
  double bytes = double(getPointeeBytes(access->pointers)) * tuned::scatteredDistance;
  double lines = rows * std::max(1.0, span * bytes / machine.lineBytes);
  return registersOf(load, layout, equal) * (std::min(lines, double(linear.inputSize("lane"))) - 1);
}

double computationCost(Operation *op, Attribute layout, EqualElements &equal, const gpu::Machine &machine) {
  bool combines = isa<tt::ReduceOp, tt::ScanOp>(op);
  Value shaped = op->getNumResults() == 0 || combines ? op->getOperand(0) : op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(shaped.getType());
  if (!type)
    return 0;
  unsigned warps = ttg::getNumWarps(op);
  auto load = dyn_cast<tt::LoadOp>(op);
  double computed = load ? loadsOf(load, layout, equal, machine) : registersOf(shaped, layout, equal) * wordsOf(shaped);
  double cost = computed * instructionsOf(op) * warps / machine.schedulers;
  if (load)
    cost += scatteredLines(load, layout, equal, machine) * warps;
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    cost += axisCost(type, layout, reduce.getAxis(), warps, machine);
  if (auto scan = dyn_cast<tt::ScanOp>(op))
    cost += scanCost(scan, ttg::toLinearLayout(type.getShape(), layout), warps, machine);
  return cost;
}

/// Whether both layouts give every thread the same elements, possibly in other registers.
static bool keepsThreads(const layout::LinearLayout &from, const layout::LinearLayout &to) {
  for (llvm::StringRef input : {"lane", "warp", "block"})
    if (from.findInput(input)->bases != to.findInput(input)->bases)
      return false;
  auto sorted = [](const layout::LinearLayout &layout) {
    std::vector<layout::Basis> bases = layout.findInput("register")->bases;
    llvm::sort(bases);
    return bases;
  };
  return sorted(from) == sorted(to);
}

constexpr unsigned sharedAccessBytes = 16; ///< that a thread reads from shared memory at once

/// Each thread reads what it holds, copies of others' elements included. Lanes that read the same bytes share a row.
static double readingCost(const layout::LinearLayout &target, double bytesOfElement, const gpu::Machine &machine) {
  double bytes = double(target.inputSize("register")) * bytesOfElement;
  auto isDifferent = [](const layout::Basis &basis) {
    return llvm::any_of(basis, [](int32_t distance) { return distance != 0; });
  };
  double lanes = double(uint64_t(1) << llvm::count_if(target.findInput("lane")->bases, isDifferent));
  double rows = std::max(std::ceil(bytes / sharedAccessBytes), lanes * bytes / machine.sharedRowBytes());
  return rows * double(target.inputSize("warp"));
}

/// How many accesses a thread makes for a word of a buffer in which elements are arranged as in memory: more than one
/// where its first registers are not neighbours along any dimension, since matrices are also read transposed.
static double accessesOfWord(const layout::LinearLayout &target, double bytesOfElement, const gpu::Machine &machine) {
  double accesses = machine.bankBytes / bytesOfElement;
  int32_t distance = 1;
  for (const layout::Basis &basis : target.findInput("register")->bases) {
    if (accesses <= 1 || !llvm::is_contained(basis, distance))
      break;
    accesses /= 2;
    distance *= 2;
  }
  return std::max(1.0, accesses);
}

double conversionCost(RankedTensorType type, Attribute from, Attribute to, const gpu::Machine &machine,
                      bool isInSharedMemory) {
  if (from == to)
    return 0;
  layout::LinearLayout source = ttg::toLinearLayout(type.getShape(), from),
                       target = ttg::toLinearLayout(type.getShape(), to);
  if (keepsThreads(source, target))
    return 0;
  double bytes = sharedElementBytes(type.getElementType());
  if (isInSharedMemory)
    return readingCost(target, bytes, machine) * accessesOfWord(target, bytes, machine);
  double written = double(type.getNumElements()) * bytes / machine.sharedRowBytes();
  return written + readingCost(target, bytes, machine) + machine.exchangeClocks;
}

/// How many different values the sums of some of these masks have, without the bits outside `bits`.
static uint64_t countSums(ArrayRef<layout::Basis> masks, int32_t bits) {
  SmallVector<int32_t> independent;
  for (const layout::Basis &mask : masks) {
    int32_t rest = mask.front() & bits;
    for (int32_t other : independent)
      rest = std::min(rest, rest ^ other);
    if (rest != 0)
      independent.push_back(rest);
  }
  return uint64_t(1) << independent.size();
}

double bufferReadCost(RankedTensorType type, ttg::MemDescType buffer, const gpu::Machine &machine) {
  layout::LinearLayout offsets = findBufferOffsets(type, buffer);
  unsigned bytes = sharedElementBytes(type.getElementType()), vector = 1;
  ArrayRef<layout::Basis> registers = offsets.findInput("register")->bases;
  while (vector * bytes < sharedAccessBytes &&
         llvm::any_of(registers, [&](const layout::Basis &basis) { return basis.front() == int32_t(vector); }))
    vector *= 2;
  // Lanes whose places in a row differ are served together.
  auto rowElements = int32_t(machine.sharedRowBytes() / bytes);
  ArrayRef<layout::Basis> lanes = offsets.findInput("lane")->bases;
  double places = double(countSums(lanes, ~(int32_t(vector) - 1))),
         inRow = double(countSums(lanes, (rowElements - 1) & ~(int32_t(vector) - 1)));
  double rows = std::max(places / inRow, places * vector * bytes / machine.sharedRowBytes());
  return rows * std::max(1.0, double(offsets.inputSize("register")) / vector) * double(offsets.inputSize("warp"));
}

double executionFrequency(Operation *op) {
  double frequency = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      APInt lower, upper, step;
      bool known = matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
                   matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
                   matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isStrictlyPositive();
      double count = known ? double(upper.getSExtValue() - lower.getSExtValue()) / double(step.getSExtValue())
                           : tuned::unknownIterations;
      frequency *= std::clamp(count, 1.0, tuned::mostIterations);
    } else if (isa<scf::WhileOp>(parent)) {
      frequency *= tuned::unknownIterations;
    }
  }
  return frequency;
}

bool isView(Operation *op) {
  return isa<arith::ConstantOp, tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp,
             tt::MakeRangeOp, ttg::ConvertLayoutOp>(op);
}

double heldCost(Value value, Attribute layout, EqualElements &equal, const gpu::Machine &machine) {
  Operation *parent = value.getParentBlock()->getParentOp();
  double own = executionFrequency(value.getDefiningOp() ? value.getDefiningOp() : parent), most = own;
  SmallVector<Operation *> worklist(value.getUsers());
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    most = std::max(most, executionFrequency(user));
    if (isView(user))
      worklist.append(user->user_begin(), user->user_end());
  }
  if (most == own)
    return 0;
  return most * registersOf(value, layout, equal) * wordsOf(value) * ttg::getNumWarps(parent) / machine.schedulers;
}

} // namespace triton::analysis
