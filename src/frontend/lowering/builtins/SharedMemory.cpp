// Buffers in shared memory, in Gluon.
#include "frontend/lowering/builtins/Buffers.h"
#include "frontend/lowering/builtins/Memory.h"
#include "frontend/lowering/builtins/Units.h"
#include "gpu/ir/BufferViews.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend::builtin {
namespace {

/// The type in IR; of a part of a buffer with the shape of the whole. Reports at `range` a layout that is not one of
/// buffers, or not of such ones.
ttg::MemDescType bufferType(Lowering &lowering, const TensorType &type, SourceRange range,
                            llvm::ArrayRef<int64_t> whole = {}) {
  if (!mlir::isa<ttg::SharedEncodingInterface>(type.layout))
    lowering.error(range, diagnostics::NotALayout, std::string("a layout of shared memory"), layoutText(type.layout));
  if (!type.element.isPointer() && bitWidth(type.element.scalar) < 8)
    lowering.error(range, diagnostics::BufferElement, type.element.str());
  if (llvm::any_of(type.shape, [](int64_t extent) { return extent < 1; }))
    lowering.error(range, diagnostics::WrongBuffer, type.str(), std::string("its extents must be positive"));
  if (int64_t rank = ttg::getEncodingRank(type.layout); type.rank() != rank && type.rank() != rank + 1)
    lowering.error(range, diagnostics::WrongBuffer, type.str(),
                   llvm::formatv("the layout is for {0} dimensions, before which one may count buffers", rank).str());
  return verifiedType(lowering, type, ttg::SharedMemorySpaceAttr::get(&lowering.context), whole, range);
}

const SharedBuffer &bufferArgument(CallArguments &arguments) { return *arguments["buffer"].buffer(); }

} // namespace

Value allocateSharedMemory(Lowering &lowering, CallArguments &arguments) {
  SourceRange range = arguments.range("layout");
  TensorType type(elementTypeArgument(lowering, arguments, "element_ty"),
                  integersArgument(lowering, arguments, "shape"), encodingOf(lowering, arguments["layout"], range));
  mlir::Type result = bufferType(lowering, type, range);
  mlir::Value contents;
  if (!arguments["value"].isNone())
    contents = contentsArgument(lowering, arguments, type).value;
  return SharedBuffer{lowering.create<ttg::LocalAllocOp>(result, contents), type};
}

static Value loadFrom(Lowering &lowering, CallArguments &arguments, const SharedBuffer &buffer) {
  TensorType type = buffer.type;
  type.layout = layoutArgument(lowering, arguments, type.shape);
  return Tensor{lowering.create<ttg::LocalLoadOp>(lowering.irType(type), buffer.value, mlir::Value()), type};
}

Value loadBuffer(Lowering &lowering, CallArguments &arguments) {
  return loadFrom(lowering, arguments, bufferArgument(arguments));
}

Value storeBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  lowering.create<ttg::LocalStoreOp>(contentsArgument(lowering, arguments, buffer.type).value, buffer.value);
  return Value();
}

mlir::Value bufferNumber(Lowering &lowering, CallArguments &arguments, const TensorType &buffers) {
  Tensor index = tensorArgument(lowering, arguments, "index");
  if (!index.type.isScalar() || index.type.element.isPointer() || !isInteger(index.type.element.scalar))
    lowering.error(arguments.range("index"), diagnostics::IntegerScalar, std::string("the number of a buffer"),
                   index.type.str());
  llvm::APInt constant;
  if (mlir::matchPattern(index.value, mlir::m_ConstantInt(&constant))) {
    llvm::APSInt number(constant, isUnsigned(index.type.element.scalar));
    if (number < 0 || number >= buffers.shape.front())
      lowering.error(arguments.range("index"), diagnostics::CountRange, arguments.builtin.displayName(),
                     llvm::formatv("is for buffer number {0} of {1}", llvm::toString(number, 10), buffers.str()).str(),
                     std::string("index"), int64_t(0), buffers.shape.front() - 1);
  }
  return cast(lowering, index, ElementType{ScalarType::Int32}).value;
}

Value indexBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  if (buffer.type.rank() == int64_t(ttg::getEncodingRank(buffer.type.layout)))
    lowering.error(diagnostics::SingleBuffer, buffer.type.str());
  mlir::Value index = bufferNumber(lowering, arguments, buffer.type);
  TensorType type = buffer.type;
  type.shape.erase(type.shape.begin());
  mlir::Type view = bufferType(lowering, type, arguments.callRange);
  auto op = lowering.create<ttg::MemDescIndexOp>(view, buffer.value, index);
  return SharedBuffer{verified(lowering, arguments, op), type};
}

Value permuteBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  llvm::SmallVector<int64_t, 4> order = integersArgument(lowering, arguments, "order"), sorted = order;
  llvm::sort(sorted);
  auto shared = mlir::cast<ttg::SharedEncodingInterface>(buffer.type.layout);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, buffer.type.rank())) || shared.getRank() != order.size())
    lowering.error(arguments.range("order"), diagnostics::NotAPermutation, arguments.builtin.displayName(),
                   int64_t(shared.getRank()));
  llvm::SmallVector<int32_t> order32(order.begin(), order.end());
  TensorType type = buffer.type;
  llvm::SmallVector<int64_t, 4> whole;
  for (auto [dimension, from] : llvm::enumerate(order)) {
    type.shape[dimension] = buffer.type.shape[from];
    whole.push_back(typeOf(buffer).getAllocShape()[from]);
  }
  type.layout = ttg::getPermutedEncoding(typeOf(buffer), order32);
  if (!type.layout)
    lowering.error(arguments.callRange, diagnostics::WrongView, arguments.builtin.displayName(),
                   "has no layout for the permuted part of " + buffer.type.str());
  mlir::Type view = bufferType(lowering, type, arguments.callRange, whole);
  return SharedBuffer{lowering.create<ttg::MemDescTransOp>(view, buffer.value, order32), type};
}

Value sliceBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  int64_t dimension = axisArgument(lowering, arguments, "dim", buffer.type.rank());
  llvm::SmallVector<int32_t> offsets(buffer.type.rank());
  constexpr int64_t least = -1, most = std::numeric_limits<int32_t>::max(); // Both are outside of any buffer.
  offsets[dimension] = int32_t(std::clamp(integerArgument(lowering, arguments, "start"), least, most));
  TensorType type = buffer.type;
  type.shape[dimension] = integerArgument(lowering, arguments, "length");
  mlir::Type view = bufferType(lowering, type, arguments.callRange, typeOf(buffer).getAllocShape());
  auto op = lowering.create<ttg::MemDescSubsliceOp>(view, buffer.value, offsets);
  return SharedBuffer{verified(lowering, arguments, op), type};
}

Value reshapeBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  TensorType type = buffer.type;
  type.shape = shapeArgument(lowering, arguments, "shape");
  if (type.elementCount() != buffer.type.elementCount())
    lowering.error(arguments.range("shape"), diagnostics::WrongView, arguments.builtin.displayName(),
                   llvm::formatv("gives the {0} elements of {1} a shape of {2}", buffer.type.elementCount(),
                                 buffer.type.str(), type.elementCount())
                       .str());
  if (typeOf(buffer).isPart())
    lowering.error(arguments.callRange, diagnostics::WrongView, arguments.builtin.displayName(),
                   "takes whole buffers, not a part of one: " + buffer.type.str());
  type.layout = ttg::getReshapedEncoding(typeOf(buffer), type.shape);
  mlir::Type view = bufferType(lowering, type, arguments.callRange);
  auto op = lowering.create<ttg::MemDescReshapeOp>(view, buffer.value);
  return SharedBuffer{verified(lowering, arguments, op), type};
}

Value reinterpretBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  TensorType type = reinterpretedType(lowering, arguments, buffer.type);
  mlir::Type view = bufferType(lowering, type, arguments.callRange);
  auto op = lowering.create<ttg::MemDescReinterpretOp>(view, buffer.value);
  return SharedBuffer{verified(lowering, arguments, op), type};
}

static Tensor indicesArgument(Lowering &lowering, CallArguments &arguments, const SharedBuffer &buffer) {
  Tensor indices = tensorArgument(lowering, arguments, "indices");
  bool isOfIntegers = !indices.type.element.isPointer() && isInteger(indices.type.element.scalar);
  if (!isOfIntegers || indices.type.rank() != buffer.type.rank())
    lowering.error(arguments.range("indices"), diagnostics::BufferIndices, arguments.builtin.displayName(),
                   indices.type.str());
  return indices;
}

Value gatherBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  Tensor indices = indicesArgument(lowering, arguments, buffer);
  auto axis = uint32_t(axisArgument(lowering, arguments, "axis", buffer.type.rank()));
  TensorType type = indices.type.withElement(buffer.type.element);
  auto op = lowering.create<ttg::LocalGatherOp>(lowering.irType(type), buffer.value, indices.value, axis);
  return Tensor{verified(lowering, arguments, op), type};
}

Value scatterBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  auto axis = uint32_t(axisArgument(lowering, arguments, "axis", buffer.type.rank()));
  auto [values, indices] =
      broadcast(lowering, tensorArgument(lowering, arguments, "values"), indicesArgument(lowering, arguments, buffer));
  if (values.type.element != buffer.type.element)
    lowering.error(arguments.range("values"), diagnostics::BufferContents, values.type.str(), buffer.type.str());
  verified(lowering, arguments, lowering.create<ttg::LocalScatterOp>(buffer.value, indices.value, values.value, axis));
  return Value();
}

/// What is done to elements of this type, such as `add`; reports types that it does not take.
static tt::RMWOp bufferOperation(Lowering &lowering, CallArguments &arguments, const ElementType &element) {
  struct Operation {
    llvm::StringLiteral name;
    tt::RMWOp ofSigned, ofUnsigned;
    std::optional<tt::RMWOp> ofFloats;
  };
  static constexpr Operation operations[] = {{"add", tt::RMWOp::Add, tt::RMWOp::Add, tt::RMWOp::FAdd},
                                             {"max", tt::RMWOp::Max, tt::RMWOp::UMax, {}},
                                             {"min", tt::RMWOp::Min, tt::RMWOp::UMin, {}},
                                             {"and", tt::RMWOp::And, tt::RMWOp::And, {}},
                                             {"or", tt::RMWOp::Or, tt::RMWOp::Or, {}},
                                             {"xor", tt::RMWOp::Xor, tt::RMWOp::Xor, {}},
                                             {"xchg", tt::RMWOp::Exchange, tt::RMWOp::Exchange, tt::RMWOp::Exchange}};
  llvm::StringRef name = llvm::StringRef(arguments.builtin.name).rsplit('_').second;
  const Operation &operation = *llvm::find_if(operations, [&](const Operation &each) { return each.name == name; });
  if (!element.isPointer() && isFloat(element.scalar) && bitWidth(element.scalar) >= 16 && operation.ofFloats)
    return *operation.ofFloats;
  if (element.isPointer() || !isInteger(element.scalar) || bitWidth(element.scalar) < 32)
    lowering.error(arguments.callRange, diagnostics::AtomicType, arguments.builtin.displayName(),
                   TensorType(element).str());
  return isUnsigned(element.scalar) ? operation.ofUnsigned : operation.ofSigned;
}

Value atomicScatterBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  tt::RMWOp operation = bufferOperation(lowering, arguments, buffer.type.element);
  auto axis = uint32_t(axisArgument(lowering, arguments, "axis", buffer.type.rank()));
  Tensor indices = indicesArgument(lowering, arguments, buffer), values;
  {
    RangeScope scope(lowering, arguments.range("values"));
    values = convertTo(lowering, arguments["values"], buffer.type.element);
  }
  mlir::Value mask = broadcastMask(lowering, arguments, indices, "values", values);
  auto op = lowering.create<ttg::LocalAtomicScatterRMWOp>(values.value.getType(), operation, buffer.value,
                                                          indices.value, values.value, mask, axis);
  return Tensor{verified(lowering, arguments, op), values.type};
}

/// Starts to copy what `pointer`, the argument of this name, points to; `other` where the mask is false, or zeros.
static Value startCopy(Lowering &lowering, CallArguments &arguments, const SharedBuffer &buffer, Tensor pointer,
                       llvm::StringRef pointerName, tt::EvictionPolicy eviction, const Value &other = Value()) {
  mlir::Value mask, otherwise;
  if (!arguments["mask"].isNone()) {
    RangeScope scope(lowering, arguments.range("mask"));
    Tensor given = tensorArgument(lowering, arguments, "mask");
    if (given.type.element != ElementType{ScalarType::Int1})
      lowering.error(diagnostics::MaskType, arguments.builtin.displayName(), given.type.str());
    TensorType block = commonType(lowering, pointer.type, given.type);
    pointer = broadcastWithRank(lowering, pointer, block);
    mask = broadcastWithRank(lowering, given, block).value;
  }
  if (pointer.type.shape != buffer.type.shape || !pointer.type.element.isPointer() ||
      pointer.type.element.pointee() != buffer.type.element)
    lowering.error(arguments.range(pointerName), diagnostics::CopyShape, pointer.type.str(), buffer.type.str());
  if (!other.isNone())
    otherwise = broadcastTo(lowering, convertTo(lowering, other, buffer.type.element),
                            pointer.type.withElement(buffer.type.element))
                    .value;
  lowering.create<ttg::AsyncCopyGlobalToLocalOp>(pointer.value, buffer.value, mask, otherwise,
                                                 cacheModifier(lowering, arguments, /*isStore=*/false), eviction);
  return Value();
}

static const SharedBuffer &bufferArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  const SharedBuffer *buffer = arguments[name].buffer();
  if (!buffer || buffer->isInTensorMemory())
    lowering.error(arguments.range(name), diagnostics::NotABuffer, arguments[name].describe());
  return *buffer;
}

Value asyncLoad(Lowering &lowering, CallArguments &arguments) {
  requireVendor(lowering, arguments, nvidia);
  applyCachePolicy(lowering, arguments);
  const SharedBuffer &buffer = bufferArgument(lowering, arguments, "smem");
  return startCopy(lowering, arguments, buffer, tensorArgument(lowering, arguments, "pointer"), "pointer",
                   evictionPolicy(lowering, arguments));
}

/// A copy by one of AMD's GPUs.
static Value startAmdCopy(Lowering &lowering, CallArguments &arguments, llvm::StringRef bufferName,
                          const Tensor &pointer, llvm::StringRef pointerName) {
  requireVendor(lowering, arguments, amd);
  if (!arguments["other"].isNone() && arguments["mask"].isNone())
    lowering.error(arguments.range("other"), diagnostics::OtherWithoutMask, arguments.builtin.displayName());
  return startCopy(lowering, arguments, bufferArgument(lowering, arguments, bufferName), pointer, pointerName,
                   tt::EvictionPolicy::Normal, arguments["other"]);
}

Value globalLoadToShared(Lowering &lowering, CallArguments &arguments) {
  return startAmdCopy(lowering, arguments, "dest", tensorArgument(lowering, arguments, "ptr"), "ptr");
}

Value globalToShared(Lowering &lowering, CallArguments &arguments) {
  return startAmdCopy(lowering, arguments, "smem", tensorArgument(lowering, arguments, "pointer"), "pointer");
}

Value bufferLoadToShared(Lowering &lowering, CallArguments &arguments) {
  Tensor pointer = bufferPointers(lowering, arguments, /*forWriting=*/false);
  return startAmdCopy(lowering, arguments, "dest", pointer, "ptr");
}

Value loadRelaxed(Lowering &lowering, CallArguments &arguments) {
  requireVendor(lowering, arguments, amd);
  return loadFrom(lowering, arguments, bufferArgument(lowering, arguments, "smem"));
}

/// The vendor whose module has the function.
static llvm::StringRef vendorOfCopies(const Builtin &builtin) {
  return llvm::StringRef(builtin.name).starts_with("amd.") ? amd : nvidia;
}

Value commitCopies(Lowering &lowering, CallArguments &arguments) {
  requireVendor(lowering, arguments, vendorOfCopies(arguments.builtin));
  lowering.create<ttg::AsyncCommitGroupOp>(mlir::ValueRange());
  return Value();
}

Value waitForCopies(Lowering &lowering, CallArguments &arguments) {
  requireVendor(lowering, arguments, vendorOfCopies(arguments.builtin));
  int64_t groups =
      countArgument(lowering, arguments, "num_outstanding", "cannot leave {0} groups of copies in flight", 0);
  lowering.create<ttg::AsyncWaitOp>(mlir::ValueRange(), uint32_t(groups));
  return Value();
}

Value keepBuffer(Lowering &lowering, CallArguments &arguments) {
  lowering.create<ttg::LocalDeallocOp>(bufferArgument(arguments).value);
  return Value();
}

} // namespace triton::frontend::builtin
