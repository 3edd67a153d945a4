// Products by instructions whose vectors are blocks: two rows of A times two columns of B, with groups of K, are added
// to 2 x 2 elements of C.
#include "backends/cpu/emitters/DotEmitter.h"
#include "backends/cpu/emitters/DotLoops.h"

namespace triton::cpu {
namespace {

constexpr int64_t blockExtent = 2; ///< rows and columns

class BlockEmitter {
public:
  BlockEmitter(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, const PackedOperands &operands,
               DotMatrix accumulator)
      : plan(plan), operands(operands), accumulator(accumulator), loops(builder, loc),
        type(multiplicandType(plan, builder.getContext())), blockElements(blockExtent * groupSize(plan)),
        rowPairs(plan.tileRows / blockExtent), columnPairs(plan.tileVectors * plan.lanes / blockExtent) {}

  void emit() {
    loops.loop(plan.shape.n, plan.tileVectors * plan.lanes, [&](mlir::Value column) {
      loops.loop(plan.shape.m, plan.tileRows, [&](mlir::Value row) { emitTile(row, column); });
    });
  }

private:
  void emitTile(mlir::Value row, mlir::Value column) {
    mlir::Value c = loops.address(accumulator.base, plan.shape.accumulatorType,
                                  loops.add(loops.multiply(row, accumulator.rowStride), column));
    mlir::Value a = loops.address(operands.a.base, type, loops.multiply(row, operands.a.rowStride));
    mlir::Value b = loops.address(operands.b.base, type, loops.multiply(column, groupSize(plan)));
    llvm::SmallVector<mlir::Value> tile =
        loops.loop(plan.shape.k / groupSize(plan), 1, loadTile(c),
                   [&](mlir::Value k, mlir::ValueRange carried) { return emitStep(a, b, k, carried); });
    storeTile(tile, c);
  }

  llvm::SmallVector<mlir::Value> emitStep(mlir::Value a, mlir::Value b, mlir::Value k, mlir::ValueRange carried) {
    mlir::Type operand = loops.vectorOf(blockElements, type);
    mlir::Value aStep = loops.address(a, type, loops.multiply(k, blockElements));
    mlir::Value bStep = loops.address(b, type, loops.multiply(k, operands.b.rowStride));
    llvm::SmallVector<mlir::Value> columns, tile;
    for (int64_t j = 0; j < columnPairs; ++j)
      columns.push_back(loops.load(operand, loops.address(bStep, type, j * blockElements)));
    bool isFloat = llvm::isa<mlir::FloatType>(type);
    llvm::StringRef instruction = isFloat ? "llvm.aarch64.neon.bfmmla" : "llvm.aarch64.neon.smmla.v4i32.v16i8";
    for (int64_t i = 0; i < rowPairs; ++i) {
      mlir::Value rows = loops.load(operand, loops.address(aStep, type, i * blockExtent * operands.a.rowStride));
      for (int64_t j = 0; j < columnPairs; ++j)
        tile.push_back(
            loops.callIntrinsic(instruction, vectorType(), {carried[i * columnPairs + j], rows, columns[j]}));
    }
    return tile;
  }

  mlir::Type vectorType() { return loops.vectorOf(plan.lanes, plan.shape.accumulatorType); }
  mlir::Value tileAddress(mlir::Value c, int64_t row, int64_t vector) {
    return loops.address(c, plan.shape.accumulatorType, row * accumulator.rowStride + vector * plan.lanes);
  }
  mlir::Value shuffle(mlir::Value a, mlir::Value b, llvm::ArrayRef<int64_t> order) {
    return mlir::vector::ShuffleOp::create(loops.builder, loops.loc, a, b, order);
  }
  /// Two rows of four elements become two blocks, and two blocks become two rows: halves change places.
  std::pair<mlir::Value, mlir::Value> exchangeHalves(mlir::Value a, mlir::Value b) {
    return {shuffle(a, b, {0, 1, 4, 5}), shuffle(a, b, {2, 3, 6, 7})};
  }

  llvm::SmallVector<mlir::Value> loadTile(mlir::Value c) {
    llvm::SmallVector<mlir::Value> tile;
    for (int64_t i = 0; i < rowPairs; ++i)
      for (int64_t j = 0; j < plan.tileVectors; ++j) {
        mlir::Value upper = loops.load(vectorType(), tileAddress(c, 2 * i, j));
        mlir::Value lower = loops.load(vectorType(), tileAddress(c, 2 * i + 1, j));
        auto [left, right] = exchangeHalves(upper, lower);
        tile.append({left, right});
      }
    return tile;
  }

  void storeTile(llvm::ArrayRef<mlir::Value> tile, mlir::Value c) {
    for (int64_t i = 0; i < rowPairs; ++i)
      for (int64_t j = 0; j < plan.tileVectors; ++j) {
        int64_t left = i * columnPairs + 2 * j;
        auto [upper, lower] = exchangeHalves(tile[left], tile[left + 1]);
        loops.store(upper, tileAddress(c, 2 * i, j));
        loops.store(lower, tileAddress(c, 2 * i + 1, j));
      }
  }

  const DotPlan &plan;
  const PackedOperands &operands;
  DotMatrix accumulator;
  DotLoops loops;
  mlir::Type type;
  int64_t blockElements, rowPairs, columnPairs;
};

} // namespace

void emitBlockProducts(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan,
                       const PackedOperands &operands, DotMatrix accumulator) {
  BlockEmitter(builder, loc, plan, operands, accumulator).emit();
}

} // namespace triton::cpu
