#include "backends/cpu/emitters/MathCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace triton::cpu {
namespace {

namespace vector = mlir::vector;

/// Declares `symbol` as a function without side effects, so that equal calls are merged and invariant calls leave
/// loops.
mlir::LLVM::LLVMFuncOp declareFunction(mlir::OpBuilder &builder, llvm::StringRef symbol,
                                       llvm::ArrayRef<mlir::Type> operands, mlir::Type result) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  if (auto existing = module.lookupSymbol<mlir::LLVM::LLVMFuncOp>(symbol))
    return existing;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto type = mlir::LLVM::LLVMFunctionType::get(result, operands);
  auto function = mlir::LLVM::LLVMFuncOp::create(builder, module.getLoc(), symbol, type);
  using mlir::LLVM::ModRefInfo;
  function.setMemoryEffectsAttr(mlir::LLVM::MemoryEffectsAttr::get(
      builder.getContext(), ModRefInfo::NoModRef, ModRefInfo::NoModRef, ModRefInfo::NoModRef, ModRefInfo::NoModRef,
      ModRefInfo::NoModRef, ModRefInfo::NoModRef));
  function.setNoUnwind(true);
  function.setWillReturn(true);
  return function;
}

mlir::Value emitCall(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef symbol, mlir::ValueRange operands,
                     mlir::Type result) {
  llvm::SmallVector<mlir::Type, 4> types(operands.getTypes());
  mlir::LLVM::LLVMFuncOp callee = declareFunction(builder, symbol, types, result);
  return mlir::LLVM::CallOp::create(builder, loc, callee, operands).getResult();
}

class CallEmitter {
public:
  CallEmitter(mlir::OpBuilder &builder, mlir::Location loc, const MathFunction &function, mlir::Type element,
              const TargetDescription &target)
      : builder(builder), loc(loc), function(function), element(element), isDouble(element.isF64()), target(target) {}

  mlir::Value emit(mlir::ValueRange operands) {
    auto type = llvm::dyn_cast<mlir::VectorType>(operands.front().getType());
    if (!type)
      return call(scalarSymbol(function, isDouble), operands);
    unsigned count = type.getNumElements();
    unsigned width = callWidth(count);
    if (width == 0)
      return emitCallByLane(builder, loc, scalarSymbol(function, isDouble), operands, element);
    if (width == count)
      return call(vectorSymbol(function, isDouble, width, target.architecture), operands);
    return width > count ? emitPadded(operands, count, width) : emitSplit(operands, type, width);
  }

private:
  /// The length of the vector for a call on vectors of `count` lanes; 0 when libmvec does not have the function.
  unsigned callWidth(unsigned count) {
    if (!function.hasVectorForm)
      return 0;
    unsigned elementBits = isDouble ? 64 : 32;
    unsigned bits = std::clamp(unsigned(llvm::PowerOf2Ceil(count)) * elementBits, 128u, vectorMathBits(target));
    unsigned width = bits / elementBits;
    return hasMathSymbol(target, vectorSymbol(function, isDouble, width, target.architecture)) ? width : 0;
  }

  mlir::Value call(const std::string &symbol, mlir::ValueRange operands) {
    return emitCall(builder, loc, symbol, operands, operands.front().getType());
  }

  /// Repeats the lanes up to `width`, because the library could be slow for arbitrary values.
  mlir::Value emitPadded(mlir::ValueRange operands, unsigned count, unsigned width) {
    llvm::SmallVector<int64_t> repeat, first;
    for (unsigned lane = 0; lane < width; ++lane)
      repeat.push_back(lane % count);
    for (unsigned lane = 0; lane < count; ++lane)
      first.push_back(lane);
    llvm::SmallVector<mlir::Value, 2> padded;
    for (mlir::Value operand : operands)
      padded.push_back(vector::ShuffleOp::create(builder, loc, operand, operand, repeat));
    mlir::Value result = emit(padded);
    return vector::ShuffleOp::create(builder, loc, result, result, first);
  }

  mlir::Value emitSplit(mlir::ValueRange operands, mlir::VectorType type, unsigned width) {
    mlir::Value result = mlir::LLVM::PoisonOp::create(builder, loc, type);
    int64_t count = type.getNumElements();
    for (int64_t offset = 0; offset < count; offset += width) {
      int64_t length = std::min<int64_t>(width, count - offset);
      llvm::SmallVector<mlir::Value, 2> parts;
      for (mlir::Value operand : operands)
        parts.push_back(vector::ExtractStridedSliceOp::create(builder, loc, operand, offset, length, 1));
      result = vector::InsertStridedSliceOp::create(builder, loc, emit(parts), result, offset, 1);
    }
    return result;
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const MathFunction &function;
  mlir::Type element;
  bool isDouble;
  const TargetDescription &target;
};

} // namespace

mlir::Value emitCallByLane(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef symbol,
                           mlir::ValueRange operands, mlir::Type result) {
  auto type = llvm::dyn_cast<mlir::VectorType>(operands.front().getType());
  if (!type)
    return emitCall(builder, loc, symbol, operands, result);
  mlir::Value all = mlir::LLVM::PoisonOp::create(builder, loc, mlir::VectorType::get(type.getShape(), result));
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    llvm::SmallVector<mlir::Value, 4> scalars;
    for (mlir::Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(builder, loc, operand, lane));
    all = vector::InsertOp::create(builder, loc, emitCall(builder, loc, symbol, scalars, result), all, lane);
  }
  return all;
}

mlir::Value emitMathCall(mlir::OpBuilder &builder, mlir::Location loc, const MathFunction &function,
                         mlir::ValueRange operands, const TargetDescription &target) {
  mlir::Type element = mlir::getElementTypeOrSelf(operands.front().getType());
  return CallEmitter(builder, loc, function, element, target).emit(operands);
}

} // namespace triton::cpu
