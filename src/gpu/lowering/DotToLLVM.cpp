// Matrix products: on ordinary units for blocked accumulators, on matrix units for their fragments.
#include "base/UserErrors.h"
#include "gpu/analysis/ProgramWork.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/BufferViews.h"
#include "gpu/lowering/DotOperands.h"
#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/SharedOffsets.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

static bool isOnMatrixUnits(tt::DotOp op) {
  return isa<ttg::MatrixEncodingInterface>(cast<RankedTensorType>(op.getType()).getEncoding());
}

/// Whether `op` does not access shared memory and does not let other threads continue.
static bool keepsSharedMemory(Operation &op) {
  return isa<ttg::LocalLoadOp>(op) || (isMemoryEffectFree(&op) && analysis::getScratchBytes(&op) == 0);
}

template <typename Op> static Op findOnlyUser(Operation *op) {
  return op->hasOneUse() ? dyn_cast<Op>(*op->user_begin()) : Op();
}

bool isReadByProduct(ttg::LocalLoadOp load) {
  auto widening = findOnlyUser<arith::ExtFOp>(load);
  Value factor = widening ? widening.getOut() : load.getResult();
  auto dot = findOnlyUser<tt::DotOp>(factor.getDefiningOp());
  if (!dot || dot.getC() == factor || dot->getBlock() != load->getBlock() || isOnMatrixUnits(dot) ||
      ttg::findCutStart(load.getSrc()) != 0)
    return false;
  auto between = llvm::make_range(std::next(load->getIterator()), dot->getIterator());
  return llvm::all_of(between, keepsSharedMemory);
}

bool isWidenedByProduct(arith::ExtFOp widening) {
  auto load = widening.getIn().getDefiningOp<ttg::LocalLoadOp>();
  return load && isReadByProduct(load);
}

namespace {

/// What a product multiplies: an operand, or what it is before it is widened if the product does that.
Value findNarrow(Value operand) {
  auto widening = operand.getDefiningOp<arith::ExtFOp>();
  return widening && isWidenedByProduct(widening) ? widening.getIn() : operand;
}

/// An operand of a product on ordinary units. Elements in a buffer are read when they are needed, so that not all of K
/// occupies registers.
class OrdinaryOperand {
public:
  OrdinaryOperand(Value operand, Emitter &emitter)
      : emitter(emitter), type(cast<RankedTensorType>(operand.getType())), lookup(emitter.layoutOf(type)) {
    auto load = operand.getDefiningOp<ttg::LocalLoadOp>();
    if (load && isReadByProduct(load))
      buffer.emplace(emitter, emitter.scalar(load.getSrc()), bufferOffsets(emitter, type, load.getSrc().getType()),
                     emitter.convertElement(type), ttg::getPaddings(load.getSrc().getType()));
    else
      registers = emitter.registers(operand);
  }

  /// The element at `coordinates` in the type of the accumulator, which is at least as wide. Null when this thread does
  /// not hold the element.
  Value get(llvm::ArrayRef<int32_t> coordinates, Type sum) {
    std::optional<unsigned> index = lookup.find(coordinates);
    if (!index)
      return {};
    Value &known = widened[*index];
    return known ? known : known = widen(buffer ? buffer->load(*index) : registers[*index], sum);
  }

  bool isInBuffer() const { return buffer.has_value(); }

  /// Elements are read from `step` on, a multiple of `round`, along `dimension`.
  void startAt(Value step, int32_t round, unsigned dimension) {
    SmallVector<unsigned> moving;
    for (int32_t place = 1; place < type.getDimSize(dimension); place *= 2) {
      Coordinates coordinates(type.getRank(), 0);
      coordinates[dimension] = place < round ? 0 : place;
      moving.push_back(*lookup.find(coordinates));
    }
    buffer->move(step, moving);
    widened.clear();
  }

private:
  Value widen(Value value, Type sum) {
    if (auto number = dyn_cast<FloatType>(sum))
      return convertFloat(emitter, value, cast<FloatType>(type.getElementType()), number);
    return value.getType() == sum ? value : LLVM::SExtOp::create(emitter.b, sum, value).getResult();
  }

  Emitter &emitter;
  RankedTensorType type;
  RegisterLookup lookup;
  std::optional<SharedAccess> buffer;
  llvm::ArrayRef<Value> registers;
  llvm::DenseMap<unsigned, Value> widened; ///< by register
};

/// One thread's share of a product on ordinary units, K step by K step.
class OrdinaryDot {
public:
  OrdinaryDot(tt::DotOp op, Emitter &emitter)
      : op(op), emitter(emitter), result(cast<RankedTensorType>(op.getD().getType())),
        left(findNarrow(op.getA()), emitter), right(findNarrow(op.getB()), emitter) {}

  LogicalResult run() {
    auto depth = int32_t(cast<RankedTensorType>(op.getA().getType()).getShape().back());
    Registers sums(emitter.registers(op.getC()));
    SmallVector<Coordinates> places;
    for (unsigned index = 0; index < sums.size(); ++index)
      places.push_back(registerCoordinates(emitter.layoutOf(result), index));
    auto round = std::max(tuned::fewestSteps, int32_t(llvm::bit_floor(tuned::mostMultiplyAdds / sums.size())));
    std::size_t part = sums.size() > 2 * tuned::mostSums ? tuned::mostSums : sums.size();
    if (part < sums.size()) // Only loops keep assemblers from working on all parts at once.
      round = std::min(round, std::max(depth / 2, 1));
    if (round < depth && left.isInBuffer() && right.isInBuffer()) {
      for (std::size_t first = 0; first < sums.size(); first += part)
        llvm::copy(multiplyInRounds(depth, round, llvm::ArrayRef(places).slice(first, part),
                                    llvm::ArrayRef(sums).slice(first, part)),
                   sums.begin() + std::ptrdiff_t(first));
    } else {
      multiplySteps(depth, places, sums);
    }
    if (isIncomplete)
      return op.emitError() << "operands of the layouts " << op.getA().getType() << " and " << op.getB().getType()
                            << " do not hold what " << result << " needs";
    emitter.define(op.getD(), std::move(sums));
    return success();
  }

private:
  /// The sums at `places` after all of K, of which each repetition of a loop adds `round` steps.
  Registers multiplyInRounds(int32_t depth, int32_t round, llvm::ArrayRef<Coordinates> places,
                             llvm::ArrayRef<Value> sums) {
    return emitter.emitFor(emitter.i32(0), depth, round, sums, [&](Value step, ValueRange carried) {
      left.startAt(step, round, unsigned(result.getRank()) - 1);
      right.startAt(step, round, unsigned(result.getRank()) - 2);
      Registers next(carried.begin(), carried.end());
      multiplySteps(round, places, next);
      return next;
    });
  }

  void multiplySteps(int32_t steps, llvm::ArrayRef<Coordinates> places, Registers &sums) {
    for (int32_t k = 0; k < steps && !isIncomplete; ++k)
      for (auto [sum, place] : llvm::zip_equal(sums, places)) {
        Value next = multiplyAdd(place, k, sum);
        isIncomplete |= !next;
        sum = next ? next : sum;
      }
  }

  /// Null when an operand is missing.
  Value multiplyAdd(const Coordinates &place, int32_t k, Value sum) {
    Coordinates leftPlace = place, rightPlace = place;
    leftPlace[place.size() - 1] = k;
    rightPlace[place.size() - 2] = k;
    Type type = sum.getType();
    Value a = left.get(leftPlace, type), b = right.get(rightPlace, type);
    if (!a || !b)
      return {};
    if (isa<FloatType>(type))
      return emitter.intrinsic("fma", type, {a, b, sum});
    return emitter.add(LLVM::MulOp::create(emitter.b, a, b), sum);
  }

  tt::DotOp op;
  Emitter &emitter;
  RankedTensorType result;
  OrdinaryOperand left, right;
  bool isIncomplete = false; ///< an operand is missing
};

} // namespace

static LogicalResult lowerDot(tt::DotOp op, Emitter &emitter) {
  if (isOnMatrixUnits(op))
    return emitter.target().lowerMatrixProduct(op, emitter);
  return OrdinaryDot(op, emitter).run();
}

std::array<Type, 2> factorTypes(tt::DotScaledOp op) {
  ProductTypes types = analysis::typesOfProduct(op);
  return {types.left, types.right};
}

static LogicalResult lowerScaledDot(tt::DotScaledOp op, Emitter &emitter) {
  return emitter.target().lowerScaledProduct(op, emitter);
}

/// Null, with an error, where warps do not multiply buffers together.
static const GroupProductEmitter *requireGroupProducts(Operation *op, Emitter &emitter) {
  const GroupProductEmitter *products = emitter.target().bufferProducts().ofGroups;
  if (!products)
    op->emitError()
        << base::unsupportedPrefix << emitter.machine().name
        << ": products of groups of warps, which compute capability 9.0 alone has; use `mma_v2`, or from 10.0 "
           "on `tcgen05_mma`";
  return products;
}

static LogicalResult lowerWarpGroupDot(ttg::WarpGroupDotOp op, Emitter &emitter) {
  const GroupProductEmitter *products = requireGroupProducts(op, emitter);
  return products ? products->lowerProduct(op, emitter) : failure();
}

static LogicalResult lowerWarpGroupDotWait(ttg::WarpGroupDotWaitOp op, Emitter &emitter) {
  const GroupProductEmitter *products = requireGroupProducts(op, emitter);
  if (!products)
    return failure();
  // One wait passes on all values of one type. Values of other types wait again, without effect.
  for (auto [input, output] : llvm::zip_equal(op.getInputs(), op.getOutputs()))
    emitter.define(output, isa<ttg::MemDescType>(input.getType())
                               ? Registers(emitter.registers(input))
                               : products->emitWait(emitter, emitter.registers(input), op.getPendings()));
  return success();
}

static LogicalResult lowerFenceAsyncShared(ttg::FenceAsyncSharedOp op, Emitter &emitter) {
  const BulkCopyEmitter *copies = emitter.target().bulkCopies();
  if (!copies)
    return op.emitError() << "not supported on " << emitter.machine().name
                          << ": a fence between threads and bulk copies";
  copies->emitProxyFence(emitter, op.getOfCluster() ? BulkCopyEmitter::Written::SharedOfCluster
                                                    : BulkCopyEmitter::Written::Shared);
  return success();
}

void addDotLowerings(LoweringTable &table) {
  table.add<tt::DotOp, lowerDot>();
  table.add<tt::DotScaledOp, lowerScaledDot>();
  table.add<ttg::WarpGroupDotOp, lowerWarpGroupDot>();
  table.add<ttg::WarpGroupDotWaitOp, lowerWarpGroupDotWait>();
  table.add<ttg::FenceAsyncSharedOp, lowerFenceAsyncShared>();
}

} // namespace triton::gpu
