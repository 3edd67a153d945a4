// Code that kernels bring along: assembly and scalar code. Both run for groups of elements that are neighbours in
// row-major order.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

namespace {
/// Operands and results of an operation in memory, in row-major order, and the number of a group's first element.
struct ElementGroups {
  SmallVector<Buffer> operands, results;
  Value first;
};
} // namespace

static Value elementAddress(Lowering &lowering, Location loc, const Buffer &buffer, Value first, int64_t offset) {
  LaneEmitter &lanes = lowering.lanes;
  Value address = lanes.offsetPointer(loc, buffer.base, first, buffer.elementType);
  return lanes.offsetPointer(loc, address, offset, buffer.elementType);
}

static Value loadElement(Lowering &lowering, Location loc, const Buffer &buffer, Value first, int64_t offset) {
  LaneEmitter &lanes = lowering.lanes;
  Lanes address = Lanes::uniform(elementAddress(lowering, loc, buffer, first, offset));
  Lanes all = Lanes::uniform(lanes.constantInt(loc, lowering.b.getI1Type(), 1));
  return lanes.load(loc, address, all, nullptr, buffer.elementType, 1).value;
}

static void storeElement(Lowering &lowering, Location loc, const Buffer &buffer, Value first, int64_t offset,
                         Value value) {
  LaneEmitter &lanes = lowering.lanes;
  Lanes address = Lanes::uniform(elementAddress(lowering, loc, buffer, first, offset));
  Lanes all = Lanes::uniform(lanes.constantInt(loc, lowering.b.getI1Type(), 1));
  lanes.store(loc, address, all, Lanes::uniform(value), buffer.elementType, 1);
}

/// A buffer of at least one group.
static Buffer allocateGroups(Lowering &lowering, Type type, int64_t size) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getNumElements() >= size)
    return allocate(lowering, tensor);
  return allocate(lowering, RankedTensorType::get({size}, getElementTypeOrSelf(type)));
}

/// Stores the operand in memory, in row-major order. An operand that is shorter than a group is repeated.
static Buffer materializeGroups(Lowering &lowering, Value operand, int64_t size) {
  auto tensor = dyn_cast<RankedTensorType>(operand.getType());
  if (tensor && tensor.getNumElements() >= size)
    return materialize(lowering, operand, /*rowMajor=*/true);
  Location loc = operand.getLoc();
  int64_t count = tensor ? tensor.getNumElements() : 1;
  Value start = lowering.lanes.constantI64(loc, 0);
  SmallVector<Value> elements;
  if (tensor) {
    const Buffer known = materialize(lowering, operand, /*rowMajor=*/true);
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(loadElement(lowering, loc, known, start, i));
  } else {
    elements.push_back(scalar(lowering, operand));
  }
  Buffer repeated = allocateGroups(lowering, operand.getType(), size);
  for (int64_t i = 0; i < size; ++i)
    storeElement(lowering, loc, repeated, start, i, elements[i % count]);
  return repeated;
}

/// Calls `body`, which computes the results of one group, in a loop over groups of `size` elements.
static void lowerInGroups(Lowering &lowering, Operation *op, int64_t size,
                          llvm::function_ref<void(const ElementGroups &)> body) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op->getLoc();
  ElementGroups groups;
  int64_t count = 1;
  for (Value operand : op->getOperands()) {
    groups.operands.push_back(materializeGroups(lowering, operand, size));
    if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
      count = tensor.getNumElements();
  }
  for (Type type : op->getResultTypes()) {
    groups.results.push_back(allocateGroups(lowering, type, size));
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      count = tensor.getNumElements();
  }
  groups.first = lanes.constantI64(loc, 0);
  if (count <= size) {
    body(groups);
  } else {
    auto loop = scf::ForOp::create(b, loc, groups.first, lanes.constantI64(loc, count), lanes.constantI64(loc, size));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    groups.first = loop.getInductionVar();
    body(groups);
  }
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), groups.results)) {
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    if (!tensor) {
      lowering.scalars.map(result, loadElement(lowering, loc, buffer, lanes.constantI64(loc, 0), 0));
      continue;
    }
    Buffer elements = buffer;
    elements.strides = rowMajorStrides(tensor.getShape());
    setBuffer(lowering, result, elements);
  }
}

SmallVector<Value> lowerScalarRegion(Lowering &lowering, Region &region, ArrayRef<Value> arguments) {
  for (auto [argument, value] : llvm::zip_equal(region.getArguments(), arguments))
    lowering.scalars.map(argument, value);
  SmallVector<Value> results;
  lowerBlock(lowering, region.front(), [&] {
    for (Value value : region.front().getTerminator()->getOperands())
      results.push_back(scalar(lowering, value));
  });
  return results;
}

void lowerMapElementwise(Lowering &lowering, tt::MapElementwiseOp op) {
  int64_t size = op.getPack();
  lowerInGroups(lowering, op, size, [&](const ElementGroups &groups) {
    SmallVector<Value> arguments;
    for (const Buffer &operand : groups.operands)
      for (int64_t i = 0; i < size; ++i)
        arguments.push_back(loadElement(lowering, op.getLoc(), operand, groups.first, i));
    SmallVector<Value> returned = lowerScalarRegion(lowering, op.getScalarOp(), arguments);
    for (auto [position, value] : llvm::enumerate(returned))
      storeElement(lowering, op.getLoc(), groups.results[position / size], groups.first, position % size, value);
  });
}

namespace {
/// How the elements of an operand or result of assembly are placed in its registers. Elements of less than 32 bits
/// share a register: as many as fit and as the text processes at once.
struct AssemblyWords {
  AssemblyWords(MLIRContext *context, Type elementType, int64_t packed) {
    int64_t bits = 8 * memoryBytes(elementType);
    perWord = bits < 32 ? std::min(32 / bits, packed) : 1;
    type = perWord == 1 ? memoryType(elementType) : IntegerType::get(context, perWord * bits);
    count = packed / perWord;
  }
  int64_t perWord, count;
  Type type;
};
} // namespace

/// Keeps the last bit of booleans that assembly returns, each in a byte.
static Value keepLastBits(OpBuilder &b, Location loc, Value word) {
  unsigned bits = word.getType().getIntOrFloatBitWidth();
  APInt ones = APInt::getSplat(bits, APInt(8, 1));
  return arith::AndIOp::create(b, loc, word, arith::ConstantOp::create(b, loc, b.getIntegerAttr(word.getType(), ones)));
}

void lowerInlineAssembly(Lowering &lowering, tt::ElementwiseInlineAsmOp op) {
  OpBuilder &b = lowering.b;
  Location loc = op.getLoc();
  int64_t packed = op.getPackedElement();
  // Arithmetic changes these flags, which must be declared to LLVM.
  std::string constraints =
      op.getConstraints().str() + (lowering.options.target->isAArch64() ? ",~{cc}" : ",~{dirflag},~{fpsr},~{flags}");
  lowerInGroups(lowering, op, packed, [&](const ElementGroups &groups) {
    SmallVector<Value> words;
    for (const Buffer &operand : groups.operands) {
      AssemblyWords layout(b.getContext(), operand.elementType, packed);
      for (int64_t i = 0; i < layout.count; ++i) {
        Value address = elementAddress(lowering, loc, operand, groups.first, i * layout.perWord);
        words.push_back(LLVM::LoadOp::create(b, loc, layout.type, address));
      }
    }
    SmallVector<std::pair<AssemblyWords, const Buffer *>> layouts;
    SmallVector<Type> types;
    for (const Buffer &result : groups.results) {
      layouts.push_back({AssemblyWords(b.getContext(), result.elementType, packed), &result});
      types.append(layouts.back().first.count, layouts.back().first.type);
    }
    Type type = types.size() == 1 ? types.front() : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
    Value returned = LLVM::InlineAsmOp::create(b, loc, type, words, op.getAsmString(), constraints,
                                               /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
                                               LLVM::TailCallKind::None, dialect, /*operand_attrs=*/ArrayAttr())
                         .getResult(0);
    int64_t next = 0;
    for (auto &[layout, result] : layouts)
      for (int64_t i = 0; i < layout.count; ++i, ++next) {
        Value word = types.size() == 1 ? returned : LLVM::ExtractValueOp::create(b, loc, returned, next).getResult();
        if (result->elementType.isInteger(1))
          word = keepLastBits(b, loc, word);
        LLVM::StoreOp::create(b, loc, word, elementAddress(lowering, loc, *result, groups.first, i * layout.perWord));
      }
  });
}

} // namespace triton::cpu
