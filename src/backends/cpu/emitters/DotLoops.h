// Shared by the emitters of dots: counted loops, addresses, memory access. Private to DotEmitter and DotPacking.
#pragma once

#include "backends/cpu/emitters/DotEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace triton::cpu {

class DotLoops {
public:
  DotLoops(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index, mlir::ValueRange carried)>;

  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  }
  mlir::Value multiply(mlir::Value a, int64_t factor) {
    return factor == 1 ? a : mlir::arith::MulIOp::create(builder, loc, a, index(factor)).getResult();
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return mlir::arith::AddIOp::create(builder, loc, a, b); }

  /// Runs `body` for index = 0, step, ... below `count`; without a loop if that is only once. Returns the values that
  /// the last round carries out.
  llvm::SmallVector<mlir::Value> loop(int64_t count, int64_t step, mlir::ValueRange initial, Body body) {
    if (count <= step)
      return body(index(0), initial);
    auto loop = mlir::scf::ForOp::create(builder, loc, index(0), index(count), index(step), initial);
    // Emitted with the loop in place, because declaring functions requires the enclosing module.
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::SmallVector<mlir::Value> carried = body(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!initial.empty())
      mlir::scf::YieldOp::create(builder, loc, carried);
    return llvm::SmallVector<mlir::Value>(loop.getResults());
  }
  void loop(int64_t count, int64_t step, llvm::function_ref<void(mlir::Value)> body) {
    loop(count, step, {}, [&](mlir::Value index, mlir::ValueRange) {
      body(index);
      return llvm::SmallVector<mlir::Value>();
    });
  }

  /// The same below a count, by a step, that only the running code knows.
  void loop(mlir::Value count, mlir::Value step, llvm::function_ref<void(mlir::Value)> body) {
    auto loop = mlir::scf::ForOp::create(builder, loc, index(0), count, step);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// base + offset, counted in `element`s.
  mlir::Value address(mlir::Value base, mlir::Type element, mlir::Value offset) {
    return mlir::LLVM::GEPOp::create(builder, loc, base.getType(), element, base, mlir::ValueRange{offset},
                                     mlir::LLVM::GEPNoWrapFlags::inbounds);
  }
  mlir::Value address(mlir::Value base, mlir::Type element, int64_t offset) {
    if (offset == 0)
      return base;
    return mlir::LLVM::GEPOp::create(builder, loc, base.getType(), element, base,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{int32_t(offset)},
                                     mlir::LLVM::GEPNoWrapFlags::inbounds);
  }

  /// A scalar or vector, aligned to `element` (tiles may start anywhere).
  mlir::Value load(mlir::Type type, mlir::Value pointer) {
    return mlir::LLVM::LoadOp::create(builder, loc, type, pointer, elementBytes(type));
  }
  void store(mlir::Value value, mlir::Value pointer) {
    mlir::LLVM::StoreOp::create(builder, loc, value, pointer, elementBytes(value.getType()));
  }

  mlir::Type vectorOf(int64_t lanes, mlir::Type element) { return mlir::VectorType::get({lanes}, element); }
  mlir::Value splat(mlir::Value scalar, mlir::Type vectorType) {
    return mlir::vector::BroadcastOp::create(builder, loc, vectorType, scalar);
  }
  mlir::Value bitcast(mlir::Value vector, mlir::Type vectorType) {
    return mlir::vector::BitCastOp::create(builder, loc, llvm::cast<mlir::VectorType>(vectorType), vector);
  }
  mlir::Value callIntrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands) {
    return mlir::LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(name), operands)
        .getResult(0);
  }
  void callIntrinsic(llvm::StringRef name, mlir::ValueRange operands) {
    mlir::LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name), operands);
  }

  static unsigned elementBytes(mlir::Type type) { return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8; }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The operands in the form that the inner loop reads: in place, or packed into the scratch area.
struct PackedOperands {
  /// B, if packed, has one row for each group of K, in panels; `b` is then the first panel. For OuterProducts, A has
  /// such rows too, in place or not.
  DotMatrix a, b;
  int64_t panelStride;    ///< elements between the first columns of two register tiles, for each column between them
  mlir::Value columnSums; ///< if A is biased: 128 x the sum of each column of B
};

/// The type in which the inner loop reads an operand: the accumulator's for MultiplyAdd, otherwise bf16 or i8.
mlir::Type multiplicandType(const DotPlan &plan, mlir::MLIRContext *context);
/// The intrinsic that multiplies the groups of BFloat16Pairs or Int8Quads and adds the products to each lane.
std::string groupInstruction(const DotPlan &plan);
/// Rows and columns of a tile of AMX that accumulates.
constexpr int64_t tileExtent = 16;

/// With the products of a part of C, at `row` and `column`: prefetches so much of the block ahead that all parts
/// together prefetch it.
void prefetchAhead(DotLoops &loops, const DotPlan &plan, const BlockAhead &ahead, mlir::Value row, mlir::Value column,
                   int64_t rows, int64_t columns);

/// The products of the method Tiles.
void emitTileProducts(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, const PackedOperands &operands,
                      DotMatrix accumulator, const BlockAhead &ahead);

/// The products of the method OuterProducts.
void emitOuterProducts(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan,
                       const PackedOperands &operands, DotMatrix accumulator);

/// The products of the method Blocks. A is packed by pairs of rows: their groups take turns.
void emitBlockProducts(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan,
                       const PackedOperands &operands, DotMatrix accumulator);

PackedOperands emitPacking(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, DotMatrix a, DotMatrix b,
                           const DotMemory &memory);

} // namespace triton::cpu
