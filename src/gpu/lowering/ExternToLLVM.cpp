// Code that kernels bring along: functions of libraries, assembly, scalar code.
#include "base/AssemblyConstraints.h"
#include "base/PassRunner.h"
#include "base/StageError.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/lowering/Elementwise.h"
#include "gpu/lowering/Lowerings.h"

using namespace mlir;

namespace triton::gpu {

static LogicalResult lowerExternElementwise(tt::ExternElementwiseOp op, Emitter &emitter) {
  llvm::StringRef name = op.getSymbol();
  Type type = emitter.convertElement(op.getType());
  auto operandTypes =
      llvm::map_to_vector(op.getOperandTypes(), [&](Type operand) { return emitter.convertElement(operand); });
  auto expected = LLVM::LLVMFunctionType::get(type, operandTypes);
  Operation *known = op->getParentOfType<ModuleOp>().lookupSymbol(name);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(known);
  if (known && !function)
    return op.emitError() << base::unsupportedPrefix << "GPUs: a function with the name `" << name
                          << "`, which is that of the program's shared memory";
  if (function && function.getFunctionType() != expected)
    return op.emitError() << base::unsupportedPrefix << "GPUs: `" << name << "` as a function of type " << expected
                          << ", since the program calls it as one of type " << function.getFunctionType() << ", too";
  return lowerElementwise(op, emitter, [&](ValueRange operands) { return emitter.call(name, type, operands); });
}

/// Operands and results of `size` elements, in turn for each group of registers.
template <typename Op>
static LogicalResult
lowerInGroups(Op op, Emitter &emitter, unsigned size,
              llvm::function_ref<FailureOr<SmallVector<Registers>>(llvm::ArrayRef<Registers>)> body) {
  std::size_t count = 1;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>(op->getResults())))
    count = std::max(count, emitter.convertType(value.getType()).size());
  SmallVector<Registers> results(op->getNumResults());
  for (std::size_t first = 0; first < count; first += size) {
    SmallVector<Registers> operands;
    for (Value operand : op->getOperands()) {
      llvm::ArrayRef<Value> registers = emitter.registers(operand);
      Registers &group = operands.emplace_back();
      for (std::size_t i = first; i < first + size;
           ++i) // a scalar is repeated, and so is the last element if there are too few
        group.push_back(registers[std::min(i, registers.size() - 1)]);
    }
    FailureOr<SmallVector<Registers>> groupResults = body(operands);
    if (failed(groupResults))
      return failure();
    for (auto [all, group] : llvm::zip_equal(results, *groupResults))
      all.append(group.begin(), group.end());
  }
  for (auto [result, registers] : llvm::zip_equal(op->getResults(), results)) {
    registers.truncate(emitter.convertType(result.getType()).size());
    emitter.define(result, std::move(registers));
  }
  return success();
}

/// Elements of less than 32 bits share a register of the assembly: as many as the text processes at once.
static unsigned elementsPerWord(Type element, unsigned packed) {
  unsigned bits = isa<LLVM::LLVMPointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
  return bits < 32 ? std::min(32 / bits, packed) : 1;
}

static Type wordType(Emitter &emitter, Type element, unsigned count) {
  return count == 1 ? element : emitter.b.getIntegerType(count * element.getIntOrFloatBitWidth());
}

/// Refuses assembly that does not fit so many results and operands of a thread.
template <typename Assembly> static LogicalResult checkAssembly(Assembly op, size_t results, size_t operands) {
  std::string problem = base::problemInConstraints(op.getConstraints(), results, operands, /*isForProcessor=*/false);
  if (problem.empty())
    problem = base::problemInOperands(op.getAsmString(), results + operands);
  if (problem.empty())
    return success();
  return op.emitError() << base::unsupportedPrefix << "GPUs: " << problem;
}

static LogicalResult lowerInlineAssembly(tt::ElementwiseInlineAsmOp op, Emitter &emitter) {
  unsigned packed = unsigned(op.getPackedElement());
  SmallVector<Type> resultWords;
  for (Value result : op.getResults()) {
    Type element = emitter.convertElement(result.getType());
    unsigned perWord = elementsPerWord(element, packed);
    resultWords.append(packed / perWord, wordType(emitter, element, perWord));
  }
  Type resultType;
  if (resultWords.size() == 1)
    resultType = resultWords.front();
  else if (!resultWords.empty())
    resultType = LLVM::LLVMStructType::getLiteral(emitter.context(), resultWords);

  return lowerInGroups(
      op, emitter, packed, [&](llvm::ArrayRef<Registers> operands) -> FailureOr<SmallVector<Registers>> {
        SmallVector<Value> words;
        for (llvm::ArrayRef<Value> group : operands) {
          Type element = group.front().getType();
          unsigned perWord = elementsPerWord(element, packed);
          for (; !group.empty(); group = group.drop_front(perWord)) {
            Value word = emitter.packVector(group.take_front(perWord));
            words.push_back(
                perWord == 1
                    ? word
                    : LLVM::BitcastOp::create(emitter.b, wordType(emitter, element, perWord), word).getResult());
          }
        }
        if (failed(checkAssembly(op, resultWords.size(), words.size())))
          return failure();
        Value result = emitter.assembly(op.getAsmString(), op.getConstraints(), resultType, words, !op.getPure());
        Registers returned;
        if (resultType)
          returned = resultWords.size() == 1 ? Registers{result} : emitter.unpack(result);
        auto rest = llvm::ArrayRef<Value>(returned);
        SmallVector<Registers> results;
        for (Value value : op.getResults()) {
          Type element = emitter.convertElement(value.getType());
          unsigned perWord = elementsPerWord(element, packed);
          Registers &group = results.emplace_back();
          for (unsigned word = 0; word < packed / perWord; ++word, rest = rest.drop_front()) {
            if (perWord == 1) {
              group.push_back(rest.front());
              continue;
            }
            Value vector = LLVM::BitcastOp::create(emitter.b, VectorType::get(perWord, element), rest.front());
            group.append(emitter.unpackVector(vector));
          }
        }
        return results;
      });
}

/// The registers of the assembly that stand for a value.
static Registers assemblyOperands(Emitter &emitter, Value value) {
  if (!isa<ttg::MemDescType>(value.getType()))
    return Registers(emitter.registers(value));
  if (ttg::isInTensorMemory(value.getType()))
    return {emitter.scalar(value)};
  return {LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), emitter.scalar(value)).getResult()};
}

static LogicalResult lowerAssemblyOfThread(ttg::InlineAsmOp op, Emitter &emitter) {
  Registers operands;
  for (Value argument : op.getArgs())
    operands.append(assemblyOperands(emitter, argument));
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.append(emitter.convertType(result.getType()).size(), emitter.convertElement(result.getType()));
  if (failed(checkAssembly(op, types.size(), operands.size())))
    return failure();
  Type type;
  if (types.size() == 1)
    type = types.front();
  else if (!types.empty())
    type = LLVM::LLVMStructType::getLiteral(emitter.context(), types);
  if (LocationAttr user = base::findUserLocation(op.getLoc())) // Assemblers know the line alone, and no calls.
    emitter.b.setLoc(user);
  Value returned = emitter.assembly(op.getAsmString(), op.getConstraints(), type, operands, !op.getPure());
  Registers registers;
  if (type)
    registers = types.size() == 1 ? Registers{returned} : emitter.unpack(returned);
  auto rest = llvm::ArrayRef<Value>(registers);
  for (Value result : op.getResults()) {
    std::size_t count = emitter.convertType(result.getType()).size();
    emitter.define(result, Registers(rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  return success();
}

static LogicalResult lowerMapElementwise(tt::MapElementwiseOp op, Emitter &emitter) {
  auto size = unsigned(op.getPack());
  return lowerInGroups(op, emitter, size, [&](llvm::ArrayRef<Registers> operands) -> FailureOr<SmallVector<Registers>> {
    Registers arguments;
    for (const Registers &group : operands)
      arguments.append(group.begin(), group.end());
    FailureOr<Registers> returned = emitter.inlineRegion(op.getScalarOp(), arguments);
    if (failed(returned))
      return failure();
    SmallVector<Registers> results;
    for (auto rest = llvm::ArrayRef<Value>(*returned); !rest.empty(); rest = rest.drop_front(size))
      results.push_back(Registers(rest.take_front(size)));
    return results;
  });
}

void addExternLowerings(LoweringTable &table) {
  table.add<tt::ExternElementwiseOp, lowerExternElementwise>();
  table.add<tt::ElementwiseInlineAsmOp, lowerInlineAssembly>();
  table.add<ttg::InlineAsmOp, lowerAssemblyOfThread>();
  table.add<tt::MapElementwiseOp, lowerMapElementwise>();
}

} // namespace triton::gpu
