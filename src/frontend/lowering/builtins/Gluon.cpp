// The functions that Gluon has of its own: layouts of blocks, and what kernels ask about their threads.
#include "frontend/lowering/builtins/Functions.h"
#include "gpu/ir/TensorMemoryPlaces.h"

namespace triton::frontend::builtin {
mlir::Attribute layoutArgument(Lowering &lowering, CallArguments &arguments, llvm::ArrayRef<int64_t> shape) {
  if (!lowering.isGluon)
    return {};
  if (!(arguments.builtin.flags & (GluonModule | BufferMethod | MatrixMethod)) || arguments["layout"].isNone())
    return ttg::AutoEncodingAttr::get(&lowering.context);
  SourceRange range = arguments.range("layout");
  mlir::Attribute layout = encodingOf(lowering, arguments["layout"], range);
  bool isOfBuffer = arguments.builtin.flags & (BufferMethod | MatrixMethod);
  if (mlir::isa<ttg::SharedEncodingInterface>(layout) || ttg::isTensorMemoryEncoding(layout) ||
      (isOfBuffer && ttg::isPlaceholder(layout)))
    lowering.error(range, diagnostics::NotALayout, std::string("a layout over threads"), layoutText(layout));
  if (ttg::isPlaceholder(layout))
    return layout;
  if (int64_t rank = ttg::getEncodingRank(layout); rank != int64_t(shape.size()))
    lowering.error(range, diagnostics::LayoutRank, layoutText(layout), rank, int64_t(shape.size()));
  layout::LinearLayout linear = ttg::toLinearLayout(shape, layout);
  int64_t warps = linear.inputSize("warp"), lanes = linear.inputSize("lane");
  int64_t ownWarps = lowering.numWarps, ownLanes = lowering.options.language.target.warpSize;
  if (int64_t blocks = linear.inputSize("block"); blocks != lowering.options.numCtas)
    lowering.error(range, diagnostics::LayoutBlocks, layoutText(layout), blocks, lowering.options.numCtas);
  if (warps != ownWarps || lanes != ownLanes)
    lowering.error(range, diagnostics::LayoutThreads, layoutText(layout), warps, lanes, ownWarps, ownLanes);
  return layout;
}

Value convertLayout(Lowering &lowering, CallArguments &arguments) {
  Tensor tensor = tensorArgument(lowering, arguments, "value");
  TensorType type = tensor.type;
  type.layout = layoutArgument(lowering, arguments, type.shape);
  mlir::Type result = lowering.irType(type);
  if (type == tensor.type)
    return tensor;
  if (booleanArgument(lowering, arguments, "assert_trivial") &&
      (ttg::isPlaceholder(tensor.type.layout) || ttg::isPlaceholder(type.layout) ||
       !ttg::areLayoutsEquivalent(type.shape, tensor.type.layout, type.layout)))
    lowering.error(diagnostics::NotTrivial, layoutText(tensor.type.layout), layoutText(type.layout));
  return Tensor{lowering.create<ttg::ConvertLayoutOp>(result, tensor.value), type};
}

Value setAutoLayoutBuiltin(Lowering &lowering, CallArguments &arguments) {
  Tensor tensor = tensorArgument(lowering, arguments, "value");
  if (tensor.type.isScalar())
    lowering.error(arguments.range("value"), diagnostics::NotABlock, tensor.type.str());
  if (!mlir::isa_and_nonnull<ttg::AutoEncodingAttr>(tensor.type.layout))
    lowering.error(arguments.range("value"), diagnostics::NotAuto, tensor.type.str());
  return setAutoLayout(lowering, tensor, layoutArgument(lowering, arguments, tensor.type.shape));
}

/// The type that `shape`, `dtype` and `layout` describe, where they are given; else that of `input`.
static TensorType typeLike(Lowering &lowering, CallArguments &arguments) {
  TensorType type = tensorArgument(lowering, arguments, "input").type;
  if (!arguments["shape"].isNone())
    type.shape = shapeArgument(lowering, arguments, "shape");
  if (!arguments["dtype"].isNone())
    type.element = elementTypeArgument(lowering, arguments, "dtype");
  if (!arguments["layout"].isNone())
    type.layout = layoutArgument(lowering, arguments, type.shape);
  return type;
}

static Value zerosOf(Lowering &lowering, const TensorType &type) {
  return constantTensor(lowering, Number(llvm::APSInt::get(0)), type);
}

Value zeros(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<int64_t, 4> shape = shapeArgument(lowering, arguments, "shape");
  return zerosOf(lowering, TensorType(elementTypeArgument(lowering, arguments, "dtype"), shape,
                                      layoutArgument(lowering, arguments, shape)));
}

Value zerosLike(Lowering &lowering, CallArguments &arguments) {
  return zerosOf(lowering, typeLike(lowering, arguments));
}

Value fullLike(Lowering &lowering, CallArguments &arguments) {
  TensorType type = typeLike(lowering, arguments);
  return broadcastTo(lowering, convertTo(lowering, arguments["value"], type.element), type);
}

Value gluonWarpCount(Lowering &lowering, CallArguments &) { return Value::integer(lowering.numWarps); }

Value gluonBlockCount(Lowering &lowering, CallArguments &) { return Value::integer(lowering.options.numCtas); }

Value linearLayout(Lowering &lowering, CallArguments &arguments) {
  SourceRange range = arguments.range("layout");
  mlir::Attribute layout = encodingOf(lowering, arguments["layout"], range);
  if (ttg::isPlaceholder(layout))
    return arguments["layout"];
  if (ttg::isTensorMemoryEncoding(layout))
    lowering.error(range, diagnostics::NotALayout, std::string("a layout over threads or of shared memory"),
                   layoutText(layout));
  llvm::SmallVector<int64_t, 4> shape = shapeArgument(lowering, arguments, "shape");
  if (int64_t rank = ttg::getEncodingRank(layout); rank != int64_t(shape.size()))
    lowering.error(range, diagnostics::LayoutRank, layoutText(layout), rank, int64_t(shape.size()));
  auto shared = mlir::dyn_cast<ttg::SharedEncodingInterface>(layout);
  if (!shared)
    return Value(
        layoutObject(lowering, ttg::LinearEncodingAttr::get(&lowering.context, ttg::toLinearLayout(shape, layout))));
  if (!shared.getPaddings().empty() || !shared.getBlockBases().empty())
    lowering.error(range, diagnostics::NotALayout, std::string("a layout without paddings and clusters"),
                   layoutText(layout));
  constexpr unsigned alignment = 16;
  return Value(layoutObject(
      lowering, ttg::SharedLinearEncodingAttr::get(&lowering.context, ttg::toLinearLayout(shape, layout), alignment)));
}

Value barrier(Lowering &lowering, CallArguments &arguments) {
  if (booleanArgument(lowering, arguments, "cluster") && lowering.options.numCtas > 1) {
    lowering.create<ttg::ClusterBarrierOp>();
    return Value();
  }
  // The user knows what it orders: it stays where accesses of buffers do not need it.
  lowering.create<ttg::BarrierOp>(/*allWarps=*/false, /*stays=*/true);
  return Value();
}

} // namespace triton::frontend::builtin
