#include "backends/cpu/emitters/DotEmitter.h"
#include "backends/cpu/emitters/DotLoops.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;

class DotKernelEmitter {
public:
  DotKernelEmitter(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, const PackedOperands &operands,
                   DotMatrix accumulator, const BlockAhead &ahead, bool fuse)
      : plan(plan), operands(operands), accumulator(accumulator), ahead(ahead), fuse(fuse), loops(builder, loc),
        group(groupSize(plan)), type(multiplicandType(plan, builder.getContext())),
        vectorType(loops.vectorOf(plan.lanes, plan.shape.accumulatorType)),
        packedType(loops.vectorOf(plan.lanes * group, type)) {}

  /// Rows of A are the innermost loop, so that what they read of B stays in the first cache for all of them.
  void emit() {
    int64_t tileColumns = plan.tileVectors * plan.lanes;
    loops.loop(plan.shape.k / group, plan.panelRows / group, [&](mlir::Value k) {
      loops.loop(plan.shape.n, tileColumns, [&](mlir::Value column) {
        loops.loop(plan.shape.m, plan.tileRows, [&](mlir::Value row) { emitTile(row, column, k); });
      });
    });
  }

private:
  /// One register tile: rows x tileVectors accumulators over a part of K, from the group `firstGroup` on.
  void emitTile(mlir::Value row, mlir::Value column, mlir::Value firstGroup) {
    mlir::Type element = plan.shape.accumulatorType;
    mlir::Value c =
        loops.address(accumulator.base, element, loops.add(loops.multiply(row, accumulator.rowStride), column));
    llvm::SmallVector<mlir::Value> tile;
    for (int64_t i = 0; i < plan.tileRows; ++i)
      for (int64_t j = 0; j < plan.tileVectors; ++j)
        tile.push_back(loops.load(vectorType, tileAddress(c, i, j)));
    prefetchAhead(loops, plan, ahead, row, column, plan.tileRows, plan.tileVectors * plan.lanes);
    if (operands.columnSums)
      subtractColumnSums(tile, column, firstGroup);
    mlir::Value a = loops.address(operands.a.base, type,
                                  loops.add(loops.multiply(row, operands.a.rowStride),
                                            loops.multiply(firstGroup, operands.a.columnStride * group)));
    mlir::Value b = loops.address(
        operands.b.base, type,
        loops.add(loops.multiply(column, operands.panelStride), loops.multiply(firstGroup, operands.b.rowStride)));
    tile = loops.loop(plan.panelRows / group, 1, tile,
                      [&](mlir::Value k, mlir::ValueRange carried) { return emitStep(a, b, k, carried); });
    for (int64_t i = 0; i < plan.tileRows; ++i)
      for (int64_t j = 0; j < plan.tileVectors; ++j)
        loops.store(tile[i * plan.tileVectors + j], tileAddress(c, i, j));
  }

  mlir::Value tileAddress(mlir::Value c, int64_t row, int64_t vector) {
    return loops.address(c, plan.shape.accumulatorType, row * accumulator.rowStride + vector * plan.lanes);
  }

  /// With the first part of K alone.
  void subtractColumnSums(llvm::MutableArrayRef<mlir::Value> tile, mlir::Value column, mlir::Value firstGroup) {
    mlir::Type element = plan.shape.accumulatorType;
    mlir::Value first = loops.address(operands.columnSums, element, column);
    mlir::Value isFirst =
        arith::CmpIOp::create(loops.builder, loops.loc, arith::CmpIPredicate::eq, firstGroup, loops.index(0));
    mlir::Value zero = arith::ConstantOp::create(loops.builder, loops.loc, loops.builder.getZeroAttr(vectorType));
    for (int64_t j = 0; j < plan.tileVectors; ++j) {
      mlir::Value sums = loops.load(vectorType, loops.address(first, element, j * plan.lanes));
      sums = arith::SelectOp::create(loops.builder, loops.loc, isFirst, sums, zero);
      for (int64_t i = 0; i < plan.tileRows; ++i) {
        mlir::Value &value = tile[i * plan.tileVectors + j];
        value = arith::SubIOp::create(loops.builder, loops.loc, value, sums);
      }
    }
  }

  /// Emits one step along K: a row of B's vectors is multiplied by each row's element (or group) of A, which is
  /// broadcast.
  llvm::SmallVector<mlir::Value> emitStep(mlir::Value a, mlir::Value b, mlir::Value k, mlir::ValueRange carried) {
    mlir::Value aStep = loops.address(a, type, loops.multiply(k, operands.a.columnStride * group));
    mlir::Value bStep = loops.address(b, type, loops.multiply(k, operands.b.rowStride));
    llvm::SmallVector<mlir::Value> columns, tile;
    for (int64_t j = 0; j < plan.tileVectors; ++j)
      columns.push_back(loops.load(packedType, loops.address(bStep, type, j * plan.lanes * group)));
    for (int64_t i = 0; i < plan.tileRows; ++i) {
      mlir::Value factor = broadcastA(loops.address(aStep, type, i * operands.a.rowStride));
      for (int64_t j = 0; j < plan.tileVectors; ++j)
        tile.push_back(multiplyAdd(factor, columns[j], carried[i * plan.tileVectors + j]));
    }
    return tile;
  }

  mlir::Value broadcastA(mlir::Value pointer) {
    if (group == 1)
      return loops.splat(loops.load(type, pointer), vectorType);
    // A group of narrow elements has 32 bits, but is only aligned to its parts.
    mlir::Type i32 = loops.builder.getI32Type();
    mlir::Value bits = mlir::LLVM::LoadOp::create(loops.builder, loops.loc, i32, pointer, DotLoops::elementBytes(type));
    return loops.bitcast(loops.splat(bits, loops.vectorOf(plan.lanes, i32)), packedType);
  }

  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c) {
    if (group > 1)
      return loops.callIntrinsic(groupInstruction(plan), vectorType, {c, a, b});
    mlir::OpBuilder &builder = loops.builder;
    if (!llvm::isa<mlir::FloatType>(plan.shape.accumulatorType)) {
      mlir::Value product = arith::MulIOp::create(builder, loops.loc, a, b);
      return arith::AddIOp::create(builder, loops.loc, c, product);
    }
    if (fuse && plan.target->hasFma)
      return mlir::math::FmaOp::create(builder, loops.loc, a, b, c);
    mlir::Value product = arith::MulFOp::create(builder, loops.loc, a, b);
    return arith::AddFOp::create(builder, loops.loc, c, product);
  }

  const DotPlan &plan;
  const PackedOperands &operands;
  DotMatrix accumulator;
  const BlockAhead &ahead;
  bool fuse;
  DotLoops loops;
  int64_t group;
  mlir::Type type, vectorType, packedType;
};

} // namespace

std::string groupInstruction(const DotPlan &plan) {
  bool isBFloat16 = plan.method == DotMethod::BFloat16Pairs;
  if (plan.target->isAArch64())
    return isBFloat16 ? "llvm.aarch64.neon.bfdot.v4f32.v8bf16" : "llvm.aarch64.neon.sdot.v4i32.v16i8";
  return ((isBFloat16 ? "llvm.x86.avx512bf16.dpbf16ps." : "llvm.x86.avx512.vpdpbusd.") + llvm::Twine(plan.lanes * 32))
      .str();
}

void prefetchAhead(DotLoops &loops, const DotPlan &plan, const BlockAhead &ahead, mlir::Value row, mlir::Value column,
                   int64_t rows, int64_t columns) {
  if (!ahead.address)
    return;
  constexpr int64_t line = 64;
  constexpr int32_t secondLevel = 2, data = 1; // as LLVM numbers them
  mlir::Type byte = loops.builder.getI8Type();
  int64_t bytes = plan.shape.k * DotLoops::elementBytes(plan.shape.aType);
  int64_t lines = llvm::divideCeil(llvm::divideCeil(bytes, line), plan.shape.n / columns);
  mlir::Value part = arith::DivUIOp::create(loops.builder, loops.loc, column, loops.index(columns));
  mlir::Value first = loops.address(ahead.address, byte, loops.multiply(part, lines * line));
  for (int64_t i = 0; i < rows; ++i) {
    mlir::Value number = loops.add(row, loops.index(i));
    mlir::Value offset = arith::MulIOp::create(loops.builder, loops.loc, number, ahead.rowBytes);
    mlir::Value place = loops.address(first, byte, offset);
    for (int64_t j = 0; j < lines; ++j)
      mlir::LLVM::Prefetch::create(loops.builder, loops.loc, loops.address(place, byte, j * line), /*rw=*/0,
                                   secondLevel, data);
  }
}

void emitDot(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, DotMatrix a, DotMatrix b,
             DotMatrix accumulator, DotMemory memory, bool fuse) {
  PackedOperands operands = emitPacking(builder, loc, plan, a, b, memory);
  if (plan.method == DotMethod::Tiles)
    return emitTileProducts(builder, loc, plan, operands, accumulator, memory.ahead);
  if (plan.method == DotMethod::OuterProducts)
    return emitOuterProducts(builder, loc, plan, operands, accumulator);
  if (plan.method == DotMethod::Blocks)
    return emitBlockProducts(builder, loc, plan, operands, accumulator);
  DotKernelEmitter(builder, loc, plan, operands, accumulator, memory.ahead, fuse).emit();
}

} // namespace triton::cpu
