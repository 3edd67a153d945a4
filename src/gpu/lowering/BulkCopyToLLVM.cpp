// Warps that move data: barriers in shared memory, and copies of blocks through tensor maps.
#include "base/UserErrors.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/TargetEmitter.h"
#include "ir/DescriptorReduction.h"
#include "passes/llvm/AtomicOperations.h"

using namespace mlir;

namespace triton::gpu {

/// Lowers an operation by a function that needs bulk copies.
template <typename Op, void (*lower)(Op, const BulkCopyEmitter &, Emitter &)>
static LogicalResult lowerByBulkCopies(Op op, Emitter &emitter) {
  const BulkCopyEmitter *copies = emitter.target().bulkCopies();
  if constexpr (std::is_same_v<Op, ttg::AsyncMappedLoadOp> || std::is_same_v<Op, ttg::AsyncMappedStoreOp>)
    if (op.getRows() && !emitter.target().bufferProducts().inTensorMemory)
      return op->emitError() << base::unsupportedPrefix << emitter.machine().name
                             << ": bulk copies of rows at given numbers, which compute capabilities 10.0 to 11.0 have";
  if (!copies)
    return op->emitError() << "not supported on " << emitter.machine().name
                           << ": bulk copies and the barriers at which they end";
  lower(op, *copies, emitter);
  return success();
}

/// The same by a function that needs barriers in shared memory alone.
template <typename Op, void (*lower)(Op, const SharedBarrierEmitter &, Emitter &)>
static LogicalResult lowerByBarriers(Op op, Emitter &emitter) {
  const SharedBarrierEmitter *barriers = sharedBarriers(emitter.target());
  if (!barriers)
    return op->emitError() << "not supported on " << emitter.machine().name << ": barriers in shared memory";
  lower(op, *barriers, emitter);
  return success();
}

static LogicalResult lowerIsMover(ttg::IsMoverOp op, Emitter &emitter) {
  Value result = op.getAnyThread() ? LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::uge, emitter.uniformWarp(),
                                                          emitter.i32(emitter.warpSet().count))
                                   : emitter.equal(emitter.threadId(), emitter.i32(emitter.threadCount()));
  emitter.define(op.getResult(), {result});
  return success();
}

static LogicalResult lowerInWarps(ttg::InWarpsOp op, Emitter &emitter) {
  Value number = LLVM::SubOp::create(emitter.b, emitter.uniformWarp(), emitter.i32(op.getFirst()));
  emitter.define(op.getResult(),
                 {LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ult, number, emitter.i32(op.getCount()))});
  return success();
}

static void lowerSetRegisters(ttg::SetRegistersOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  copies.emitSetRegisters(emitter, op.getCount(), op.getRaises());
}

constexpr unsigned warpBitsOfGroup = 2; ///< groups of four warps take turns

static void lowerWaitTurn(ttg::WaitTurnOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  Value after;
  if (op.getAfter())
    for (Value element : emitter.registers(op.getAfter())) {
      Value word = LLVM::BitcastOp::create(emitter.b, emitter.b.getI32Type(), element);
      after = after ? LLVM::OrOp::create(emitter.b, after, word).getResult() : word;
    }
  copies.emitWaitTurn(emitter, emitter.shiftRight(emitter.uniformWarp(), warpBitsOfGroup), after);
}

static void lowerPassTurn(ttg::PassTurnOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  Value group = emitter.shiftRight(emitter.uniformWarp(), warpBitsOfGroup);
  Value isLast = emitter.equal(group, emitter.i32((emitter.warpSet().count >> warpBitsOfGroup) - 1));
  if (op.getBegins())
    emitter.emitIf(isLast, [&] { copies.emitPassTurn(emitter, emitter.i32(0)); });
  else
    copies.emitPassTurn(emitter, emitter.select(isLast, emitter.i32(0), emitter.add(group, emitter.i32(1))));
}

static void emitInFirstThread(Emitter &emitter, llvm::function_ref<void()> body) {
  emitter.emitIf(emitter.equal(emitter.threadId(), emitter.i32(0)), body);
}

/// What one thread does: the only one that comes here, or the first of all.
static void emitInOneThread(Emitter &emitter, bool allCome, llvm::function_ref<void()> body) {
  if (allCome)
    emitInFirstThread(emitter, body);
  else
    body();
}

/// Calls `body` with the address of each barrier of a buffer.
static void forEachBarrier(Emitter &emitter, TypedValue<ttg::MemDescType> barriers,
                           llvm::function_ref<void(Value)> body) {
  int64_t slots = barriers.getType().getShape().front();
  auto bytes = int64_t(analysis::getBufferBytes(barriers.getType())) / slots;
  for (int64_t slot = 0; slot < slots; ++slot)
    body(emitter.offsetPointer(emitter.scalar(barriers), slot * bytes));
}

static void lowerInitBarrier(ttg::InitBarrierOp op, const SharedBarrierEmitter &target, Emitter &emitter) {
  emitInFirstThread(emitter, [&] {
    forEachBarrier(emitter, op.getBarriers(),
                   [&](Value barrier) { target.emitInitBarrier(emitter, barrier, op.getCount()); });
    target.emitInitBarrierFence(emitter);
  });
}

static void lowerInvalidateBarrier(ttg::InvalidateBarrierOp op, const SharedBarrierEmitter &target, Emitter &emitter) {
  emitInFirstThread(emitter, [&] {
    forEachBarrier(emitter, op.getBarriers(), [&](Value barrier) { target.emitInvalidateBarrier(emitter, barrier); });
  });
}

/// All numbers whose bits are among those of `mask`.
static SmallVector<unsigned> subsetsOf(unsigned mask) {
  SmallVector<unsigned> subsets;
  for (unsigned subset = 0; subset <= mask; ++subset)
    if ((subset & ~mask) == 0)
      subsets.push_back(subset);
  return subsets;
}

/// Calls `body` in one thread with the numbers of the blocks at whose barriers this one arrives, as the attributes
/// `fromBlocks` and `atLeader` say.
template <typename Op>
static void forEachReceiver(Op op, Emitter &emitter, Value condition, llvm::function_ref<void(Value)> body) {
  Value rank = emitter.blockRank();
  unsigned others = (emitter.blockCount() - 1) & ~op.getFromBlocks().value_or(~0u);
  if (others != 0)
    condition = LLVM::AndOp::create(emitter.b, condition, emitter.equal(emitter.bitAnd(rank, others), emitter.i32(0)));
  emitter.emitIf(condition, [&] {
    Value first = op.getAtLeader() ? emitter.bitAnd(rank, ~1) : rank;
    for (unsigned subset : subsetsOf(others))
      body(emitter.add(first, emitter.i32(subset)));
  });
}

template <typename Op> static bool isOfOtherBlocks(Op op) { return op.getFromBlocks() || op.getAtLeader(); }

/// The first thread of the program arrives for all, if the condition holds.
static Value emitIsArriving(ttg::ArriveBarrierOp op, Emitter &emitter) {
  Value isFirst = emitter.equal(emitter.threadId(), emitter.i32(0));
  return op.getCondition() ? LLVM::AndOp::create(emitter.b, isFirst, emitter.scalar(op.getCondition())) : isFirst;
}

static void lowerCountedArrival(ttg::ArriveBarrierOp op, const SharedBarrierEmitter &target, Emitter &emitter) {
  target.emitArrive(emitter, emitter.scalar(op.getBarrier()), *op.getCount(), emitIsArriving(op, emitter));
}

static void lowerArrivalAtBlocks(ttg::ArriveBarrierOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  forEachReceiver(op, emitter, emitIsArriving(op, emitter), [&](Value rank) {
    copies.emitRemoteRelease(emitter, emitter.scalar(op.getBarrier()), rank, *op.getCount(), /*bytes=*/{});
  });
}

/// One lane of each warp arrives.
static void lowerArrivalOfWarps(ttg::ArriveBarrierOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  // One lane arrives at each barrier.
  unsigned barriers = op.getAllBlocks() ? emitter.blockCount() : 1;
  Value arrives = barriers == 1
                      ? emitter.equal(emitter.lane(), emitter.i32(0))
                      : LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ult, emitter.lane(), emitter.i32(barriers))
                            .getResult();
  if (op.getCondition())
    arrives = LLVM::AndOp::create(emitter.b, arrives, emitter.scalar(op.getCondition()));
  Value barrier = emitter.scalar(op.getBarrier());
  if (barriers == 1)
    copies.emitArrive(emitter, barrier, /*count=*/1, arrives);
  else
    copies.emitRemoteArrive(emitter, barrier, emitter.bitAnd(emitter.lane(), barriers - 1), arrives);
}

static LogicalResult lowerArriveBarrier(ttg::ArriveBarrierOp op, Emitter &emitter) {
  if (!op.getCount())
    return lowerByBulkCopies<ttg::ArriveBarrierOp, lowerArrivalOfWarps>(op, emitter);
  return isOfOtherBlocks(op) ? lowerByBulkCopies<ttg::ArriveBarrierOp, lowerArrivalAtBlocks>(op, emitter)
                             : lowerByBarriers<ttg::ArriveBarrierOp, lowerCountedArrival>(op, emitter);
}

static LogicalResult lowerEachArrival(ttg::amdg::ArriveBarrierOp op, Emitter &emitter) {
  const SharedBarrierEmitter *target = sharedBarriers(emitter.target());
  Value parity = target ? target->emitEachArrive(emitter, emitter.scalar(op.getBarrier()), op.getCount()) : Value();
  if (!parity)
    return op->emitError() << "not supported on " << emitter.machine().name
                           << ": arrivals that say which phase it was; only gfx1250 has them";
  emitter.define(op.getPhase(), {parity});
  return success();
}

static void lowerArriveAfterCopies(ttg::ArriveAfterCopiesOp op, const SharedBarrierEmitter &target, Emitter &emitter) {
  target.emitCopyArrival(emitter, emitter.scalar(op.getBarrier()), op.getIsCounted());
}

static void lowerExpectBytes(ttg::ExpectBytesOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  if (isOfOtherBlocks(op)) {
    Value isFirst = op.getByFirst() ? emitter.equal(emitter.threadId(), emitter.i32(0)) : emitter.i1(true);
    return forEachReceiver(op, emitter, isFirst, [&](Value rank) {
      copies.emitRemoteRelease(emitter, emitter.scalar(op.getBarrier()), rank, /*count=*/1, op.getBytes());
    });
  }
  emitInOneThread(emitter, op.getByFirst(),
                  [&] { copies.emitExpectBytes(emitter, emitter.scalar(op.getBarrier()), op.getBytes()); });
}

static void lowerWaitBarrier(ttg::WaitBarrierOp op, const SharedBarrierEmitter &target, Emitter &emitter) {
  Value barrier = emitter.scalar(op.getBarrier()), parity = emitter.scalar(op.getParity());
  emitter.emitUntil([&] { return target.emitTryWait(emitter, barrier, parity, op.getOfCluster()); });
}

/// Calls `copy` with the coordinates, the fastest dimension first, and the place in `buffer` of each box: for each
/// piece of the encoding those of all rows. `blocks` of a cluster take turns in the rows of a matrix.
static void forEachBox(Emitter &emitter, TypedValue<tt::TensorDescType> map, ValueRange indices,
                       TypedValue<ttg::MemDescType> buffer, unsigned blocks,
                       llvm::function_ref<void(ValueRange, Value)> copy) {
  llvm::ArrayRef<int64_t> box = map.getType().getBlockType().getShape();
  std::size_t rank = box.size();
  SmallVector<int64_t> shape(rank - buffer.getType().getShape().size(), 1), parts;
  llvm::append_range(shape, buffer.getType().getShape());
  for (auto [extent, own] : llvm::zip_equal(shape, box))
    parts.push_back(extent / own);
  int64_t boxBytes = ttg::addPaddings(ShapedType::getNumElements(box), ttg::getPaddings(buffer.getType())) *
                     int64_t(analysis::sharedElementBytes(buffer.getType().getElementType()));
  Value shared = emitter.scalar(buffer), ownRow;
  if (blocks > 1) {
    Value number = emitter.blockRank();
    ownRow = LLVM::MulOp::create(emitter.b, number, emitter.i32(box[rank - 2]));
    shared = emitter.offsetPointer(shared, LLVM::MulOp::create(emitter.b, number, emitter.i32(boxBytes)));
  }
  int64_t offset = 0, rows = ShapedType::getNumElements(llvm::ArrayRef(parts).drop_back());
  for (int64_t piece = 0; piece < parts.back(); ++piece)
    for (int64_t row = 0; row < rows; row += blocks, offset += boxBytes * blocks) {
      Registers coordinates;
      for (Value index : llvm::reverse(indices))
        coordinates.push_back(emitter.scalar(index));
      if (ownRow)
        coordinates[1] = emitter.add(coordinates[1], ownRow);
      coordinates[0] = emitter.add(coordinates[0], emitter.i32(piece * box.back()));
      if (cast<ttg::NvmmaSharedEncodingAttr>(buffer.getType().getEncoding()).getFp4Padded())
        coordinates[0] = emitter.shiftLeft(coordinates[0], 1); // Maps count floats of 4 bits.
      int64_t rest = row;
      for (std::size_t dimension = rank - 1; dimension-- > 0; rest /= parts[dimension]) {
        Value &coordinate = coordinates[rank - 1 - dimension];
        coordinate = emitter.add(coordinate, emitter.i32(rest % parts[dimension] * box[dimension]));
      }
      copy(coordinates, emitter.offsetPointer(shared, offset));
    }
}

/// Calls `copy` in one thread of each warp that has numbers of rows for no other warp, with the column and the numbers
/// of four rows, and their place in `buffer`: in each piece of the encoding.
static void forEachFourRows(Emitter &emitter, Value column, TypedValue<RankedTensorType> rows,
                            TypedValue<ttg::MemDescType> buffer, llvm::function_ref<void(ValueRange, Value)> copy) {
  constexpr unsigned rowsOfCopy = 4;
  ttg::MemDescType type = buffer.getType();
  int64_t piece = cast<ttg::NvmmaSharedEncodingAttr>(type.getEncoding()).getPieceElements();
  int64_t rowBytes = piece * int64_t(analysis::sharedElementBytes(type.getElementType()));
  LinearLayout layout = emitter.layoutOf(rows.getType());
  llvm::ArrayRef<Value> numbers = emitter.registers(rows);
  Registers places = emitCoordinates(emitter, layout, 0);
  SmallVector<unsigned> first = representativeRegisters(layout);
  Value start = emitter.scalar(column), shared = emitter.scalar(buffer);
  emitter.emitIf(emitIsRepresentative(emitter, layout), [&] {
    for (int64_t part = 0; part < type.getDimSize(1) / piece; ++part)
      for (unsigned index = 0; index < numbers.size(); index += rowsOfCopy) {
        if (first[index] != index)
          continue;
        Registers coordinates{emitter.add(start, emitter.i32(part * piece))};
        coordinates.append(numbers.begin() + index, numbers.begin() + index + rowsOfCopy);
        Value bytes = LLVM::MulOp::create(emitter.b, places[index], emitter.i32(rowBytes));
        Value place = emitter.offsetPointer(shared, part * type.getDimSize(0) * rowBytes);
        copy(coordinates, emitter.offsetPointer(place, bytes));
      }
  });
}

/// The blocks to which a copy goes, as a mask; null where it is this one.
static Value receiversOf(ttg::AsyncMappedLoadOp op, Emitter &emitter) {
  Type mask = emitter.b.getI16Type();
  if (op.getAllBlocks())
    return emitter.blockCount() > 1 ? emitter.integer(mask, (1 << emitter.blockCount()) - 1) : Value();
  if (!op.getMulticast())
    return {};
  unsigned others = 0;
  for (unsigned subset : subsetsOf(*op.getMulticast()))
    others |= 1u << subset;
  Value shifted = LLVM::ShlOp::create(emitter.b, emitter.i32(others), emitter.blockRank());
  return LLVM::TruncOp::create(emitter.b, mask, shifted);
}

static void lowerAsyncMappedLoad(ttg::AsyncMappedLoadOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  Value map = emitter.scalar(op.getMap()), barrier = emitter.scalar(op.getBarrier());
  if (op.getRows())
    return forEachFourRows(emitter, op.getIndices().front(), op.getRows(), op.getDst(),
                           [&](ValueRange coordinates, Value shared) {
                             copies.emitLoad(emitter, {map, coordinates, shared, barrier, {}, /*fourRows=*/true});
                           });
  unsigned blocks = op.getAllBlocks() ? emitter.blockCount() : 1;
  emitInOneThread(emitter, op.getByFirst(), [&] {
    Value receivers = receiversOf(op, emitter);
    forEachBox(emitter, op.getMap(), op.getIndices(), op.getDst(), blocks, [&](ValueRange coordinates, Value shared) {
      copies.emitLoad(emitter, {map, coordinates, shared, barrier, receivers, /*fourRows=*/false, op.getAtLeader()});
    });
  });
}

/// Elements of a block's part go to the buffers of the blocks that have them, in words of 32 bits.
class RemoteStore {
public:
  RemoteStore(ttg::AsyncRemoteStoreOp op, Emitter &emitter)
      : op(op), emitter(emitter), whole(cast<RankedTensorType>(op.getWholeValueAttr().getValue())),
        buffer(cast<ttg::MemDescType>(op.getWholeBufferAttr().getValue())),
        places(emitter.layoutOf(whole).compose(*ttg::toLinearLayout(buffer).pseudoInverse())) {}

  LogicalResult run(const BulkCopyEmitter &copies) {
    unsigned bits = whole.getElementTypeBitWidth(), run = 1;
    while (isContiguous(run))
      run *= 2;
    run = std::min(run, 128 / bits);
    if (run * bits < 32)
      return op.emitError() << base::unsupportedPrefix << emitter.machine().name << ": `async_store` of " << whole
                            << " to " << buffer << ", of which a thread has no 32 bits side by side; let " << 32 / bits
                            << " neighbours in the buffer be neighbours in a thread";
    SmallVector<unsigned> first = representativeRegisters(emitter.layoutOf(whole));
    Value isSender = emitIsRepresentative(emitter, emitter.layoutOf(whole));
    auto body = [&] {
      for (unsigned index = 0; index < first.size(); index += run)
        if (first[index] == index)
          store(copies, index, run);
    };
    isSender ? emitter.emitIf(isSender, body) : body();
    return success();
  }

private:
  /// Whether twice as many registers as `run` follow one another in the buffer of one block.
  bool isContiguous(unsigned run) const {
    unsigned bit = llvm::Log2_32(run);
    const layout::Input &registers = *places.findInput("register");
    bool isNext = bit < registers.bits() && registers.bases[bit] == layout::Basis{int32_t(run), 0};
    // No other bit of a number moves an element within the run.
    for (const layout::Input &input : places.inputs())
      for (unsigned other = 0; isNext && other < input.bits(); ++other)
        isNext = (&input == &registers && other <= bit) || (input.bases[other][0] & int32_t(2 * run - 1)) == 0;
    return isNext;
  }

  Value placeOf(unsigned index, unsigned output) {
    IndexMap map(places, output);
    SmallVector<int32_t> ofBlocks;
    for (const layout::Basis &basis : places.findInput("block")->bases)
      ofBlocks.push_back(basis[output]);
    Value sum = emitLinear(emitter, emitter.blockRank(), ofBlocks, map.emitThreadPart(emitter));
    return emitter.bitXor(sum, emitter.i32(map.ofRegister(index)));
  }

  void store(const BulkCopyEmitter &copies, unsigned index, unsigned run) {
    auto &b = emitter.b;
    unsigned bits = whole.getElementTypeBitWidth(), perWord = std::max(1u, 32 / bits);
    Registers elements(emitter.registers(op.getSrc()).slice(index, run)), words;
    for (unsigned at = 0; at < run; at += perWord)
      words.push_back(
          LLVM::BitcastOp::create(b, b.getI32Type(), emitter.packVector(ValueRange(elements).slice(at, perWord))));
    Value offset = emitPaddings(emitter, placeOf(index, 0), ttg::getPaddings(buffer));
    Value place =
        emitter.offsetPointer(emitter.scalar(op.getDst()), LLVM::MulOp::create(b, offset, emitter.i32(bits / 8)));
    Value rank = placeOf(index, 1);
    for (unsigned copy : subsetsOf(copiesOf()))
      copies.emitRemoteStore(emitter, place, emitter.scalar(op.getBarrier()), emitter.add(rank, emitter.i32(copy)),
                             words);
  }

  /// The bits of a block's number under which blocks have the same part of the buffer.
  unsigned copiesOf() const {
    unsigned mask = 0;
    LinearLayout layout = ttg::toLinearLayout(buffer);
    for (auto [bit, basis] : llvm::enumerate(layout.findInput("block")->bases))
      if (llvm::all_of(basis, [](int32_t component) { return component == 0; }))
        mask |= 1u << bit;
    return mask;
  }

  ttg::AsyncRemoteStoreOp op;
  Emitter &emitter;
  RankedTensorType whole;
  ttg::MemDescType buffer;
  LinearLayout places; ///< (register, lane, warp, block) -> (offset, block that has it)
};

static LogicalResult lowerAsyncRemoteStore(ttg::AsyncRemoteStoreOp op, Emitter &emitter) {
  const BulkCopyEmitter *copies = emitter.target().bulkCopies();
  if (!copies || !op.getWholeValue())
    return op->emitError() << base::unsupportedPrefix << emitter.machine().name
                           << ": `async_store`, which needs a cluster of blocks, `num_ctas` above 1, on compute "
                              "capability 9.0 or later";
  return RemoteStore(op, emitter).run(*copies);
}

static void lowerClusterBarrier(ttg::ClusterBarrierOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  copies.emitClusterBarrier(emitter, op.getRelaxed());
}

static Value emitAny(Emitter &emitter, LLVM::ICmpPredicate predicate, ValueRange left, ValueRange right) {
  Value any;
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    Value holds = LLVM::ICmpOp::create(emitter.b, predicate, a, b);
    any = any ? LLVM::OrOp::create(emitter.b, any, holds).getResult() : holds;
  }
  return any;
}

/// All threads store the elements that lie in the array, or combine them, a few each.
static void storeElements(ttg::AsyncMappedStoreOp op, Emitter &emitter) {
  auto &b = emitter.b;
  ttg::MemDescType buffer = op.getSrc().getType();
  Type element = emitter.convertElement(buffer.getElementType());
  int64_t elementBytes = memoryBytes(element);
  LinearLayout memory = *ttg::toLinearLayout(buffer).inverse();
  SmallVector<int32_t> places; // of the bits of a number in the block, row by row
  for (unsigned dimension = unsigned(buffer.getShape().size()); dimension-- > 0;)
    for (const layout::Basis &basis : memory.findInput(("dim" + llvm::Twine(dimension)).str())->bases)
      places.push_back(basis.front() * int32_t(elementBytes));
  emitter.emitFor(
      emitter.threadId(), ShapedType::getNumElements(buffer.getShape()), emitter.threadCount(), [&](Value number) {
        Registers inBlock;
        auto bits = unsigned(places.size());
        for (int64_t extent : buffer.getShape()) {
          bits -= llvm::Log2_64(uint64_t(extent));
          Value coordinate = emitter.shiftRight(number, bits);
          inBlock.push_back(inBlock.empty() ? coordinate : emitter.bitAnd(coordinate, extent - 1));
        }
        Value isInside, offset;
        std::size_t rank = op.getIndices().size();
        for (auto [dimension, index] : llvm::enumerate(op.getIndices())) {
          Value coordinate = LLVM::SExtOp::create(b, b.getI64Type(), emitter.scalar(index));
          if (std::size_t outer = rank - inBlock.size(); dimension >= outer)
            coordinate =
                LLVM::AddOp::create(b, coordinate, LLVM::ZExtOp::create(b, b.getI64Type(), inBlock[dimension - outer]));
          Value extent = LLVM::SExtOp::create(b, b.getI64Type(), emitter.scalar(op.getShape()[dimension]));
          Value isBelow = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, coordinate, extent),
                isAbove = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sge, coordinate, emitter.i64(0));
          Value inDimension = LLVM::AndOp::create(b, isBelow, isAbove);
          Value step = LLVM::MulOp::create(b, coordinate, emitter.scalar(op.getStrides()[dimension]));
          isInside = isInside ? LLVM::AndOp::create(b, isInside, inDimension).getResult() : inDimension;
          offset = offset ? LLVM::AddOp::create(b, offset, step).getResult() : step;
        }
        emitter.emitIf(isInside, [&] {
          Value place =
              emitter.offsetPointer(emitter.scalar(op.getSrc()), emitLinear(emitter, number, places, emitter.i32(0)));
          Registers value = emitLoad(emitter, place, element, 1, {}, {});
          Value bytes = LLVM::MulOp::create(b, offset, emitter.i64(elementBytes));
          Value stored = emitter.offsetPointer(emitter.scalar(op.getBase()), bytes);
          if (std::optional<tt::DescriptorReduceKind> kind = op.getKind())
            LLVM::AtomicRMWOp::create(b, findAtomicOperation(*tt::findAtomicOperation(*kind, element), element), stored,
                                      value.front(), LLVM::AtomicOrdering::monotonic,
                                      emitter.target().scopeName(tt::MemSyncScope::GPU));
          else
            emitStore(emitter, stored, value, {});
        });
      });
}

/// Whether a thread of each warp starts copies out of buffers in the function of `op`, not only the first of all.
static bool storesInAllWarps(Operation *op) {
  WalkResult walk = op->getParentOfType<FunctionOpInterface>()->walk(
      [](ttg::AsyncMappedStoreOp store) { return store.getRows() ? WalkResult::interrupt() : WalkResult::advance(); });
  return walk.wasInterrupted();
}

/// Blocks that begin behind the array, as all of one without elements, have nothing to store. The map of such an array
/// is of other memory.
static void lowerAsyncMappedStore(ttg::AsyncMappedStoreOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  Value map = emitter.scalar(op.getMap());
  if (op.getRows()) {
    forEachFourRows(emitter, op.getIndices().front(), op.getRows(), op.getSrc(),
                    [&](ValueRange coordinates, Value shared) {
                      copies.emitStore(emitter, {map, coordinates, shared, {}, /*fourRows=*/true});
                    });
    return copies.emitCommit(emitter);
  }
  bool allCommit = storesInAllWarps(op); // so that their groups have equal numbers
  Registers indices, extents;
  for (auto [index, extent] : llvm::zip_equal(op.getIndices(), op.getShape())) {
    indices.push_back(emitter.scalar(index));
    extents.push_back(emitter.scalar(extent));
  }
  Value isBefore = emitAny(emitter, LLVM::ICmpPredicate::slt, indices, Registers(indices.size(), emitter.i32(0)));
  Value isBehind = emitAny(emitter, LLVM::ICmpPredicate::sge, indices, extents);
  Value isOutside = LLVM::OrOp::create(emitter.b, isBefore, isBehind);
  emitInFirstThread(emitter, [&] {
    emitter.emitIf(emitter.equal(isOutside, emitter.i1(false)), [&] {
      forEachBox(emitter, op.getMap(), op.getIndices(), op.getSrc(), /*blocks=*/1,
                 [&](ValueRange coordinates, Value shared) {
                   copies.emitStore(emitter, {map, coordinates, shared, op.getKind()});
                 });
    });
    if (!allCommit)
      copies.emitCommit(emitter);
  });
  if (allCommit)
    copies.emitCommit(emitter);
  emitter.emitIf(isBefore, [&] {
    storeElements(op, emitter);
    copies.emitProxyFence(emitter, BulkCopyEmitter::Written::All); // Copies that follow may store the same elements.
  });
}

/// Threads that start no copies have nothing to wait for.
static void lowerAsyncStoreWait(ttg::AsyncStoreWaitOp op, const BulkCopyEmitter &copies, Emitter &emitter) {
  copies.emitWait(emitter, op.getPendings(), op.getOnlyReads());
}

void addBulkCopyLowerings(LoweringTable &table) {
  table.add<ttg::IsMoverOp, lowerIsMover>();
  table.add<ttg::InWarpsOp, lowerInWarps>();
  table.add<ttg::SetRegistersOp, lowerByBulkCopies<ttg::SetRegistersOp, lowerSetRegisters>>();
  table.add<ttg::WaitTurnOp, lowerByBulkCopies<ttg::WaitTurnOp, lowerWaitTurn>>();
  table.add<ttg::PassTurnOp, lowerByBulkCopies<ttg::PassTurnOp, lowerPassTurn>>();
  table.add<ttg::InitBarrierOp, lowerByBarriers<ttg::InitBarrierOp, lowerInitBarrier>>();
  table.add<ttg::InvalidateBarrierOp, lowerByBarriers<ttg::InvalidateBarrierOp, lowerInvalidateBarrier>>();
  table.add<ttg::ArriveAfterCopiesOp, lowerByBarriers<ttg::ArriveAfterCopiesOp, lowerArriveAfterCopies>>();
  table.add<ttg::ArriveBarrierOp, lowerArriveBarrier>();
  table.add<ttg::amdg::ArriveBarrierOp, lowerEachArrival>();
  table.add<ttg::ExpectBytesOp, lowerByBulkCopies<ttg::ExpectBytesOp, lowerExpectBytes>>();
  table.add<ttg::WaitBarrierOp, lowerByBarriers<ttg::WaitBarrierOp, lowerWaitBarrier>>();
  table.add<ttg::AsyncMappedLoadOp, lowerByBulkCopies<ttg::AsyncMappedLoadOp, lowerAsyncMappedLoad>>();
  table.add<ttg::ClusterBarrierOp, lowerByBulkCopies<ttg::ClusterBarrierOp, lowerClusterBarrier>>();
  table.add<ttg::AsyncMappedStoreOp, lowerByBulkCopies<ttg::AsyncMappedStoreOp, lowerAsyncMappedStore>>();
  table.add<ttg::AsyncRemoteStoreOp, lowerAsyncRemoteStore>();
  table.add<ttg::AsyncStoreWaitOp, lowerByBulkCopies<ttg::AsyncStoreWaitOp, lowerAsyncStoreWait>>();
}

} // namespace triton::gpu
