// Gives every tensor a layout, see Passes.td.
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Dialect.h"
#include "gpu/layouts/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/EncodingInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_CONVERTTRITONTOTRITONGPU
#include "gpu/layouts/Passes.h.inc"

namespace {

struct ConvertTritonToTritonGPU : impl::ConvertTritonToTritonGPUBase<ConvertTritonToTritonGPU> {
  using ConvertTritonToTritonGPUBase::ConvertTritonToTritonGPUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(threadsPerWarpAttribute))
      return;
    const gpu::TargetInfo *info = gpu::findTarget(module.getLoc(), target);
    if (!info)
      return signalPassFailure();
    threadsPerWarp = info->machine().lanes;
    module.walk([](tt::CatOp cat) { joinAndFlatten(cat); });
    OpBuilder builder(module.getContext());
    if (auto limit = dyn_cast_or_null<IntegerAttr>(module->removeAttr(warpLimitAttribute)))
      numWarps = std::min(unsigned(numWarps), unsigned(limit.getInt()));
    module->setAttr(numCtasAttribute, builder.getI32IntegerAttr(int32_t(numCtas)));
    module->setAttr(numWarpsAttribute, builder.getI32IntegerAttr(int32_t(numWarps)));
    module->setAttr(targetAttribute, builder.getStringAttr(target));
    module->setAttr(threadsPerWarpAttribute, builder.getI32IntegerAttr(int32_t(threadsPerWarp)));
    WalkResult walk = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      encode(op);
      return failed(checkSizes(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    // All types have layouts now. The operations remain whose operands or results must have a certain layout.
    SmallVector<Operation *> constrained;
    module.walk([&](Operation *op) {
      if (isa<tt::ExpandDimsOp, tt::ReduceOp, tt::TransOp, tt::JoinOp, tt::SplitOp, tt::ReshapeOp, tt::BroadcastOp,
              tt::DotOp>(op))
        constrained.push_back(op);
    });
    for (Operation *op : constrained)
      constrain(op);
  }

private:
  unsigned threadsPerWarp = 0;

  /// The elements may come in any order. A new dimension contains both operands and is merged with the old one. It lies
  /// in the registers of a thread, whatever the layout is.
  static void joinAndFlatten(tt::CatOp cat) {
    OpBuilder builder(cat);
    Value joined = tt::JoinOp::create(builder, cat.getLoc(), cat.getLhs(), cat.getRhs());
    auto flattened = tt::ReshapeOp::create(builder, cat.getLoc(), cat.getType(), joined, /*allow_reorder=*/true,
                                           /*efficient_layout=*/false);
    cat.replaceAllUsesWith(flattened.getResult());
    cat.erase();
  }

  Attribute defaultEncoding(llvm::ArrayRef<int64_t> shape) {
    SmallVector<unsigned> sizePerThread(shape.size(), 1);
    auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, shape.size())));
    return BlockedEncodingAttr::getDefault(&getContext(), shape, sizePerThread, order, numWarps, threadsPerWarp);
  }

  Type encode(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getEncoding())
      return type;
    return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), defaultEncoding(tensor.getShape()));
  }

  /// Encodes the results, block arguments, function types and constants of one operation.
  void encode(Operation *op) {
    for (Value result : op->getResults())
      result.setType(encode(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(encode(argument.getType()));
    if (auto function = dyn_cast<tt::FuncOp>(op)) {
      auto encodeAll = [&](llvm::ArrayRef<Type> types) {
        return llvm::map_to_vector(types, [&](Type type) { return encode(type); });
      };
      function.setType(FunctionType::get(op->getContext(), encodeAll(function.getArgumentTypes()),
                                         encodeAll(function.getResultTypes())));
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(cast<TypedAttr>(elements.reshape(cast<ShapedType>(constant.getType()))));
  }

  /// A tensor with far more elements than a thread has registers would overflow even its memory, after minutes in the
  /// assembler.
  LogicalResult checkSizes(Operation *op) const {
    int64_t threads = int64_t(numWarps) * threadsPerWarp;
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && tensor.getNumElements() / threads > tuned::mostElementsOfThread)
        return op->emitError() << "not supported on " << target << ": a tensor of " << tensor.getNumElements()
                               << " elements gives each of " << threads << " threads "
                               << tensor.getNumElements() / threads << ", more than " << tuned::mostElementsOfThread
                               << "; use smaller blocks or a larger `num_warps`";
    return success();
  }

  static Value convert(OpBuilder &builder, Location location, Value value, Attribute encoding) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getEncoding() == encoding)
      return value;
    return ConvertLayoutOp::create(builder, location,
                                   RankedTensorType::get(type.getShape(), type.getElementType(), encoding), value);
  }

  static void convertOperand(Operation *op, unsigned index, Attribute encoding) {
    OpBuilder builder(op);
    op->setOperand(index, convert(builder, op->getLoc(), op->getOperand(index), encoding));
  }

  /// Gives results the layouts that follow from the operands, with conversions to their earlier types.
  static void followOperands(Operation *op) {
    auto inference = cast<InferTypeOpInterface>(op);
    SmallVector<Type> inferred;
    if (failed(inference.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getAttrDictionary(),
                                          op->getPropertiesStorage(), op->getRegions(), inferred)))
      return;
    setResultTypes(op, inferred);
  }

  static void setResultTypes(Operation *op, llvm::ArrayRef<Type> types) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
      Type wanted = result.getType();
      if (wanted == type)
        continue;
      result.setType(type);
      auto conversion = ConvertLayoutOp::create(builder, op->getLoc(), wanted, result);
      result.replaceAllUsesExcept(conversion, conversion);
    }
  }

  static Attribute encodingOf(Value value) { return cast<RankedTensorType>(value.getType()).getEncoding(); }

  void constrain(Operation *op) {
    MLIRContext *context = op->getContext();
    if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
      return convertOperand(op, 0, SliceEncodingAttr::get(context, expand.getAxis(), encodingOf(expand.getResult())));
    if (auto broadcast = dyn_cast<tt::BroadcastOp>(op))
      return convertOperand(op, 0, encodingOf(broadcast.getResult()));
    if (auto dot = dyn_cast<tt::DotOp>(op)) {
      Attribute parent = encodingOf(dot.getD());
      convertOperand(op, 0, DotOperandEncodingAttr::get(context, 0, parent, 0));
      return convertOperand(op, 1, DotOperandEncodingAttr::get(context, 1, parent, 0));
    }
    if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
      auto source = cast<RankedTensorType>(reshape.getSrc().getType());
      auto result = cast<RankedTensorType>(reshape.getType());
      auto *inference = source.getEncoding().getDialect().getRegisteredInterface<tt::EncodingInferenceInterface>();
      Attribute encoding = inference->reshape(source.getShape(), source.getEncoding(), result.getShape());
      Type type = RankedTensorType::get(result.getShape(), result.getElementType(), encoding);
      return setResultTypes(op, type);
    }
    if (isa<tt::SplitOp>(op))
      convertSplitOperand(op);
    followOperands(op);
  }

  /// The last dimension must be a single register bit, so the operand gets the joined layout of the halves.
  static void convertSplitOperand(Operation *op) {
    auto half = cast<RankedTensorType>(op->getResult(0).getType());
    auto *inference = half.getEncoding().getDialect().getRegisteredInterface<tt::EncodingInferenceInterface>();
    convertOperand(op, 0, inference->join(half.getShape(), half.getEncoding()));
  }
};

} // namespace

} // namespace triton::ttg
