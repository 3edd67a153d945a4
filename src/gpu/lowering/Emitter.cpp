// Building and values. FunctionLowering.cpp contains functions and blocks.
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/Products.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

/// Whether functions of the module may have something to report to the host.
static bool hasMessages(ModuleOp module, const LoweringOptions &options) {
  return module
      .walk([&](Operation *op) {
        bool speaks = isa<tt::PrintOp>(op) || (isa<tt::AssertOp>(op) && options.checkAssertions);
        return speaks ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool containsProducts(ModuleOp module) {
  return module.walk([](Operation *op) { return ttg::isProduct(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

Emitter::Emitter(ModuleOp module, const LoweringTable &table, const ModuleFacts &facts, const TargetInfo &info,
                 const TargetEmitter &target, LoweringOptions options)
    : b(module.getLoc(), module.getContext()), moduleOp(module), table(table), axisInfoAnalysis(facts.stated),
      targetInfo(info), targetEmitter(target), loweringOptions(options), warps{ttg::getNumWarps(module)},
      numLaneBits(llvm::Log2_32(ttg::getThreadsPerWarp(module))), numBlocks(tt::getBlocks(module)),
      hasMessageBuffer(target.leavesMessages() && hasMessages(module, options)),
      computesProducts(containsProducts(module)), provenAnalysis(facts.proven) {}

unsigned Emitter::loadedRegisters(Block &block) {
  auto [entry, isNew] = loaded.try_emplace(&block, 0);
  if (isNew)
    for (auto load : block.getOps<tt::LoadOp>())
      entry->second += ttg::countRegisters(load);
  return entry->second;
}

//===--- Values -------------------------------------------------------------------------------------------------===//

llvm::ArrayRef<Value> Emitter::registers(Value value) const {
  auto found = values.find(value);
  assert(found != values.end() && "operands are lowered before their users");
  return found->second;
}

Value Emitter::scalar(Value value) const {
  assert(registers(value).size() == 1 && "a scalar is one value");
  return registers(value).front();
}

void Emitter::define(Value value, Registers registers) { values[value] = std::move(registers); }

Type Emitter::convertElement(Type type) const {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return convertElement(tensor.getElementType());
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    return LLVM::LLVMPointerType::get(type.getContext(), unsigned(pointer.getAddressSpace()));
  if (ttg::isInTensorMemory(type))
    return IntegerType::get(type.getContext(), 32);
  if (isa<ttg::MemDescType>(type))
    return LLVM::LLVMPointerType::get(type.getContext(), sharedSpace);
  if (isa<tt::TensorDescType>(type)) // a tensor map, wherever it is
    return LLVM::LLVMPointerType::get(type.getContext());
  if (isa<IndexType>(type))
    return IntegerType::get(type.getContext(), 64);
  if (auto number = dyn_cast<FloatType>(type); number && number.getWidth() == 8)
    return IntegerType::get(type.getContext(), 8);
  return type;
}

SmallVector<Type> Emitter::convertType(Type type) {
  if (isa<ttg::AsyncTokenType>(type))
    return {}; // only orders operations of TTGIR
  unsigned count = 1;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    count = unsigned(layoutOf(tensor).inputSize("register"));
  return SmallVector<Type>(count, convertElement(type));
}

const LinearLayout &Emitter::layoutOf(RankedTensorType type) {
  auto key = RankedTensorType::get(type.getShape(), b.getI1Type(), type.getEncoding());
  std::unique_ptr<LinearLayout> &layout = layouts[key];
  if (!layout)
    layout = std::make_unique<LinearLayout>(ttg::toLinearLayout(type));
  return *layout;
}

//===--- Constants and arithmetic -------------------------------------------------------------------------------===//

Value Emitter::inEntry(Value &cached, llvm::function_ref<Value()> body) {
  if (cached)
    return cached;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&current.getBody().front());
  return cached = body();
}

Value Emitter::integer(Type type, int64_t value) {
  return inEntry(integers[{type, value}],
                 [&]() -> Value { return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value)); });
}

Value Emitter::floating(Type type, double value) {
  return LLVM::ConstantOp::create(b, type, b.getFloatAttr(type, value));
}

Value Emitter::undefined(Type type) {
  if (options().definesAll)
    return LLVM::ZeroOp::create(b, type);
  return LLVM::UndefOp::create(b, type);
}

static std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number ? std::optional(number.getInt()) : std::nullopt;
}

Value Emitter::add(Value left, Value right) {
  if (constantOf(left) == 0)
    return right;
  return constantOf(right) == 0 ? left : LLVM::AddOp::create(b, left, right).getResult();
}

Value Emitter::bitAnd(Value left, int64_t mask) { return LLVM::AndOp::create(b, left, integer(left.getType(), mask)); }

Value Emitter::bitXor(Value left, Value right) {
  if (constantOf(left) == 0)
    return right;
  return constantOf(right) == 0 ? left : LLVM::XOrOp::create(b, left, right).getResult();
}

Value Emitter::shiftLeft(Value value, unsigned bits) {
  return bits == 0 ? value : LLVM::ShlOp::create(b, value, integer(value.getType(), bits)).getResult();
}

Value Emitter::shiftRight(Value value, unsigned bits) {
  return bits == 0 ? value : LLVM::LShrOp::create(b, value, integer(value.getType(), bits)).getResult();
}

Value Emitter::select(Value condition, Value yes, Value no) {
  return yes == no ? yes : LLVM::SelectOp::create(b, condition, yes, no).getResult();
}

Value Emitter::equal(Value left, Value right) { return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, left, right); }

//===--- Calls --------------------------------------------------------------------------------------------------===//

Value Emitter::intrinsic(llvm::StringRef name, Type result, ValueRange arguments) {
  auto attribute = b.getStringAttr("llvm." + name.str());
  if (!result) {
    LLVM::CallIntrinsicOp::create(b, attribute, arguments);
    return {};
  }
  return LLVM::CallIntrinsicOp::create(b, result, attribute, arguments).getResult(0);
}

LLVM::LLVMFuncOp Emitter::lookupFunction(llvm::StringRef name, Type result, TypeRange arguments) {
  if (auto known = moduleOp.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(moduleOp.getBody());
  Type returned = result ? result : LLVM::LLVMVoidType::get(context());
  return LLVM::LLVMFuncOp::create(b, name, LLVM::LLVMFunctionType::get(returned, llvm::to_vector(arguments)));
}

Value Emitter::call(llvm::StringRef name, Type result, ValueRange arguments) {
  auto call = LLVM::CallOp::create(b, lookupFunction(name, result, arguments.getTypes()), arguments);
  return result ? call.getResult() : Value();
}

Value Emitter::assembly(llvm::StringRef text, llvm::StringRef constraints, Type result, ValueRange arguments,
                        bool hasSideEffects) {
  auto dialect = LLVM::AsmDialectAttr::get(context(), LLVM::AsmDialect::AD_ATT);
  auto op = LLVM::InlineAsmOp::create(b, result ? TypeRange(result) : TypeRange(), arguments, text, constraints,
                                      hasSideEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
                                      /*operand_attrs=*/ArrayAttr());
  return result ? op.getResult(0) : Value();
}

Value Emitter::stringConstant(llvm::StringRef text) {
  auto [entry, inserted] = strings.try_emplace(text, "");
  if (inserted) {
    entry->second = "string." + std::to_string(strings.size());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(moduleOp.getBody());
    std::string bytes = text.str();
    bytes.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, entry->second, b.getStringAttr(bytes),
                           /*alignment=*/1, globalSpace);
  }
  Value address = LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(context(), globalSpace), entry->second);
  return LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(context()), address);
}

//===--- Aggregates ---------------------------------------------------------------------------------------------===//

Value Emitter::pack(ValueRange elements) {
  auto type = LLVM::LLVMStructType::getLiteral(context(), llvm::to_vector(elements.getTypes()));
  Value aggregate = undefined(type);
  for (auto [index, element] : llvm::enumerate(elements))
    aggregate = LLVM::InsertValueOp::create(b, aggregate, element, int64_t(index));
  return aggregate;
}

Registers Emitter::unpack(Value aggregate) {
  Registers elements;
  std::size_t count = cast<LLVM::LLVMStructType>(aggregate.getType()).getBody().size();
  for (std::size_t index = 0; index < count; ++index)
    elements.push_back(LLVM::ExtractValueOp::create(b, aggregate, int64_t(index)));
  return elements;
}

Value Emitter::packVector(ValueRange elements) {
  if (elements.size() == 1)
    return elements.front();
  Value vector = undefined(VectorType::get(int64_t(elements.size()), elements.front().getType()));
  for (auto [index, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(b, vector, element, i32(int64_t(index)));
  return vector;
}

Registers Emitter::unpackVector(Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return {vector};
  Registers elements;
  for (int64_t index = 0; index < type.getNumElements(); ++index)
    elements.push_back(LLVM::ExtractElementOp::create(b, vector, i32(index)));
  return elements;
}

//===--- Control ------------------------------------------------------------------------------------------------===//

Block *Emitter::createBlock(TypeRange arguments) {
  OpBuilder::InsertionGuard guard(b);
  return b.createBlock(&current.getBody(), current.getBody().end(), arguments,
                       SmallVector<Location>(arguments.size(), b.getLoc()));
}

Registers Emitter::emitIf(Value condition, llvm::function_ref<Registers()> body, ValueRange otherwise) {
  Block *inside = createBlock(), *after = createBlock(otherwise.getTypes());
  LLVM::CondBrOp::create(b, condition, inside, ValueRange(), after, otherwise);
  b.setInsertionPointToStart(inside);
  Registers results = body();
  LLVM::BrOp::create(b, results, after);
  after->moveBefore(&current.getBody(), current.getBody().end());
  b.setInsertionPointToStart(after);
  return Registers(after->args_begin(), after->args_end());
}

void Emitter::emitIf(Value condition, llvm::function_ref<void()> body) {
  emitIf(
      condition,
      [&]() -> Registers {
        body();
        return {};
      },
      ValueRange());
}

void Emitter::emitUntil(llvm::function_ref<Value()> body) {
  Block *loop = createBlock();
  LLVM::BrOp::create(b, ValueRange(), loop);
  b.setInsertionPointToStart(loop);
  Value isDone = body();
  Block *after = createBlock();
  LLVM::CondBrOp::create(b, isDone, after, ValueRange(), loop, ValueRange());
  b.setInsertionPointToStart(after);
}

void Emitter::emitFor(Value first, int64_t end, int64_t step, llvm::function_ref<void(Value)> body) {
  emitFor(first, end, step, ValueRange(), [&](Value index, ValueRange) -> Registers {
    body(index);
    return {};
  });
}

Registers Emitter::emitFor(Value first, int64_t end, int64_t step, ValueRange initial,
                           llvm::function_ref<Registers(Value, ValueRange)> body) {
  Registers values{first};
  values.append(initial.begin(), initial.end());
  Block *head = createBlock(ValueRange(values).getTypes()), *inside = createBlock(), *after = createBlock();
  LLVM::BrOp::create(b, values, head);
  b.setInsertionPointToStart(head);
  Value index = head->getArgument(0);
  Registers carried(std::next(head->args_begin()), head->args_end());
  Value isInside = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, index, i32(end));
  LLVM::CondBrOp::create(b, isInside, inside, ValueRange(), after, ValueRange());
  b.setInsertionPointToStart(inside);
  Registers results = body(index, carried);
  Registers next{LLVM::AddOp::create(b, index, i32(step)).getResult()};
  next.append(results);
  LLVM::BrOp::create(b, next, head);
  after->moveBefore(&current.getBody(), current.getBody().end());
  b.setInsertionPointToStart(after);
  return carried;
}

void Emitter::barrier() { targetEmitter.emitBarrier(*this, /*allWarps=*/false); }

//===--- The thread ---------------------------------------------------------------------------------------------===//

Value Emitter::programId(tt::ProgramDim axis) {
  Value block = targetEmitter.emitProgramId(*this, axis);
  return axis == tt::ProgramDim::X && numBlocks > 1 ? shiftRight(block, llvm::Log2_32(numBlocks)) : block;
}

Value Emitter::programCount(tt::ProgramDim axis) {
  Value blocks = targetEmitter.emitProgramCount(*this, axis);
  return axis == tt::ProgramDim::X && numBlocks > 1 ? shiftRight(blocks, llvm::Log2_32(numBlocks)) : blocks;
}

Value Emitter::blockRank() {
  return numBlocks > 1 ? bitAnd(targetEmitter.emitProgramId(*this, tt::ProgramDim::X), numBlocks - 1) : i32(0);
}

/// Combines `thread` with a constant directly after the thread's number. The constant is before it.
template <typename Op> static Value combineInEntry(ImplicitLocOpBuilder &b, Value thread, Value constant) {
  constant.getDefiningOp()->moveBefore(thread.getDefiningOp());
  b.setInsertionPointAfterValue(thread);
  return Op::create(b, thread, constant);
}

Value Emitter::threadId() {
  if (warps.groups > 1) {
    Value mask = i32(int64_t(threadCount()) - 1);
    return inEntry(cachedThread,
                   [&] { return combineInEntry<LLVM::AndOp>(b, targetEmitter.emitThreadId(*this), mask); });
  }
  if (warps.first == 0)
    return inEntry(cachedThread, [&] { return targetEmitter.emitThreadId(*this); });
  Value first = i32(int64_t(warps.first) << numLaneBits);
  return inEntry(cachedThread,
                 [&] { return combineInEntry<LLVM::SubOp>(b, targetEmitter.emitThreadId(*this), first); });
}

Value Emitter::lane() {
  Value thread = threadId(), mask = i32((1 << numLaneBits) - 1);
  return inEntry(cachedLane, [&] { return combineInEntry<LLVM::AndOp>(b, thread, mask); });
}

Value Emitter::warp() {
  Value thread = threadId(), bits = i32(numLaneBits);
  return inEntry(cachedWarp, [&] { return combineInEntry<LLVM::LShrOp>(b, thread, bits); });
}

Value Emitter::uniformWarp() {
  if (cachedUniformWarp)
    return cachedUniformWarp;
  Value number = warp();
  OpBuilder::InsertionGuard guard(b);
  Block &entry = current.getBody().front();
  entry.mightHaveTerminator() ? b.setInsertionPoint(entry.getTerminator()) : b.setInsertionPointToEnd(&entry);
  return cachedUniformWarp = targetEmitter.emitShuffleIndex(*this, number, i32(0));
}

Value Emitter::sharedAddress(int64_t offset) {
  Value base = inEntry(cachedShared, [&]() -> Value {
    return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(context(), sharedSpace), "global_smem");
  });
  return offsetPointer(base, offset);
}

Value Emitter::offsetPointer(Value pointer, Value bytes) {
  if (constantOf(bytes) == 0)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer, LLVM::GEPArg(bytes));
}

Value Emitter::offsetPointer(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer, LLVM::GEPArg(int32_t(bytes)));
}

} // namespace triton::gpu
