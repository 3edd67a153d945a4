// Products by AMX. The tiles are numbered registers: the first four accumulate, then two hold parts of B and two of A.
#include "backends/cpu/emitters/DotEmitter.h"
#include "backends/cpu/emitters/DotLoops.h"

#include <array>

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;

constexpr int64_t tileRowBytes = 64;
constexpr int64_t firstTileOfB = 4, firstTileOfA = 6;

class TileEmitter {
public:
  TileEmitter(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, const PackedOperands &operands,
              DotMatrix accumulator, const BlockAhead &ahead)
      : plan(plan), operands(operands), accumulator(accumulator), ahead(ahead), loops(builder, loc),
        type(multiplicandType(plan, builder.getContext())), tileDepth(tileRowBytes / DotLoops::elementBytes(type)) {}

  void emit() {
    loops.loop(plan.shape.n, plan.tileVectors * tileExtent, [&](mlir::Value column) {
      loops.loop(plan.shape.m, plan.tileRows * tileExtent, [&](mlir::Value row) { emitBlock(row, column); });
    });
  }

private:
  void emitBlock(mlir::Value row, mlir::Value column) {
    mlir::Type element = plan.shape.accumulatorType;
    mlir::Value c =
        loops.address(accumulator.base, element, loops.add(loops.multiply(row, accumulator.rowStride), column));
    prefetchAhead(loops, plan, ahead, row, column, plan.tileRows * tileExtent, plan.tileVectors * tileExtent);
    overAccumulators([&](int64_t i, int64_t j) { load(accumulatorTile(i, j), address(c, i, j), accumulatorBytes()); });
    mlir::Value a = loops.address(operands.a.base, type, loops.multiply(row, operands.a.rowStride));
    mlir::Value b = loops.address(operands.b.base, type, loops.multiply(column, plan.shape.k));
    loops.loop(plan.shape.k, tileDepth, [&](mlir::Value k) { emitStep(a, b, k); });
    overAccumulators([&](int64_t i, int64_t j) {
      loops.callIntrinsic("llvm.x86.tilestored64",
                          {tile(accumulatorTile(i, j)), address(c, i, j), loops.index(accumulatorBytes())});
    });
  }

  /// One step along K. Where more than two tiles of an operand take part, there are two to load them into by turns.
  void emitStep(mlir::Value a, mlir::Value b, mlir::Value k) {
    a = loops.address(a, type, k);
    b = loops.address(b, type, loops.multiply(k, tileExtent));
    auto loadA = [&](int64_t i) {
      mlir::Value first = loops.address(a, type, i * tileExtent * operands.a.rowStride);
      load(firstTileOfA + i % 2, first, operands.a.rowStride * DotLoops::elementBytes(type));
    };
    auto loadB = [&](int64_t j) {
      load(firstTileOfB + j % 2, loops.address(b, type, j * tileExtent * plan.shape.k), tileRowBytes);
    };
    bool keepsA = plan.tileRows <= 2;
    for (int64_t kept = 0; kept < (keepsA ? plan.tileRows : plan.tileVectors); ++kept)
      keepsA ? loadA(kept) : loadB(kept);
    for (int64_t turn = 0; turn < (keepsA ? plan.tileVectors : plan.tileRows); ++turn) {
      keepsA ? loadB(turn) : loadA(turn);
      for (int64_t kept = 0; kept < (keepsA ? plan.tileRows : plan.tileVectors); ++kept)
        multiply(keepsA ? kept : turn, keepsA ? turn : kept);
    }
  }

  void multiply(int64_t i, int64_t j) {
    llvm::StringRef name = type.isInteger(8) ? "llvm.x86.tdpbssd"
                           : type.isF16()    ? "llvm.x86.tdpfp16ps"
                                             : "llvm.x86.tdpbf16ps";
    loops.callIntrinsic(name, {tile(accumulatorTile(i, j)), tile(firstTileOfA + i % 2), tile(firstTileOfB + j % 2)});
  }

  void overAccumulators(llvm::function_ref<void(int64_t, int64_t)> body) {
    for (int64_t i = 0; i < plan.tileRows; ++i)
      for (int64_t j = 0; j < plan.tileVectors; ++j)
        body(i, j);
  }
  int64_t accumulatorTile(int64_t i, int64_t j) const { return i * plan.tileVectors + j; }
  int64_t accumulatorBytes() const {
    return accumulator.rowStride * DotLoops::elementBytes(plan.shape.accumulatorType);
  }
  mlir::Value address(mlir::Value c, int64_t i, int64_t j) {
    return loops.address(c, plan.shape.accumulatorType, (i * accumulator.rowStride + j) * tileExtent);
  }

  void load(int64_t number, mlir::Value from, int64_t strideBytes) {
    loops.callIntrinsic("llvm.x86.tileloadd64", {tile(number), from, loops.index(strideBytes)});
  }
  mlir::Value tile(int64_t number) {
    return arith::ConstantOp::create(loops.builder, loops.loc, loops.builder.getI8IntegerAttr(number));
  }

  const DotPlan &plan;
  const PackedOperands &operands;
  DotMatrix accumulator;
  const BlockAhead &ahead;
  DotLoops loops;
  mlir::Type type;
  int64_t tileDepth; ///< along K
};

} // namespace

void emitTileProducts(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, const PackedOperands &operands,
                      DotMatrix accumulator, const BlockAhead &ahead) {
  TileEmitter(builder, loc, plan, operands, accumulator, ahead).emit();
}

mlir::Value emitTileForm(mlir::OpBuilder &builder, mlir::Location loc) {
  // The form that the instruction reads: palette 1, then 16 bits for the bytes of a row and 8 for the rows of each
  // tile.
  constexpr int64_t formBytes = 64, tiles = 8, rowBytesAt = 16, rowsAt = 48;
  std::array<int8_t, formBytes> form{1};
  for (int64_t i = 0; i < tiles; ++i) {
    form[rowBytesAt + 2 * i] = tileRowBytes;
    form[rowsAt + i] = tileExtent;
  }
  auto bytes = mlir::VectorType::get({formBytes}, builder.getI8Type());
  auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext());
  mlir::Value one = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  mlir::Value memory = mlir::LLVM::AllocaOp::create(builder, loc, pointer, bytes, one, formBytes);
  mlir::Value value =
      arith::ConstantOp::create(builder, loc, mlir::DenseElementsAttr::get(bytes, llvm::ArrayRef<int8_t>(form)));
  mlir::LLVM::StoreOp::create(builder, loc, value, memory, formBytes);
  return memory;
}

void emitLoadTileForm(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value form) {
  DotLoops(builder, loc).callIntrinsic("llvm.x86.ldtilecfg", form);
}

void emitReleaseTiles(mlir::OpBuilder &builder, mlir::Location loc) {
  DotLoops(builder, loc).callIntrinsic("llvm.x86.tilerelease", mlir::ValueRange());
}

} // namespace triton::cpu
