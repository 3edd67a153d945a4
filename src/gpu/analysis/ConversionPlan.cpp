#include "gpu/analysis/ConversionPlan.h"

#include "layout/Elimination.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace triton::analysis {

using layout::LinearLayout;
using layout::Span;

namespace {

using Columns = SmallVector<uint64_t>;

/// The columns of a layout by input, all outputs flattened.
struct Side {
  Columns registers, lanes, warps;

  explicit Side(const LinearLayout &layout) {
    Columns all = layout.columns();
    llvm::ArrayRef<uint64_t> rest(all);
    for (const layout::Input &input : layout.inputs()) {
      Columns part(rest.take_front(input.bits()));
      rest = rest.drop_front(input.bits());
      if (input.name == "register")
        registers = part;
      else if (input.name == "lane")
        lanes = part;
      else if (input.name == "warp")
        warps = part;
    }
  }

  /// Whether no other column has the bit of `column`.
  bool isAlone(uint64_t column) const {
    return llvm::count_if(llvm::concat<const uint64_t>(registers, lanes, warps),
                          [&](uint64_t other) { return (other & column) != 0; }) == 1;
  }

  /// What one value of these register bits selects: an index of fewer bits. Each of the bits is the only one with its
  /// bit of the index.
  Side withoutRegisters(llvm::ArrayRef<unsigned> bits) const {
    uint64_t removed = 0;
    for (unsigned bit : bits)
      removed |= registers[bit];
    auto compress = [&](uint64_t column) {
      uint64_t result = 0;
      for (unsigned bit = 0, position = 0; bit < 64; ++bit)
        if (!(removed >> bit & 1))
          result |= (column >> bit & 1) << position++;
      return result;
    };
    Side side = *this;
    llvm::erase_if(side.registers, [&](uint64_t column) { return (column & removed) != 0; });
    for (Columns *columns : {&side.registers, &side.lanes, &side.warps})
      llvm::transform(*columns, columns->begin(), compress);
    return side;
  }
};

Columns concatenate(llvm::ArrayRef<uint64_t> left, llvm::ArrayRef<uint64_t> right) {
  Columns all(left);
  all.append(right.begin(), right.end());
  return all;
}

/// Where the target's bits find their elements within the warp. None when some element is in another warp.
std::optional<ConversionPlan> planWithinWarp(const Side &source, const Side &target) {
  Span held(concatenate(source.registers, source.lanes));
  ConversionPlan plan{ConversionPlan::Kind::Shuffles};
  auto locate = [&](uint64_t element, SmallVector<Origin> &origins) {
    std::optional<uint64_t> columns = held.solve(element);
    if (!columns)
      return false;
    uint64_t registerMask = (uint64_t(1) << source.registers.size()) - 1;
    origins.push_back({int32_t(*columns & registerMask), int32_t(*columns >> source.registers.size())});
    return true;
  };
  for (uint64_t column : target.registers)
    if (!locate(column, plan.registers))
      return std::nullopt;
  for (auto [bit, column] : llvm::enumerate(target.lanes)) {
    // Elements that both sides have in the same lanes stay there, even if other lanes hold copies.
    if (bit < source.lanes.size() && source.lanes[bit] == column)
      plan.lanes.push_back({0, int32_t(1) << bit});
    else if (!locate(column, plan.lanes))
      return std::nullopt;
  }
  // What the warp id selects in the target may differ only by what the same warp selects in the source.
  for (std::size_t bit = 0; bit < std::max(source.warps.size(), target.warps.size()); ++bit) {
    uint64_t ours = bit < target.warps.size() ? target.warps[bit] : 0;
    uint64_t theirs = bit < source.warps.size() ? source.warps[bit] : 0;
    if (!locate(ours ^ theirs, plan.warps))
      return std::nullopt;
  }
  return plan;
}

bool staysInThread(const ConversionPlan &plan) {
  auto isIdentity = [](llvm::ArrayRef<Origin> lanes) {
    for (auto [bit, origin] : llvm::enumerate(lanes))
      if (origin.registers != 0 || origin.lanes != 1 << bit)
        return false;
    return true;
  };
  return isIdentity(plan.lanes) && llvm::all_of(plan.registers, [](Origin origin) { return origin.lanes == 0; }) &&
         llvm::all_of(plan.warps, [](Origin origin) { return origin.registers == 0 && origin.lanes == 0; });
}

/// The number of ways, as a power of two, in which the source register depends on the thread.
unsigned threadDependentRegisters(const ConversionPlan &plan) {
  Columns registers;
  for (const Origin &origin : llvm::concat<const Origin>(plan.lanes, plan.warps))
    registers.push_back(uint64_t(origin.registers));
  return Span(registers).rank();
}

/// Whether another bit of the target gets its element from a lane that differs in `lane`.
bool asksForLane(const ConversionPlan &plan, int32_t lane, unsigned exceptRegister) {
  for (auto [bit, origin] : llvm::enumerate(plan.registers))
    if (bit != exceptRegister && origin.lanes & lane)
      return true;
  return llvm::any_of(llvm::concat<const Origin>(plan.lanes, plan.warps),
                      [&](const Origin &origin) { return origin.lanes & lane; });
}

/// Pairs the lane bits of the target that come from registers with register bits that come from lanes. It pairs equal
/// lane bits if possible, so that lanes keep their place. None when some have no partner.
SmallVector<BitExchange, 2> findExchanges(const ConversionPlan &plan) {
  SmallVector<BitExchange, 2> exchanges;
  int32_t usedRegisters = 0;
  auto isOneBit = [](int32_t mask) { return llvm::isPowerOf2_32(uint32_t(mask)); };
  auto mayPair = [&](unsigned bit) {
    Origin origin = plan.registers[bit];
    return !(usedRegisters >> bit & 1) && origin.registers == 0 && isOneBit(origin.lanes) &&
           !asksForLane(plan, origin.lanes, bit);
  };
  if (llvm::any_of(plan.warps, [](const Origin &origin) { return origin.registers != 0; }))
    return {};
  for (auto [lane, origin] : llvm::enumerate(plan.lanes)) {
    if (origin.registers == 0)
      continue;
    if (origin.lanes != 0 || !isOneBit(origin.registers))
      return {};
    SmallVector<unsigned> partners = llvm::filter_to_vector(llvm::seq<unsigned>(0, plan.registers.size()), mayPair);
    if (partners.empty())
      return {};
    auto *same = llvm::find_if(partners, [&](unsigned bit) { return plan.registers[bit].lanes == 1 << lane; });
    unsigned partner = same == partners.end() ? partners.front() : *same;
    usedRegisters |= 1 << partner;
    exchanges.push_back({origin.registers, plan.registers[partner].lanes, partner, unsigned(lane)});
  }
  return exchanges;
}

/// Register bits of the target that are register bits of the source, for as many elements as fit a word of 32 bits,
/// which is the unit of shuffles.
SmallVector<unsigned, 2> findPackedBits(const ConversionPlan &plan, unsigned elementBytes) {
  SmallVector<unsigned, 2> packed;
  for (auto [bit, origin] : llvm::enumerate(plan.registers))
    if (elementBytes << packed.size() < 4 && origin.registers != 0 && origin.lanes == 0)
      packed.push_back(unsigned(bit));
  return packed;
}

std::size_t countDifferent(const Columns &columns) {
  return std::size_t(1) << llvm::count_if(columns, [](uint64_t column) { return column != 0; });
}

/// Whether shuffles cost less than shared memory, in clocks of a multiprocessor for each warp: 1 for each word that is
/// shuffled and 0.75 for each exchange that selects it twice, 1 for each row that is stored or loaded, 30 for the
/// barrier, which a program of one warp does not need. Lanes that read the same word share a row.
bool isCheaperThanShared(const ConversionPlan &plan, const Side &source, const Side &target, unsigned elementBytes,
                         const gpu::Machine &machine) {
  auto rows = [&](const Side &side) {
    std::size_t words = (std::size_t(1) << side.registers.size()) * elementBytes;
    return std::max(words * countDifferent(side.lanes) / machine.sharedRowBytes(), words / 16);
  };
  std::size_t shuffled =
      (std::size_t(1) << plan.registers.size() >> plan.packed.size()) * std::max(1u, elementBytes / 4);
  std::size_t barrier = source.warps.empty() && target.warps.empty() ? 0 : 30;
  return (4 + 3 * plan.exchanges.size()) * shuffled <= 4 * (rows(source) + rows(target) + barrier);
}

/// Adds `candidates` that are independent of `basis` until it has `size` elements.
void extend(Columns &basis, llvm::ArrayRef<uint64_t> candidates, std::size_t size) {
  for (uint64_t candidate : candidates) {
    if (basis.size() >= size)
      return;
    if (candidate != 0 && !Span(basis).solve(candidate))
      basis.push_back(candidate);
  }
}

Columns unitVectors(unsigned bits) {
  Columns units;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(uint64_t(1) << bit);
  return units;
}

/// A basis of a subspace that intersects the spans of `left` and `right`, which have equal dimension, only in 0 and
/// complements each of them: unit vectors outside of both, and sums of a vector that only the one has and one that only
/// the other has.
Columns commonComplement(const Columns &left, const Columns &right, unsigned bits) {
  Columns onlyLeft, onlyRight, both = left;
  extend(both, right, bits);
  onlyRight.assign(both.begin() + left.size(), both.end());
  // left = (left and right) + onlyLeft, so the right basis is extended by the left one.
  Columns other = right;
  extend(other, left, bits);
  onlyLeft.assign(other.begin() + right.size(), other.end());
  Columns complement, all = both;
  extend(all, unitVectors(bits), bits);
  complement.assign(all.begin() + both.size(), all.end());
  for (auto [a, b] : llvm::zip_equal(onlyLeft, onlyRight))
    complement.push_back(a ^ b);
  return complement;
}

/// Chooses the place of each element: bits of a vector, then bits within a bank, then the bank, then the row of banks.
/// A side has no conflicts if no sum of row bits is a sum of vector bits and lane bits of one wavefront.
class SharedPlan {
public:
  SharedPlan(const Side &source, const Side &target, unsigned bits, unsigned elementBytes, const gpu::Machine &machine)
      : source(source), target(target), bits(bits), elementLog(llvm::Log2_32(elementBytes)),
        accessLog(llvm::Log2_32(machine.accessBytes)), bankLog(llvm::Log2_32(machine.bankBytes)),
        rowLog(llvm::Log2_32(machine.sharedRowBytes())), writesMatrices(machine.writesMatrices),
        readsMatrices(machine.readsMatrices), common(vectorBits()), row(findMatrixRow()) {}

  bool movesMatrices() const { return row.has_value(); }

  /// The column of each bit of the offset, lowest first.
  Columns offsets() const {
    if (row)
      return place({row->columns, row->columns});
    for (const Vectors &vectors : widerVectors())
      if (Columns offsets = place(vectors); keepsVectors(offsets, vectors))
        return offsets;
    return place({common, common});
  }

private:
  /// What lies side by side for single accesses of each side. One begins with the other.
  struct Vectors {
    Columns source, target;
  };

  /// Elements that are 16 bytes side by side in shared memory, and on each side the columns that number such rows in
  /// one wavefront.
  struct MatrixRow {
    Columns columns, sourceRows, targetRows;
  };

  /// The row that lets a side move matrices and the other one matrices or vectors, for elements of 16 bits. Vectors of
  /// a word and more take the same time in shared memory, and leave the registers to the assembler (tuned on an H200:
  /// chunked linear attention was 4 to 10 % slower with matrices in their place).
  std::optional<MatrixRow> findMatrixRow() const {
    std::size_t rowBits = matrixRowLog - elementLog;
    if (elementLog != 1 || !common.empty())
      return std::nullopt;
    for (auto [side, movesMatrices] : {std::pair{&source, writesMatrices}, {&target, readsMatrices}})
      for (bool isTransposed : {false, true}) {
        Columns row = movesMatrices ? rowOfMatrix(*side, isTransposed) : Columns();
        if (row.empty() || Span(row).rank() != rowBits)
          continue;
        std::optional<Columns> stored = rowsOf(source, row, writesMatrices),
                               loaded = rowsOf(target, row, readsMatrices);
        if (stored && loaded)
          return MatrixRow{row, *stored, *loaded};
      }
    return std::nullopt;
  }

  /// The elements in a row of the matrices that a warp moves: those of the first register bit and two lane bits, or,
  /// transposed, of the other three lane bits. Empty where the side does not have this row.
  static Columns rowOfMatrix(const Side &side, bool isTransposed) {
    if (side.lanes.size() != 5 || side.registers.empty())
      return {};
    llvm::ArrayRef<uint64_t> lanes(side.lanes);
    return isTransposed ? Columns(lanes.drop_front(2)) : Columns{side.registers[0], lanes[0], lanes[1]};
  }

  /// What numbers the rows in one wavefront of a side that moves `row` as vectors of threads or as matrices.
  static std::optional<Columns> rowsOf(const Side &side, const Columns &row, bool movesMatrices) {
    if (llvm::all_of(row, [&](uint64_t column) { return llvm::is_contained(side.registers, column); }))
      return side.lanes;
    if (!movesMatrices)
      return std::nullopt;
    if (row == rowOfMatrix(side, false))
      return Columns(llvm::ArrayRef(side.lanes).drop_front(2));
    if (row == rowOfMatrix(side, true))
      return Columns{side.registers[0], side.lanes[0], side.lanes[1]};
    return std::nullopt;
  }

  /// Register bits of both sides, at most as many as one access can move.
  Columns vectorBits() const {
    Columns shared;
    for (uint64_t column : source.registers)
      if (llvm::is_contained(target.registers, column))
        extend(shared, column, elementLog >= accessLog ? 0 : accessLog - elementLog);
    return shared;
  }

  /// Vectors of which those of one side go on with registers that the other side does not have: it accesses them one by
  /// one, as it would anyway. The side that saves more accesses comes first, of equal ones the one whose registers are
  /// neighbours in the tensor, as what vectors of global memory bring.
  SmallVector<Vectors, 2> widerVectors() const {
    struct Wider {
      Vectors vectors;
      std::size_t saved;
      bool isContiguous;
      bool isTarget;
    };
    SmallVector<Wider, 2> found;
    for (const Side *side : {&target, &source}) {
      Columns wide = common;
      extend(wide, side->registers, elementLog >= accessLog ? 0 : accessLog - elementLog);
      if (wide.size() == common.size())
        continue;
      std::size_t accesses = countDifferent(side->registers) >> common.size();
      bool isContiguous = llvm::all_of(llvm::enumerate(wide),
                                       [&](auto column) { return column.value() == wide.front() << column.index(); });
      found.push_back({side == &source ? Vectors{wide, common} : Vectors{common, wide},
                       accesses - (accesses >> (wide.size() - common.size())), isContiguous, side == &target});
    }
    llvm::sort(found, [](const Wider &left, const Wider &right) {
      return std::tuple(left.saved, left.isContiguous, left.isTarget) >
             std::tuple(right.saved, right.isContiguous, right.isTarget);
    });
    return llvm::map_to_vector<2>(found, [](const Wider &wider) { return wider.vectors; });
  }

  /// Whether nothing but the registers of `vectors` moves their side within a vector.
  bool keepsVectors(const Columns &offsets, const Vectors &vectors) const {
    bool isSource = vectors.source.size() > vectors.target.size();
    const Side &side = isSource ? source : target;
    const Columns &wide = isSource ? vectors.source : vectors.target;
    Span memory(offsets);
    uint64_t within = (uint64_t(1) << wide.size()) - 1;
    return llvm::all_of(llvm::concat<const uint64_t>(side.registers, side.lanes, side.warps), [&](uint64_t column) {
      return llvm::is_contained(wide, column) || !(*memory.solve(column) & within);
    });
  }

  /// The column of each bit of the offset, lowest first, where `vectors` are side by side.
  Columns place(const Vectors &vectors) const {
    Columns low = vectors.source.size() > vectors.target.size() ? vectors.source : vectors.target;
    fillWord(low);
    unsigned segmentStart = std::min<unsigned>(bits, std::max<int>(int(low.size()), int(rowLog) - int(elementLog)));
    Columns segments;
    if (segmentStart < bits) {
      Columns left = wavefront(low, vectors.source.size(), row ? row->sourceRows : source.lanes),
              right = wavefront(low, vectors.target.size(), row ? row->targetRows : target.lanes);
      extend(left, right, segmentStart);
      extend(right, left, segmentStart);
      extend(left, unitVectors(bits), segmentStart);
      extend(right, unitVectors(bits), segmentStart);
      segments = commonComplement(left, right, bits);
    }
    Columns fixed = concatenate(low, segments), all = fixed;
    // Lanes keep their order if possible, because addresses are then cheap.
    for (const Columns &candidates : {target.lanes, source.lanes, unitVectors(bits)})
      extend(all, candidates, bits);
    Columns banks(all.begin() + fixed.size(), all.end());
    return concatenate(concatenate(low, banks), segments);
  }

  /// Elements that are narrower than a bank share one. The best bits for this are those of a register on one side and
  /// of a warp on the other.
  void fillWord(Columns &low) const {
    std::size_t size = elementLog >= bankLog ? 0 : bankLog - elementLog;
    Columns mixed;
    for (uint64_t column : source.registers)
      if (llvm::is_contained(target.warps, column))
        mixed.push_back(column);
    for (uint64_t column : target.registers)
      if (llvm::is_contained(source.warps, column))
        mixed.push_back(column);
    for (const Columns &candidates : {mixed, source.warps, target.warps, unitVectors(bits)})
      extend(low, candidates, std::min<std::size_t>(size, bits));
  }

  /// The first of `low` that are side by side for an access of `vectorSize` bits, or in a bank, and those of `threads`
  /// that are served together, for one row of banks.
  Columns wavefront(llvm::ArrayRef<uint64_t> low, std::size_t vectorSize, llvm::ArrayRef<uint64_t> threads) const {
    unsigned vectorLog = std::max(bankLog, elementLog + unsigned(vectorSize));
    Columns basis(low.take_front(std::min<std::size_t>(low.size(), vectorLog - elementLog)));
    extend(basis, threads.take_front(std::min<std::size_t>(threads.size(), rowLog - vectorLog)), bits);
    return basis;
  }

  static constexpr unsigned matrixRowLog = 4; ///< bytes

  const Side &source, &target;
  unsigned bits, elementLog, accessLog, bankLog, rowLog;
  bool writesMatrices, readsMatrices;
  Columns common; ///< what `vectorBits` found
  std::optional<MatrixRow> row;
};

/// A bit of the tensor's index that each side has in one register bit and nowhere else. Each value of the bit is a
/// separate conversion.
struct RoundBit {
  unsigned source, target; ///< numbers of the register bits
};

/// The bits that may number rounds. The source's last registers come first, because vectors are made of the first ones.
SmallVector<RoundBit> findRoundBits(const Side &source, const Side &target) {
  SmallVector<RoundBit> bits;
  for (unsigned bit = source.registers.size(); bit-- > 0;) {
    uint64_t column = source.registers[bit];
    const uint64_t *found = llvm::find(target.registers, column);
    if (llvm::isPowerOf2_64(column) && found != target.registers.end() && source.isAlone(column) &&
        target.isAlone(column))
      bits.push_back({bit, unsigned(found - target.registers.begin())});
  }
  return bits;
}

/// (register, lane, warp) -> offset for one side.
LinearLayout offsetsOf(const Side &side, const Columns &offsetColumns) {
  Span memory(offsetColumns);
  auto input = [&](llvm::StringRef name, const Columns &columns) {
    layout::Input result{name.str(), {}};
    for (uint64_t column : columns)
      result.bases.push_back({int32_t(*memory.solve(column))});
    return result;
  };
  return LinearLayout({input("register", side.registers), input("lane", side.lanes), input("warp", side.warps)},
                      {{"offset", int32_t(1) << offsetColumns.size()}});
}

/// The plan of an exchange through shared memory, in `rounds` rounds or as many as the layouts allow. The index has
/// `bits` bits.
ConversionPlan planThroughShared(const Side &source, const Side &target, unsigned bits, unsigned elementBytes,
                                 const gpu::Machine &machine, unsigned rounds) {
  ConversionPlan plan{ConversionPlan::Kind::Shared};
  for (RoundBit bit : findRoundBits(source, target)) {
    if (plan.rounds() >= rounds)
      break;
    plan.sourceRounds.push_back(bit.source);
    plan.targetRounds.push_back(bit.target);
  }
  bits -= plan.sourceRounds.size();
  Side stored = source.withoutRegisters(plan.sourceRounds), loaded = target.withoutRegisters(plan.targetRounds);
  SharedPlan places(stored, loaded, bits, elementBytes, machine);
  Columns offsets = places.offsets();
  plan.movesMatrices = places.movesMatrices();
  plan.storeOffsets = offsetsOf(stored, offsets);
  plan.loadOffsets = offsetsOf(loaded, offsets);
  plan.scratchBytes = (std::size_t(1) << bits) * elementBytes;
  return plan;
}

/// On a conversion: the number of rounds in which it exchanges, which the allocation sets.
constexpr llvm::StringLiteral allocationRoundsAttribute = "allocation.rounds";

/// The number of rounds that the allocation requests.
unsigned requestedRounds(ttg::ConvertLayoutOp op) {
  auto rounds = op->getAttrOfType<IntegerAttr>(allocationRoundsAttribute);
  return rounds ? unsigned(std::max<int64_t>(rounds.getInt(), 1)) : 1;
}

} // namespace

ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &target, unsigned elementBytes,
                              const gpu::Machine &machine, unsigned rounds) {
  Side sourceSide(source), targetSide(target);
  if (std::optional<ConversionPlan> plan = planWithinWarp(sourceSide, targetSide)) {
    if (staysInThread(*plan))
      plan->kind = ConversionPlan::Kind::Registers;
    unsigned ways = threadDependentRegisters(*plan);
    plan->exchanges = findExchanges(*plan);
    if (plan->exchanges.size() != ways) // two lane bits ask for the same register
      plan->exchanges.clear();
    if (plan->exchanges.size() == ways)
      plan->packed = findPackedBits(*plan, elementBytes);
    bool mayShuffle = ways == 0 || plan->exchanges.size() == 2;
    if (ways == 1 || plan->kind == ConversionPlan::Kind::Registers ||
        (mayShuffle && isCheaperThanShared(*plan, sourceSide, targetSide, elementBytes, machine)))
      return *plan;
  }
  return planThroughShared(sourceSide, targetSide, source.outputBits(), elementBytes, machine, rounds);
}

unsigned sharedElementBytes(Type element) {
  return isa<tt::PointerType>(element) ? 8 : std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

ConversionPlan planConversion(ttg::ConvertLayoutOp op) {
  auto source = cast<RankedTensorType>(op.getSrc().getType()), target = cast<RankedTensorType>(op.getType());
  return planConversion(ttg::toLinearLayout(source), ttg::toLinearLayout(target),
                        sharedElementBytes(source.getElementType()), gpu::getTarget(op).machine(), requestedRounds(op));
}

bool doubleRounds(ttg::ConvertLayoutOp op) {
  ConversionPlan plan = planConversion(op);
  Side source(ttg::toLinearLayout(cast<RankedTensorType>(op.getSrc().getType())));
  Side target(ttg::toLinearLayout(cast<RankedTensorType>(op.getType())));
  if (plan.kind != ConversionPlan::Kind::Shared || findRoundBits(source, target).size() == plan.sourceRounds.size())
    return false;
  op->setAttr(allocationRoundsAttribute, OpBuilder(op).getI32IntegerAttr(int32_t(2 * plan.rounds())));
  return true;
}

} // namespace triton::analysis
