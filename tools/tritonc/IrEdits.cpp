#include "IrEdits.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace {

bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16() || element.isF32();
}

Type widened(Type type) {
  Type wide = Float64Type::get(type.getContext());
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(wide);
  return wide;
}

/// Whether the operation means the same with every type of floats.
bool hasEveryFloat(Operation *op) {
  static const llvm::StringSet<> names = {
      "tt.broadcast",    "tt.cat",       "tt.clampf",     "tt.dot",         "tt.expand_dims", "tt.gather",
      "tt.join",         "tt.reduce",    "tt.reshape",    "tt.scan",        "tt.scan.return", "tt.reduce.return",
      "tt.splat",        "tt.split",     "tt.trans",      "tt.unsplat",     "scf.for",        "scf.if",
      "scf.while",       "scf.yield",    "scf.condition", "arith.addf",     "arith.subf",     "arith.mulf",
      "arith.divf",      "arith.negf",   "arith.remf",    "arith.maximumf", "arith.minimumf", "arith.maxnumf",
      "arith.minnumf",   "arith.select", "arith.cmpf",    "arith.sitofp",   "arith.uitofp",   "arith.fptosi",
      "arith.fptoui",    "arith.extf",   "arith.truncf",  "tt.fp_to_fp",    "arith.constant", "tt.precise_sqrt",
      "tt.precise_divf",
  };
  llvm::StringRef name = op->getName().getStringRef();
  return names.contains(name) || name.starts_with("math.");
}

class Widening {
public:
  explicit Widening(Operation *module) : builder(module->getContext()) {
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      operations.push_back(op);
      for (Value result : op->getResults())
        note(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            note(argument);
    });
  }

  void run() {
    for (Operation *op : operations)
      if (!hasEveryFloat(op) || convertsOther(op))
        border(op);
      else if (isa<arith::ExtFOp, arith::TruncFOp, triton::tt::FpToFpOp>(op))
        casts.push_back(op);
      else
        widen(op);
    for (Operation *cast : casts) {
      cast->getResult(0).replaceAllUsesWith(cast->getOperand(0));
      cast->erase();
    }
  }

private:
  void note(Value value) {
    if (isNarrow(value.getType()))
      kernelTypes[value] = value.getType();
  }

  /// A conversion from or to a type that neither is float64 nor becomes so.
  bool convertsOther(Operation *op) const {
    if (!isa<arith::ExtFOp, arith::TruncFOp, triton::tt::FpToFpOp>(op))
      return false;
    auto isWide = [&](Value value) {
      return kernelTypes.contains(value) || getElementTypeOrSelf(value.getType()).isF64();
    };
    return !isWide(op->getOperand(0)) || !isWide(op->getResult(0));
  }

  void widen(Operation *op) {
    for (Value result : op->getResults())
      if (kernelTypes.contains(result))
        result.setType(widened(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (kernelTypes.contains(argument))
            argument.setType(widened(argument.getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && kernelTypes.contains(constant.getResult()))
      constant.setValueAttr(cast<TypedAttr>(widenedValue(constant.getValue())));
    if (auto dot = dyn_cast<triton::tt::DotOp>(op))
      dot.setInputPrecision(triton::tt::InputPrecision::IEEE);
  }

  Attribute widenedValue(Attribute value) {
    auto convert = [](llvm::APFloat number) {
      bool losesInformation;
      number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInformation);
      return number;
    };
    if (auto elements = dyn_cast<DenseFPElementsAttr>(value))
      return elements.mapValues(builder.getF64Type(),
                                [&](const llvm::APFloat &number) { return convert(number).bitcastToAPInt(); });
    return builder.getFloatAttr(builder.getF64Type(), convert(cast<FloatAttr>(value).getValue()));
  }

  /// The operation keeps the types of the kernel; its operands are narrowed and its results widened.
  void border(Operation *op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (auto narrow = kernelTypes.find(operand.get()); narrow != kernelTypes.end())
        operand.set(arith::TruncFOp::create(builder, op->getLoc(), narrow->second, operand.get()));
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      widenUses(result);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        builder.setInsertionPointToStart(&block);
        for (Value argument : block.getArguments())
          widenUses(argument);
      }
  }

  void widenUses(Value value) {
    if (!kernelTypes.contains(value))
      return;
    auto wide = arith::ExtFOp::create(builder, value.getLoc(), widened(value.getType()), value);
    value.replaceAllUsesExcept(wide, wide);
    kernelTypes[wide] = value.getType();
    kernelTypes.erase(value); // has its own type everywhere
  }

  OpBuilder builder;
  std::vector<Operation *> operations, casts;
  llvm::DenseMap<Value, Type> kernelTypes; ///< of what is widened, or will be
};

} // namespace

void tritonc::widenToFloat64(Operation *module) { Widening(module).run(); }

template <typename From, typename To> static bool replaceFirst(Operation *module) {
  WalkResult result = module->walk([](From op) {
    OpBuilder builder(op);
    auto other = To::create(builder, op.getLoc(), op.getOperand(0), op.getOperand(1));
    op->getResult(0).replaceAllUsesWith(other->getResult(0));
    op.erase();
    return WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

bool tritonc::plantMistake(Operation *module) {
  return replaceFirst<arith::AddFOp, arith::SubFOp>(module) || replaceFirst<LLVM::FAddOp, LLVM::FSubOp>(module) ||
         replaceFirst<arith::MulFOp, arith::AddFOp>(module) || replaceFirst<LLVM::FMulOp, LLVM::FAddOp>(module) ||
         replaceFirst<arith::SubFOp, arith::AddFOp>(module) || replaceFirst<LLVM::FSubOp, LLVM::FAddOp>(module);
}
