// What Gluon has for NVIDIA's GPUs from compute capability 9.0 on: barriers in shared memory, and products of groups of
// warps.
#include "frontend/lowering/builtins/Buffers.h"
#include "frontend/lowering/builtins/Memory.h"
#include "frontend/lowering/builtins/Units.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::frontend::builtin {
namespace {

void requireHopper(Lowering &lowering, CallArguments &arguments) {
  frontend::requireHopper(lowering, arguments.callRange, arguments.builtin.displayName());
}

/// The argument `pred`: null when it is true, a constant or an i1.
mlir::Value predicateArgument(Lowering &lowering, CallArguments &arguments) {
  mlir::Value condition = conditionArgument(lowering, arguments, "pred");
  return mlir::matchPattern(condition, mlir::m_One()) ? mlir::Value() : condition;
}

/// The argument `from_cta`, a mask of the numbers of blocks that arrive at barriers; null where each does at its own.
mlir::IntegerAttr fromBlocksArgument(Lowering &lowering, CallArguments &arguments) {
  if (arguments["from_cta"].isNone())
    return {};
  int64_t mask = integerArgument(lowering, arguments, "from_cta"), all = lowering.options.numCtas - 1;
  if (mask < 0 || mask > all)
    lowering.error(arguments.range("from_cta"), diagnostics::OtherBlock, arguments.builtin.displayName(), mask, all);
  return mask == all ? mlir::IntegerAttr() : lowering.builder.getI32IntegerAttr(int32_t(mask));
}

/// The layout of one barrier for each block of the program, or with `ofPairs` for each pair of blocks.
mlir::Attribute barrierLayout(Lowering &lowering, bool ofPairs) {
  llvm::SmallVector<int32_t> bases;
  int blocks = lowering.options.numCtas;
  if (ofPairs && blocks > 1)
    bases.push_back(0);
  for (int32_t part = 1; part < blocks / (ofPairs ? 2 : 1); part *= 2)
    bases.push_back(part);
  return ttg::SwizzledSharedEncodingAttr::get(&lowering.context, 1, 1, 1, llvm::ArrayRef<unsigned>{0}, bases);
}

/// Runs `body` where the condition, which may be null, is true.
void createIf(Lowering &lowering, mlir::Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = lowering.create<mlir::scf::IfOp>(condition, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

} // namespace

void meet(Lowering &lowering) { lowering.create<ttg::BarrierOp>(/*allWarps=*/false, /*stays=*/true); }

mlir::Value barrierArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  requireHopper(lowering, arguments);
  return barrierValue(lowering, arguments[name], arguments.range(name));
}

mlir::Value barrierValue(Lowering &lowering, const Value &value, SourceRange range) {
  const SharedBuffer *buffer = value.buffer();
  bool isOne = buffer && buffer->type.element == ElementType{ScalarType::Int64} && buffer->type.rank() == 1;
  if (isOne)
    isOne = buffer->type.shape[0] == 1 ||
            (buffer->type.shape[0] <= lowering.options.numCtas &&
             llvm::is_contained({barrierLayout(lowering, false), barrierLayout(lowering, true)}, buffer->type.layout));
  if (!isOne)
    lowering.error(range, diagnostics::NotABarrier, value.describe());
  return buffer->value;
}

mlir::Value conditionArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  return conditionValue(lowering, arguments, name, arguments[name]);
}

mlir::Value conditionValue(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const Value &value) {
  RangeScope scope(lowering, arguments.range(name));
  Tensor condition = toTensor(lowering, value);
  if (!condition.type.isScalar() || condition.type.element.isPointer())
    lowering.error(arguments.range(name), diagnostics::ArgumentKind, arguments.builtin.displayName(), name.str(),
                   std::string("one truth value for all threads"), condition.type.str());
  return cast(lowering, condition, ElementType{ScalarType::Int1}).value;
}

Value allocateBarriers(Lowering &lowering, CallArguments &arguments) {
  requireHopper(lowering, arguments);
  bool ofPairs = booleanArgument(lowering, arguments, "two_ctas");
  int64_t blocks = lowering.options.numCtas;
  if (ofPairs && blocks == 1)
    lowering.error(arguments.range("two_ctas"), diagnostics::NoOtherBlocks,
                   "`two_ctas` of `" + arguments.builtin.displayName() + "`");
  llvm::SmallVector<int64_t, 4> shape{blocks / (ofPairs ? 2 : 1)};
  if (!arguments["batch"].isNone())
    shape.insert(shape.begin(), countArgument(lowering, arguments, "batch", "cannot make {0} barriers", 1));
  mlir::Attribute layout = barrierLayout(lowering, ofPairs);
  auto type = ttg::MemDescType::get(&lowering.context, shape, lowering.builder.getI64Type(), layout,
                                    ttg::SharedMemorySpaceAttr::get(&lowering.context), true);
  return SharedBuffer{lowering.create<ttg::LocalAllocOp>(type, mlir::Value()),
                      TensorType(ElementType{ScalarType::Int64}, shape, layout)};
}

Value initBarrier(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = barrierArgument(lowering, arguments);
  int64_t count =
      countArgument(lowering, arguments, "count", "cannot make a barrier at which {0} arrive", 1, mostOfBarrier);
  lowering.create<ttg::InitBarrierOp>(barrier, uint32_t(count), /*manual=*/true);
  meet(lowering);
  return Value();
}

Value invalidateBarrier(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = barrierArgument(lowering, arguments);
  meet(lowering);
  lowering.create<ttg::InvalidateBarrierOp>(barrier);
  return Value();
}

mlir::Value awaitedPhase(Lowering &lowering, CallArguments &arguments) {
  Tensor phase = tensorArgument(lowering, arguments, "phase");
  if (!phase.type.isScalar() || phase.type.element.isPointer() || !isInteger(phase.type.element.scalar))
    lowering.error(arguments.range("phase"), diagnostics::IntegerScalar, std::string("the phase of a barrier"),
                   phase.type.str());
  if (auto number = arguments["phase"].asInt64(); number && (*number < 0 || *number > 1))
    lowering.error(arguments.range("phase"), diagnostics::CountRange, arguments.builtin.displayName(),
                   llvm::formatv("waits for the end of an even phase, 0, or an odd one, 1, not {0}", *number).str(),
                   std::string("phase"), 0, 1);
  return cast(lowering, phase, ElementType{ScalarType::Int32}).value;
}

Value waitBarrier(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = barrierArgument(lowering, arguments), phase = awaitedPhase(lowering, arguments);
  createIf(lowering, predicateArgument(lowering, arguments),
           [&] { lowering.create<ttg::WaitBarrierOp>(barrier, phase); });
  for (const Value &kept : valuesArgument(arguments, "deps")) {
    const SharedBuffer *buffer = kept.buffer();
    if (!buffer)
      lowering.error(arguments.range("deps"), diagnostics::NotABuffer, kept.describe());
    if (!buffer->isInTensorMemory()) // whose buffers live as long as the program
      lowering.create<ttg::LocalDeallocOp>(buffer->value);
  }
  return Value();
}

Value arriveBarrier(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = barrierArgument(lowering, arguments);
  mlir::IntegerAttr fromBlocks = fromBlocksArgument(lowering, arguments);
  bool isCounted = arguments.builtin.name == "nvidia.hopper.mbarrier.arrive";
  int64_t count =
      isCounted ? countArgument(lowering, arguments, "count", "cannot arrive {0} times", 1, mostOfBarrier) : 1;
  meet(lowering); // One thread arrives for all.
  lowering.create<ttg::ArriveBarrierOp>(barrier, predicateArgument(lowering, arguments), mlir::ValueRange(),
                                        /*allBlocks=*/false, lowering.builder.getI32IntegerAttr(int32_t(count)),
                                        fromBlocks);
  return Value();
}

Value arriveAfterCopies(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = barrierArgument(lowering, arguments);
  bool isCounted = !booleanArgument(lowering, arguments, "increment_count");
  lowering.create<ttg::ArriveAfterCopiesOp>(barrier, isCounted);
  return Value();
}

Value expectBytes(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = barrierArgument(lowering, arguments);
  mlir::IntegerAttr fromBlocks = fromBlocksArgument(lowering, arguments);
  int64_t bytes = countArgument(lowering, arguments, "bytes_per_cta", "cannot announce {0} bytes", 0, mostOfBarrier);
  createIf(lowering, predicateArgument(lowering, arguments),
           [&] { lowering.create<ttg::ExpectBytesOp>(barrier, uint32_t(bytes), /*byFirst=*/true, fromBlocks); });
  return Value();
}

Value fenceAsyncShared(Lowering &lowering, CallArguments &arguments) {
  requireHopper(lowering, arguments);
  bool ofCluster = booleanArgument(lowering, arguments, "cluster") && lowering.options.numCtas > 1;
  lowering.create<ttg::FenceAsyncSharedOp>(ofCluster);
  return Value();
}

Value clusterBarrier(Lowering &lowering, CallArguments &arguments) {
  frontend::requireHopper(lowering, arguments.callRange, "ttgl.nvidia.hopper.cluster.barrier");
  if (lowering.options.numCtas == 1)
    meet(lowering);
  else
    lowering.create<ttg::ClusterBarrierOp>(booleanArgument(lowering, arguments, "relaxed"));
  return Value();
}

Value storeToBlocks(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = barrierArgument(lowering, arguments);
  if (lowering.options.numCtas == 1)
    lowering.error(arguments.callRange, diagnostics::NoOtherBlocks, "`" + arguments.builtin.displayName() + "`");
  const SharedBuffer *buffer = arguments["dst"].buffer();
  if (!buffer || buffer->isInTensorMemory())
    lowering.error(arguments.range("dst"), diagnostics::NotABuffer, arguments["dst"].describe());
  mlir::Value contents = contentsArgument(lowering, arguments, buffer->type).value;
  verified(
      lowering, arguments,
      lowering.create<ttg::AsyncRemoteStoreOp>(contents, buffer->value, barrier, mlir::TypeAttr(), mlir::TypeAttr()));
  return Value();
}

namespace {

[[noreturn]] void refuseProduct(Lowering &lowering, CallArguments &arguments, llvm::StringRef name,
                                const std::string &reason) {
  lowering.error(arguments.range(name), diagnostics::GroupProduct, arguments.builtin.displayName(), reason);
}

/// Of elements without 16 bits, the unit reads those that one sum adds side by side. Threads read a transposed `a`
/// of 32.
void checkDirection(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const TensorType &type) {
  unsigned bits = bitWidth(type.element.scalar);
  bool isTransposed = mlir::cast<ttg::NvmmaSharedEncodingAttr>(type.layout).getTransposed();
  if (bits == 16 || isTransposed == (name == "b") || (name == "a" && bits == 32))
    return;
  bool isLeft = name == "a";
  refuseProduct(lowering, arguments, name,
                llvm::formatv("of elements of {0} bits the unit needs neighbours along K, and {1} has neighbours along "
                              "{2}; keep a matrix of {3} in memory and pass {4}",
                              bits, type.str(), isLeft ? "M" : "N",
                              isLeft ? "M rows of K elements" : "N rows of K elements",
                              isLeft ? "its buffer" : "`buffer.permute((1, 0))`")
                    .str());
}

/// A factor: a buffer, or for `a` a block as well. `type` is set to that of its elements.
mlir::Value factorArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const TensorType &acc,
                           TensorType &type) {
  if (const SharedBuffer *buffer = arguments[name].buffer()) {
    type = buffer->type;
    if (!mlir::isa<ttg::NvmmaSharedEncodingAttr>(type.layout) || type.rank() != 2 ||
        mlir::cast<ttg::MemDescType>(buffer->value.getType()).isPart())
      refuseProduct(lowering, arguments, name,
                    "the unit reads whole matrices with an `NVMMASharedLayout`, not " + type.str());
    checkDirection(lowering, arguments, name, type);
    return buffer->value;
  }
  const Tensor *tensor = arguments[name].tensor();
  if (!tensor || name != "a")
    refuseProduct(lowering, arguments, name,
                  "`" + name.str() + "` must be a buffer in shared memory, not " + arguments[name].describe());
  type = tensor->type;
  auto layout = mlir::dyn_cast_or_null<ttg::DotOperandEncodingAttr>(type.layout);
  if (!layout || layout.getOpIdx() != 0 || layout.getParent() != acc.layout ||
      layout.getKWidth() * bitWidth(type.element.scalar) != 32)
    refuseProduct(
        lowering, arguments, name,
        "a block `a` must have the layout `DotOperandLayout(0, layout of acc, 32 / bits of an element)`, not " +
            type.str());
  return tensor->value;
}

void checkProduct(Lowering &lowering, CallArguments &arguments, const TensorType &left, const TensorType &right,
                  const TensorType &acc) {
  if (left.rank() != 2 || right.rank() != 2 || acc.rank() != 2 || left.shape[1] != right.shape[0] ||
      acc.shape[0] != left.shape[0] || acc.shape[1] != right.shape[1])
    refuseProduct(lowering, arguments, "acc",
                  "the shapes of " + left.str() + ", " + right.str() + " and " + acc.str() + " do not fit together");
  auto unit = mlir::cast<ttg::NvidiaMmaEncodingAttr>(acc.layout);
  int64_t rows = 16 * int64_t(unit.getWarpsPerCTA()[0]), columns = unit.getInstrShape()[1],
          depth = 256 / bitWidth(left.element.scalar);
  if (acc.shape[0] % rows != 0 || acc.shape[1] % columns != 0 || left.shape[1] % depth != 0)
    refuseProduct(lowering, arguments, "acc",
                  llvm::formatv("{0} rows and {1} columns of {2} are multiples of {3} and {4}, those of the warps' "
                                "instructions, and the {5} columns of `a` one of {6}",
                                acc.shape[0], acc.shape[1], acc.str(), rows, columns, left.shape[1], depth)
                      .str());
  if (unit.getInstrShape()[2] != depth)
    refuseProduct(
        lowering, arguments, "acc",
        llvm::formatv("an instruction adds {0} products of {1}, and the layout of `acc`, {2}, has the depth {3}", depth,
                      left.str(), layoutText(acc.layout), unit.getInstrShape()[2])
            .str());
  ScalarType operand = left.element.scalar, result = acc.element.scalar;
  bool isByte = operand == ScalarType::Int8 || operand == ScalarType::UInt8;
  bool fits = isByte
                  ? result == ScalarType::Int32
                  : result == ScalarType::Float32 || (operand == ScalarType::Float16 && result == ScalarType::Float16);
  if (left.element != right.element || left.element.isPointer() || !fits)
    refuseProduct(lowering, arguments, "acc",
                  "the unit does not multiply " + left.str() + " and " + right.str() + " to " + acc.str());
}

/// The unit rounds float32 to TF32, and has one way to read each other type.
tt::InputPrecision productPrecision(Lowering &lowering, CallArguments &arguments, const TensorType &factor) {
  bool isTf32 = factor.element.scalar == ScalarType::Float32;
  if (std::string name = stringArgument(lowering, arguments, "precision"); !name.empty() && !(isTf32 && name == "tf32"))
    refuseProduct(lowering, arguments, "precision",
                  "the unit has " + std::string(isTf32 ? "only the `precision` \"tf32\"" : "no `precision`") + " for " +
                      factor.str() + ", not \"" + name + "\"");
  return isTf32 ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE;
}

} // namespace

Value warpGroupProduct(Lowering &lowering, CallArguments &arguments) {
  requireHopper(lowering, arguments);
  Tensor acc = tensorArgument(lowering, arguments, "acc");
  auto matrix = mlir::dyn_cast_or_null<ttg::NvidiaMmaEncodingAttr>(acc.type.layout);
  if (!matrix || matrix.getVersionMajor() != 3)
    refuseProduct(lowering, arguments, "acc",
                  "`acc` must have an `NVMMADistributedLayout` of version [3, 0], not " + acc.type.str());
  TensorType leftType, rightType;
  mlir::Value left = factorArgument(lowering, arguments, "a", acc.type, leftType),
              right = factorArgument(lowering, arguments, "b", acc.type, rightType);
  checkProduct(lowering, arguments, leftType, rightType, acc.type);
  mlir::Value usesAcc = conditionArgument(lowering, arguments, "use_acc"), start = acc.value, addsStart;
  if (mlir::matchPattern(usesAcc, mlir::m_Zero()))
    start = constantTensor(lowering, Number(llvm::APSInt::get(0)), acc.type).value;
  else if (!mlir::matchPattern(usesAcc, mlir::m_One()))
    addsStart = usesAcc;
  tt::InputPrecision precision = productPrecision(lowering, arguments, leftType);
  int64_t steps = arguments["max_num_imprecise_acc"].isNone()
                      ? 0
                      : countArgument(lowering, arguments, "max_num_imprecise_acc",
                                      "cannot add {0} products with less precision", 0);
  if (steps > leftType.shape[1])
    lowering.error(arguments.range("max_num_imprecise_acc"), diagnostics::ImpreciseSteps, steps, leftType.shape[1]);
  mlir::Value product =
      lowering.create<ttg::WarpGroupDotOp>(acc.value.getType(), left, right, start, addsStart, precision,
                                           uint32_t(steps), booleanArgument(lowering, arguments, "is_async"));
  return Tensor{product, acc.type};
}

//===----------------------------------------------------------------------===//
// Copies of blocks
//===----------------------------------------------------------------------===//

namespace {

/// The arguments that all copies have: the map of an array, the place of a block in it, and a buffer for the block.
struct Copy {
  const TensorDescriptor &descriptor;
  llvm::SmallVector<mlir::Value, 4> indices;
  mlir::Value buffer;
};

/// Whether the elements of a buffer lie as those of a block do, which may have more dimensions, of one element, in
/// front.
bool holdsBlock(const TensorType &buffer, const TensorType &block) {
  auto encoding = mlir::dyn_cast_or_null<ttg::NvmmaSharedEncodingAttr>(buffer.layout),
       wanted = mlir::dyn_cast_or_null<ttg::NvmmaSharedEncodingAttr>(block.layout);
  llvm::ArrayRef<int64_t> shape(block.shape);
  while (shape.size() > buffer.shape.size() && shape.front() == 1)
    shape = shape.drop_front();
  return encoding && wanted && llvm::ArrayRef(buffer.shape) == shape && buffer.element == block.element &&
         encoding.getSwizzlingByteWidth() == wanted.getSwizzlingByteWidth() && !encoding.getTransposed() &&
         encoding.getFp4Padded() == wanted.getFp4Padded() && encoding.getRank() == buffer.shape.size();
}

const TensorDescriptor &mappedArgument(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor *descriptor = arguments["tensor_desc"].descriptor();
  if (!descriptor || !descriptor->type.layout)
    lowering.error(arguments.range("tensor_desc"), diagnostics::NotADescriptor, arguments.builtin.displayName(),
                   arguments["tensor_desc"].describe());
  return *descriptor;
}

/// The buffer for blocks of this type.
mlir::Value copiedBuffer(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const TensorType &block) {
  const SharedBuffer *buffer = arguments[name].buffer();
  if (!buffer || !holdsBlock(buffer->type, block))
    lowering.error(arguments.range(name), diagnostics::CopiedBuffer, arguments.builtin.displayName(), block.str(),
                   buffer ? buffer->type.str() : arguments[name].describe());
  if (mlir::cast<ttg::MemDescType>(buffer->value.getType()).isPart())
    lowering.error(arguments.range(name), diagnostics::CopiedPart, arguments.builtin.displayName(), buffer->type.str());
  return buffer->value;
}

Copy copyArguments(Lowering &lowering, CallArguments &arguments, llvm::StringRef bufferName) {
  requireHopper(lowering, arguments);
  const TensorDescriptor &descriptor = mappedArgument(lowering, arguments);
  auto coordinates = scalarsArgument(lowering, arguments, "coord", ScalarType::Int32);
  checkRank(lowering, arguments, "coord", coordinates.size(), size_t(descriptor.type.rank()));
  return {descriptor, irValues(coordinates), copiedBuffer(lowering, arguments, bufferName, descriptor.type)};
}

/// The same for rows at numbers of their own: the index is that of the first column.
struct RowCopy : Copy {
  mlir::Value rows;
};

RowCopy rowCopyArguments(Lowering &lowering, CallArguments &arguments, llvm::StringRef bufferName) {
  requireTensorMemory(lowering, arguments.callRange, arguments.builtin.displayName());
  const TensorDescriptor &descriptor = mappedArgument(lowering, arguments);
  Tensor rows = tensorArgument(lowering, arguments, "x_offsets");
  TensorType blocks = descriptor.type;
  if (rows.type.element != ElementType{ScalarType::Int32} || rows.type.rank() != 1)
    lowering.error(arguments.range("x_offsets"), diagnostics::NumbersOfRows, arguments.builtin.displayName(),
                   rows.type.str());
  if (blocks.rank() != 2 || blocks.shape[0] != 1)
    lowering.error(arguments.range("tensor_desc"), diagnostics::BlocksOfRows, arguments.builtin.displayName(),
                   blocks.str());
  blocks.shape[0] = rows.type.shape[0];
  auto column = scalarsArgument(lowering, arguments, "y_offset", ScalarType::Int32);
  checkRank(lowering, arguments, "y_offset", column.size(), 1);
  return {{descriptor, irValues(column), copiedBuffer(lowering, arguments, bufferName, blocks)}, rows.value};
}

void refuseCachePolicy(Lowering &lowering, CallArguments &arguments) {
  if (!arguments["cache_policy"].isNone())
    lowering.error(arguments.range("cache_policy"), diagnostics::NoCachePolicy, arguments.builtin.displayName());
}

void startStore(Lowering &lowering, CallArguments &arguments, tt::DescriptorReduceKindAttr kind) {
  Copy copy = copyArguments(lowering, arguments, "src");
  lowering.create<ttg::AsyncMappedStoreOp>(copy.descriptor.value, copy.indices, copy.buffer, copy.descriptor.base,
                                           irValues(copy.descriptor.shape), irValues(copy.descriptor.strides), kind);
}

} // namespace

/// The attribute of copies to all blocks that have the same part of a buffer.
static mlir::IntegerAttr multicastArgument(Lowering &lowering, CallArguments &arguments) {
  bool goesToOthers = booleanArgument(lowering, arguments, "multicast") && lowering.options.numCtas > 1;
  return goesToOthers ? lowering.builder.getI32IntegerAttr(0) : mlir::IntegerAttr();
}

Value startBlockLoad(Lowering &lowering, CallArguments &arguments) {
  Copy copy = copyArguments(lowering, arguments, "result");
  mlir::Value barrier = barrierArgument(lowering, arguments, "barrier");
  refuseCachePolicy(lowering, arguments);
  createIf(lowering, predicateArgument(lowering, arguments), [&] {
    lowering.create<ttg::AsyncMappedLoadOp>(copy.descriptor.value, copy.indices, copy.buffer, barrier,
                                            /*allBlocks=*/false, /*byFirst=*/true, /*rows=*/mlir::Value(),
                                            multicastArgument(lowering, arguments));
  });
  return Value();
}

Value startRowLoad(Lowering &lowering, CallArguments &arguments) {
  RowCopy copy = rowCopyArguments(lowering, arguments, "result");
  mlir::Value barrier = barrierArgument(lowering, arguments, "barrier");
  refuseCachePolicy(lowering, arguments);
  createIf(lowering, predicateArgument(lowering, arguments), [&] {
    verified(lowering, arguments,
             lowering.create<ttg::AsyncMappedLoadOp>(copy.descriptor.value, copy.indices, copy.buffer, barrier,
                                                     /*allBlocks=*/false, /*byFirst=*/true, copy.rows,
                                                     multicastArgument(lowering, arguments)));
  });
  return Value();
}

Value startRowStore(Lowering &lowering, CallArguments &arguments) {
  RowCopy copy = rowCopyArguments(lowering, arguments, "src");
  refuseCachePolicy(lowering, arguments);
  verified(lowering, arguments,
           lowering.create<ttg::AsyncMappedStoreOp>(
               copy.descriptor.value, copy.indices, copy.buffer, copy.descriptor.base, irValues(copy.descriptor.shape),
               irValues(copy.descriptor.strides), tt::DescriptorReduceKindAttr(), copy.rows));
  return Value();
}

Value startBlockStore(Lowering &lowering, CallArguments &arguments) {
  refuseCachePolicy(lowering, arguments);
  if (const TensorDescriptor *descriptor = arguments["tensor_desc"].descriptor())
    if (auto encoding = mlir::dyn_cast_or_null<ttg::NvmmaSharedEncodingAttr>(descriptor->type.layout);
        encoding && encoding.getFp4Padded())
      lowering.error(arguments.range("tensor_desc"), diagnostics::PaddedStore, arguments.builtin.displayName());
  startStore(lowering, arguments, {});
  return Value();
}

Value startBlockReduction(Lowering &lowering, CallArguments &arguments) {
  llvm::StringRef name = llvm::StringRef(arguments.builtin.name).rsplit("async_").second;
  const DescriptorReduction &reduction = *findReduction(name);
  if (const TensorDescriptor *descriptor = arguments["tensor_desc"].descriptor())
    if (!llvm::is_contained(reduction.types, descriptor->type.element.scalar))
      lowering.error(arguments.range("tensor_desc"), diagnostics::AtomicType, arguments.builtin.displayName(),
                     TensorType(descriptor->type.element).str());
  startStore(lowering, arguments, tt::DescriptorReduceKindAttr::get(&lowering.context, reduction.kind));
  return Value();
}

Value waitForBlockStores(Lowering &lowering, CallArguments &arguments) {
  requireHopper(lowering, arguments);
  int64_t pendings = countArgument(lowering, arguments, "pendings", "cannot leave {0} groups of copies in flight", 0);
  lowering.create<ttg::AsyncStoreWaitOp>(mlir::ValueRange(), uint32_t(pendings),
                                         booleanArgument(lowering, arguments, "read_only"));
  return Value();
}

Value warpGroupInit(Lowering &lowering, CallArguments &arguments) {
  requireHopper(lowering, arguments);
  return tensorArgument(lowering, arguments, "value");
}

Value warpGroupWait(Lowering &lowering, CallArguments &arguments) {
  requireHopper(lowering, arguments);
  std::vector<Value> waited = arguments["deps"].isNone() ? std::vector<Value>() : valuesArgument(arguments, "deps");
  auto refuse = [&](const Value &value) {
    lowering.error(arguments.range("deps"), diagnostics::WaitedProducts, arguments.builtin.displayName(),
                   value.describe());
  };
  if (waited.empty())
    refuse(arguments["deps"]);
  llvm::SmallVector<mlir::Value> inputs;
  for (const Value &value : waited) {
    const Tensor *tensor = value.tensor();
    if (!tensor || tensor->type.isScalar())
      refuse(value);
    inputs.push_back(tensor->value);
  }
  int64_t pendings = countArgument(lowering, arguments, "num_outstanding", "cannot leave {0} products in flight", 0);
  auto wait = lowering.create<ttg::WarpGroupDotWaitOp>(mlir::ValueRange(inputs), unsigned(pendings));
  TupleValue results;
  for (auto [value, output] : llvm::zip_equal(waited, wait.getOutputs()))
    results.elements.push_back(Tensor{output, value.tensor()->type});
  return results.elements.size() == 1 ? results.elements.front() : Value(std::move(results));
}

} // namespace triton::frontend::builtin
