// Products by the outer products of SME: a vector of rows of A times a vector of columns of B is added to a square tile
// of C. The length of these vectors is that of the processor's streaming mode, which only the running code knows.
//
// One function of the module computes all products of a type. It switches the mode, which it alone may do: what NEON's
// registers contain is lost on the way. It shares no tiles with its callers, as the procedure call standard demands
// where a function promises nothing, but needs none of the standard's support routines, which few programs link.
#include "backends/cpu/emitters/DotEmitter.h"
#include "backends/cpu/emitters/DotLoops.h"

#include "mlir/IR/BuiltinOps.h"

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;

/// Bits of the shortest vectors; longer ones have a multiple of their elements.
constexpr int64_t granuleBits = 128;

/// The arguments of the function. Groups of A and B, and elements of C, have the accumulator's width: strides count
/// these. A and B have one row for each group of K.
enum Argument {
  argumentA,
  argumentB,
  argumentC,
  extentM,
  extentN,
  groupsOfK,
  strideA,
  strideB,
  strideC,
  argumentCount
};

/// Emits the body of the function.
class OuterProductEmitter {
public:
  OuterProductEmitter(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, mlir::ValueRange arguments)
      : plan(plan), arguments(arguments), loops(builder, loc),
        bits(DotLoops::elementBytes(plan.shape.accumulatorType) * 8), cell(builder.getIntegerType(bits)),
        multiplicand(multiplicandType(plan, builder.getContext())) {}

  void emit() {
    mlir::Value words = loops.callIntrinsic("llvm.aarch64.sme.cntsd", loops.builder.getI64Type(), {});
    emitLazySave(loops.multiply(words, 8));
    lanes = loops.multiply(words, 64 / bits);
    loops.callIntrinsic("llvm.aarch64.sme.za.enable", {});
    loops.loop(arguments[extentM], loops.multiply(lanes, plan.tileRows), [&](mlir::Value row) {
      loops.loop(arguments[extentN], loops.multiply(lanes, plan.tileVectors),
                 [&](mlir::Value column) { emitBlock(row, column); });
    });
    loops.callIntrinsic("llvm.aarch64.sme.za.disable", {});
  }

private:
  /// Neighbouring vectors of rows, or of columns, of which the last ones may lie partly or wholly behind the matrix.
  struct Vectors {
    llvm::SmallVector<mlir::Value, 4> starts, masks;
  };

  /// A caller may have left its tiles to be saved by the first function that needs the tiles itself. It says where in a
  /// block of memory: the address, null if the tiles are of no use, then the number of rows in 16 bits.
  void emitLazySave(mlir::Value rowBytes) {
    mlir::OpBuilder &b = loops.builder;
    mlir::Type i64 = b.getI64Type(), byte = b.getI8Type();
    mlir::Value block = loops.callIntrinsic("llvm.aarch64.sme.get.tpidr2", i64, {});
    auto isPending = arith::CmpIOp::create(b, loops.loc, arith::CmpIPredicate::ne, block, loops.index(0));
    auto branch = mlir::scf::IfOp::create(b, loops.loc, isPending, /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    mlir::Value pointer = LLVM::IntToPtrOp::create(b, loops.loc, arguments[argumentC].getType(), block);
    mlir::Value memory = LLVM::LoadOp::create(b, loops.loc, pointer.getType(), pointer);
    mlir::Value rows = loops.load(b.getI16Type(), loops.address(pointer, byte, 8));
    rows = arith::ExtUIOp::create(b, loops.loc, i64, rows);
    mlir::Value nowhere = LLVM::ZeroOp::create(b, loops.loc, memory.getType());
    mlir::Value isUseless = LLVM::ICmpOp::create(b, loops.loc, LLVM::ICmpPredicate::eq, memory, nowhere);
    rows = arith::SelectOp::create(b, loops.loc, isUseless, loops.index(0), rows);
    loops.loop(rows, loops.index(1), [&](mlir::Value row) {
      mlir::Value place = address(memory, byte, arith::MulIOp::create(b, loops.loc, row, rowBytes));
      loops.callIntrinsic("llvm.aarch64.sme.str", {asI32(row), place, constantI32(0)});
    });
    loops.callIntrinsic("llvm.aarch64.sme.set.tpidr2", loops.index(0));
  }

  void emitBlock(mlir::Value row, mlir::Value column) {
    Vectors rows = vectorsFrom(row, plan.tileRows, arguments[extentM]);
    Vectors columns = vectorsFrom(column, plan.tileVectors, arguments[extentN]);
    moveTiles("llvm.aarch64.sme.ld1", rows, columns);
    loops.loop(arguments[groupsOfK], loops.index(1), [&](mlir::Value k) { emitStep(rows, columns, k); });
    moveTiles("llvm.aarch64.sme.st1", rows, columns);
  }

  Vectors vectorsFrom(mlir::Value first, int64_t count, mlir::Value extent) {
    Vectors vectors;
    std::string name = "llvm.aarch64.sve.whilelo.nxv" + std::to_string(granuleBits / bits) + "i1.i64";
    for (int64_t i = 0; i < count; ++i) {
      mlir::Value start = loops.add(first, loops.multiply(lanes, i));
      vectors.starts.push_back(start);
      vectors.masks.push_back(loops.callIntrinsic(name, scalable(bits, loops.builder.getI1Type()), {start, extent}));
    }
    return vectors;
  }

  /// Lanes behind a matrix are not read, and what they add to a tile is not stored. Therefore the products need no
  /// masks.
  void emitStep(const Vectors &rows, const Vectors &columns, mlir::Value k) {
    auto loadAll = [&](const Vectors &vectors, Argument matrix, Argument stride) {
      mlir::Value first = arith::MulIOp::create(loops.builder, loops.loc, k, arguments[stride]);
      std::string name = "llvm.aarch64.sve.ld1.nxv" + std::to_string(granuleBits / bits) + "i" + std::to_string(bits);
      llvm::SmallVector<mlir::Value, 4> values;
      for (auto [start, mask] : llvm::zip(vectors.starts, vectors.masks)) {
        mlir::Value from = address(arguments[matrix], cell, loops.add(first, start));
        mlir::Value loaded = loops.callIntrinsic(name, scalable(bits, cell), {mask, from});
        values.push_back(LLVM::BitcastOp::create(loops.builder, loops.loc, factorType(), loaded));
      }
      return values;
    };
    llvm::SmallVector<mlir::Value, 4> left = loadAll(rows, argumentA, strideA);
    llvm::SmallVector<mlir::Value, 4> right = loadAll(columns, argumentB, strideB);
    auto maskType = scalable(DotLoops::elementBytes(multiplicand) * 8, loops.builder.getI1Type());
    mlir::Value all = arith::ConstantOp::create(
        loops.builder, loops.loc, mlir::DenseElementsAttr::get(llvm::cast<mlir::ShapedType>(maskType), true));
    for (auto [i, a] : llvm::enumerate(left))
      for (auto [j, b] : llvm::enumerate(right))
        loops.callIntrinsic(instruction(), {tile(i, j), all, all, a, b});
  }

  /// Moves the part of C between memory and tiles, row by row.
  void moveTiles(llvm::StringRef direction, const Vectors &rows, const Vectors &columns) {
    mlir::OpBuilder &b = loops.builder;
    std::string name = (direction + (bits == 64 ? "d" : "w") + ".horiz").str();
    for (auto [i, start] : llvm::enumerate(rows.starts)) {
      mlir::Value left = arith::SubIOp::create(b, loops.loc, arguments[extentM], start);
      mlir::Value count = arith::MinSIOp::create(b, loops.loc, left, lanes);
      loops.loop(count, loops.index(1), [&](mlir::Value row) {
        mlir::Value first = arith::MulIOp::create(b, loops.loc, loops.add(start, row), arguments[strideC]);
        for (auto [j, column, mask] : llvm::enumerate(columns.starts, columns.masks))
          loops.callIntrinsic(
              name, {mask, address(arguments[argumentC], cell, loops.add(first, column)), tile(i, j), asI32(row)});
      });
    }
  }

  std::string instruction() {
    if (multiplicand.isInteger(8))
      return "llvm.aarch64.sme.smopa.wide.nxv16i8";
    if (multiplicand.isF64())
      return "llvm.aarch64.sme.mopa.nxv2f64";
    if (multiplicand.isF32())
      return "llvm.aarch64.sme.mopa.nxv4f32";
    return multiplicand.isF16() ? "llvm.aarch64.sme.mopa.wide.nxv8f16" : "llvm.aarch64.sme.mopa.wide.nxv8bf16";
  }

  mlir::VectorType scalable(int64_t elementBits, mlir::Type element) {
    return mlir::VectorType::get({granuleBits / elementBits}, element, {true});
  }
  mlir::VectorType factorType() { return scalable(DotLoops::elementBytes(multiplicand) * 8, multiplicand); }
  mlir::Value tile(int64_t i, int64_t j) { return constantI32(i * plan.tileVectors + j); }
  mlir::Value constantI32(int64_t value) {
    return arith::ConstantOp::create(loops.builder, loops.loc, loops.builder.getI32IntegerAttr(value));
  }
  mlir::Value asI32(mlir::Value value) {
    return arith::TruncIOp::create(loops.builder, loops.loc, loops.builder.getI32Type(), value);
  }
  /// Masked lanes may lie outside of the matrix.
  mlir::Value address(mlir::Value base, mlir::Type element, mlir::Value offset) {
    return LLVM::GEPOp::create(loops.builder, loops.loc, base.getType(), element, base, mlir::ValueRange{offset});
  }

  const DotPlan &plan;
  mlir::ValueRange arguments;
  DotLoops loops;
  int64_t bits; ///< of a group, and of an element of C
  mlir::Type cell, multiplicand;
  mlir::Value lanes; ///< groups of a vector
};

std::string functionName(const DotPlan &plan, mlir::Type multiplicand) {
  std::string name;
  llvm::raw_string_ostream(name) << "triton_outer_products_" << multiplicand << "_" << plan.tileRows << "x"
                                 << plan.tileVectors;
  return name;
}

/// In front of streaming mode, LLVM asks a routine of the procedure call standard for the length of vectors outside of
/// it, for debuggers. Where there is no SVE, there are no such vectors. The routine may change x0 alone.
void emitLengthRoutine(mlir::OpBuilder &builder, mlir::ModuleOp module) {
  constexpr llvm::StringLiteral name = "__arm_get_current_vg";
  if (module.lookupSymbol(name))
    return;
  mlir::Location loc = module.getLoc();
  auto type = LLVM::LLVMFunctionType::get(builder.getI64Type(), {});
  auto routine = LLVM::LLVMFuncOp::create(builder, loc, name, type, LLVM::Linkage::Internal);
  routine.setPassthroughAttr(builder.getStrArrayAttr({"naked"}));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(routine.addEntryBlock(builder));
  LLVM::InlineAsmOp::create(builder, loc, /*res=*/mlir::Type(), mlir::ValueRange(), "mov x0, xzr\n\tret", "",
                            /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  LLVM::UnreachableOp::create(builder, loc);
}

LLVM::LLVMFuncOp findOrEmitFunction(mlir::OpBuilder &builder, const DotPlan &plan) {
  mlir::MLIRContext *context = builder.getContext();
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  std::string name = functionName(plan, multiplicandType(plan, context));
  if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return existing;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  if (!plan.target->hasSve)
    emitLengthRoutine(builder, module);
  mlir::Type pointer = LLVM::LLVMPointerType::get(context);
  llvm::SmallVector<mlir::Type> types(argumentCount, builder.getI64Type());
  types[argumentA] = types[argumentB] = types[argumentC] = pointer;
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  auto function = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type, LLVM::Linkage::Internal);
  function.setArmLocallyStreaming(true);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  OuterProductEmitter(builder, module.getLoc(), plan, function.getArguments()).emit();
  LLVM::ReturnOp::create(builder, module.getLoc(), mlir::ValueRange());
  return function;
}

} // namespace

void emitOuterProducts(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan,
                       const PackedOperands &operands, DotMatrix accumulator) {
  DotLoops loops(builder, loc);
  int64_t group = groupSize(plan);
  mlir::Value values[argumentCount];
  values[argumentA] = operands.a.base;
  values[argumentB] = operands.b.base;
  values[argumentC] = accumulator.base;
  values[extentM] = loops.index(plan.shape.m);
  values[extentN] = loops.index(plan.shape.n);
  values[groupsOfK] = loops.index(plan.shape.k / group);
  values[strideA] = loops.index(operands.a.rowStride / group);
  values[strideB] = loops.index(operands.b.rowStride / group);
  values[strideC] = loops.index(accumulator.rowStride);
  LLVM::CallOp::create(builder, loc, findOrEmitFunction(builder, plan), values);
}

} // namespace triton::cpu
