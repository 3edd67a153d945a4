// device_print and device_assert.
#include "gpu/ir/MessageAttributes.h"
#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/TargetEmitter.h"

#include "numerics/PrintedText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::gpu {

namespace {

/// A value in the form that printf takes, and its conversion.
struct Printed {
  Value value;
  std::string conversion;
};

Printed preparePrinted(Emitter &emitter, Value value, Type type, bool isSigned, bool hex) {
  auto &b = emitter.b;
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return {LLVM::PtrToIntOp::create(b, b.getI64Type(), value), "%p"};
  if (auto number = dyn_cast<FloatType>(type)) {
    Value wide = convertFloat(emitter, value, number, Float64Type::get(emitter.context()));
    return {wide, "%f"};
  }
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < 32) {
    Type word = b.getI32Type();
    value = isSigned && width > 1 && !hex ? LLVM::SExtOp::create(b, word, value).getResult()
                                          : LLVM::ZExtOp::create(b, word, value).getResult();
  }
  std::string length = width > 32 ? "ll" : "";
  if (hex)
    return {value, "0x%0" + std::to_string(std::max(2u, width / 4)) + length + "x"};
  return {value, "%" + length + (isSigned && width > 1 ? "d" : "u")};
}

/// `pid (x, y, z) idx (i, j) prefix: value`, one line for each element.
class Print {
public:
  Print(tt::PrintOp op, Emitter &emitter) : op(op), emitter(emitter) {
    for (tt::ProgramDim axis : {tt::ProgramDim::X, tt::ProgramDim::Y, tt::ProgramDim::Z})
      programIds.push_back(emitter.programId(axis));
  }

  void run() {
    if (op.getArgs().empty()) {
      Value isFirst = emitter.equal(emitter.threadId(), emitter.i32(0));
      emitter.emitIf(isFirst,
                     [&] { emitter.target().emitPrint(emitter, "pid (%u, %u, %u)" + prefix() + "\n", programIds); });
      return;
    }
    for (unsigned number = 0; number < op.getArgs().size(); ++number)
      printOperand(number);
  }

private:
  void printOperand(unsigned number) {
    Value operand = op.getArgs()[number];
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    Registers registers(emitter.registers(operand));
    if (!type) {
      Value isFirst = emitter.equal(emitter.threadId(), emitter.i32(0));
      emitter.emitIf(isFirst, [&] { printElement(number, registers.front(), {}); });
      return;
    }
    const LinearLayout &layout = emitter.layoutOf(type);
    SmallVector<unsigned> representatives = representativeRegisters(layout);
    auto printAll = [&] {
      SmallVector<Registers> coordinates;
      for (unsigned dimension = 0; dimension < type.getRank(); ++dimension)
        coordinates.push_back(emitCoordinates(emitter, layout, dimension));
      for (unsigned index = 0; index < registers.size(); ++index) {
        if (representatives[index] != index)
          continue;
        Registers at;
        for (const Registers &coordinate : coordinates)
          at.push_back(coordinate[index]);
        printElement(number, registers[index], at);
      }
    };
    if (Value isPrinter = emitIsRepresentative(emitter, layout))
      emitter.emitIf(isPrinter, printAll);
    else
      printAll();
  }

  void printElement(unsigned number, Value value, llvm::ArrayRef<Value> coordinates) {
    Value operand = op.getArgs()[number];
    Printed printed = preparePrinted(emitter, value, getElementTypeOrSelf(operand.getType()),
                                     op.getIsSigned()[number] != 0, op.getHex());
    std::string indices;
    for (std::size_t dimension = 0; dimension < coordinates.size(); ++dimension)
      indices += dimension == 0 ? "%u" : ", %u";
    std::string format = "pid (%u, %u, %u) idx (" + indices + ")" + prefix();
    if (op.getArgs().size() > 1)
      format += "(operand " + std::to_string(number) + ") ";
    SmallVector<Value> values(programIds);
    values.append(coordinates.begin(), coordinates.end());
    values.push_back(printed.value);
    emitter.target().emitPrint(emitter, format + printed.conversion + "\n", values);
  }

  /// As a part of the format.
  std::string prefix() { return numerics::escapeFormat(op.getPrefix()); }

  tt::PrintOp op;
  Emitter &emitter;
  SmallVector<Value> programIds;
};

} // namespace

static LogicalResult lowerPrint(tt::PrintOp op, Emitter &emitter) {
  Print(op, emitter).run();
  return success();
}

static LogicalResult lowerAssert(tt::AssertOp op, Emitter &emitter) {
  if (!emitter.options().checkAssertions)
    return success();
  auto &b = emitter.b;
  Value holds;
  for (Value condition : Registers(emitter.registers(op.getCondition())))
    holds = holds ? LLVM::AndOp::create(b, holds, condition).getResult() : condition;
  Value fails = emitter.bitXor(holds, emitter.i1(true));
  AssertionPlace place{"unknown", op->getParentOfType<tt::FuncOp>().getName().str()};
  if (auto position = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    place.file = position.getFilename().str();
    place.line = position.getLine();
  }
  emitter.emitIf(fails, [&] { emitter.target().emitAssertFailure(emitter, op.getMessage(), place); });
  return success();
}

unsigned Emitter::addMessage(llvm::StringRef format, bool isFailure) {
  NamedAttrList entries;
  entries.append("format", b.getStringAttr(format));
  if (isFailure)
    entries.append("failure", b.getUnitAttr());
  Attribute message = entries.getDictionary(context());
  SmallVector<Attribute> messages;
  if (auto known = moduleOp->getAttrOfType<ArrayAttr>(ttg::messagesAttribute))
    messages.assign(known.begin(), known.end());
  auto place = llvm::find(messages, message);
  unsigned number = unsigned(place - messages.begin()) + 1;
  if (place == messages.end()) {
    messages.push_back(message);
    moduleOp->setAttr(ttg::messagesAttribute, b.getArrayAttr(messages));
  }
  return number;
}

void addDebugLowerings(LoweringTable &table) {
  table.add<tt::PrintOp, lowerPrint>();
  table.add<tt::AssertOp, lowerAssert>();
}

} // namespace triton::gpu
