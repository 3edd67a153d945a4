// Blocks of first operands that the next iteration of a loop will load. If their rows are short, no prefetcher of the
// processor recognizes them, and the copy of the block waits for memory. A product whose first operand is such a block
// therefore prefetches the next one.
//
// Where it lies is a guess: as far behind this block as this one lies behind the one before. In the first iteration,
// the distance is that of the program before. A wrong guess costs time, but does no harm, because prefetches do not
// fault.
#include "backends/cpu/codegen/Lowering.h"

using namespace mlir;

namespace triton::cpu {

/// Longer rows are recognized: of 512 bytes and more, prefetches gained nothing on a Xeon (Sapphire Rapids) and Zen 4.
static constexpr int64_t longestRowBytes = 256;

namespace {
/// The words of a block's state in the scratch area.
enum StateWord : int64_t {
  addressWord,  ///< of the block before; 0 in the first iteration
  distanceWord, ///< between blocks, in bytes
  stateWords,
};
} // namespace

/// The address of the first element of a row of A in this iteration, as an i64.
static Value addressOfRow(Lowering &lowering, tt::DotOp op, int64_t row) {
  OpBuilder &b = lowering.b;
  TileIndex index;
  index.at.resize(2);
  index.at[0].offset = row;
  Value pointer = evaluate(lowering, op.getA().getDefiningOp<tt::LoadOp>().getPtr(), index).value;
  return LLVM::PtrToIntOp::create(b, op.getLoc(), b.getI64Type(), pointer);
}

namespace {
/// A product in a loop whose first operand is a block that it loads.
struct Ahead {
  scf::ForOp loop;
  int64_t stateAt; ///< in the scratch area
};

class BlocksAhead final : public OperandSupply {
public:
  explicit BlocksAhead(Lowering &lowering) {
    lowering.kernel.walk([&](tt::DotOp op) {
      auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
      auto load = op.getA().getDefiningOp<tt::LoadOp>();
      auto type = cast<RankedTensorType>(op.getA().getType());
      if (!loop || !load || load->getBlock() != op->getBlock() || type.getRank() != 2 ||
          lowering.analysis.readsMemory(load.getPtr()))
        return;
      LaneForm form = lowering.analysis.laneForm(load.getPtr(), 1);
      bool hasShortRows = form.kind == LaneForm::Kind::Affine && form.step == 1 && type.getDimSize(0) > 1 &&
                          type.getDimSize(1) * memoryBytes(type.getElementType()) <= longestRowBytes;
      if (hasShortRows)
        products[op] = {loop, allocateWords(lowering, stateWords)};
    });
  }

  /// No distance is known.
  void emitEntry(Lowering &lowering, Location loc) const override {
    for (auto &[op, ahead] : products)
      writeWord(lowering, loc, ahead.stateAt, distanceWord, lowering.lanes.constantI64(loc, 0));
  }

  void emitLoopStart(Lowering &lowering, scf::ForOp loop) const override {
    Location loc = loop.getLoc();
    for (auto &[op, ahead] : products)
      if (ahead.loop == loop)
        writeWord(lowering, loc, ahead.stateAt, addressWord, lowering.lanes.constantI64(loc, 0));
  }

  void emitBeforeProduct(Lowering &lowering, tt::DotOp op, ProductOperands &) const override {
    if (products.contains(op))
      prepareClosure(lowering, Root::copyOf(op.getA().getDefiningOp<tt::LoadOp>().getPtr()));
  }

  /// Where the next block is. In the last iteration it is this one.
  void emitInProduct(Lowering &lowering, tt::DotOp op, ProductOperands &operands) const override {
    OpBuilder &b = lowering.b;
    const auto *found = products.find(op);
    if (found == products.end())
      return;
    Ahead ahead = found->second;
    Location loc = op.getLoc();
    Value here = addressOfRow(lowering, op, 0),
          rowBytes = arith::SubIOp::create(b, loc, addressOfRow(lowering, op, 1), here);
    Value before = readWord(lowering, loc, ahead.stateAt, addressWord), zero = lowering.lanes.constantI64(loc, 0);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, zero);
    Value known = readWord(lowering, loc, ahead.stateAt, distanceWord);
    Value measured = arith::SubIOp::create(b, loc, here, before);
    Value distance = arith::SelectOp::create(b, loc, isFirst, known, measured);
    writeWord(lowering, loc, ahead.stateAt, addressWord, here);
    writeWord(lowering, loc, ahead.stateAt, distanceWord, distance);
    Value last = scalar(lowering, ahead.loop.getUpperBound()), step = scalar(lowering, ahead.loop.getStep());
    Value left = arith::SubIOp::create(b, loc, last, scalar(lowering, ahead.loop.getInductionVar()));
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, left, step);
    Value offset = arith::SelectOp::create(b, loc, isLast, zero, distance);
    Value address = arith::AddIOp::create(b, loc, here, offset);
    operands.ahead = {LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address), rowBytes};
  }

private:
  llvm::MapVector<Operation *, Ahead> products;
};
} // namespace

std::unique_ptr<OperandSupply> findBlocksAhead(Lowering &lowering) { return std::make_unique<BlocksAhead>(lowering); }

} // namespace triton::cpu
