// device_print and device_assert: calls of the driver's vprintf and __assertfail.
#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/MemoryAccess.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::gpu {

namespace {

/// A value as printf takes it, and its conversion.
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

void emitPrintf(Emitter &emitter, const std::string &format, ValueRange values) {
  auto &b = emitter.b;
  Value packed = emitter.pack(values);
  Value one = emitter.i32(1);
  Value buffer = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(emitter.context()), packed.getType(), one);
  for (auto [index, value] : llvm::enumerate(values)) {
    Value place = LLVM::GEPOp::create(b, buffer.getType(), packed.getType(), buffer,
                                      llvm::ArrayRef<LLVM::GEPArg>{0, int32_t(index)});
    LLVM::StoreOp::create(b, value, place);
  }
  emitter.call("vprintf", b.getI32Type(), {emitter.stringConstant(format), buffer});
}

/// `pid (x, y, z) idx (i, j) prefix: value`, one line for each element.
class Print {
public:
  Print(tt::PrintOp op, Emitter &emitter) : op(op), emitter(emitter) {
    for (llvm::StringRef axis : {"x", "y", "z"})
      programIds.push_back(emitter.intrinsic(("nvvm.read.ptx.sreg.ctaid." + axis).str(), emitter.b.getI32Type(), {}));
  }

  void run() {
    if (op.getArgs().empty()) {
      Value isFirst = emitter.equal(emitter.threadId(), emitter.i32(0));
      emitter.emitIf(isFirst,
                     [&] { emitPrintf(emitter, "pid (%u, %u, %u)" + op.getPrefix().str() + "\n", programIds); });
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
    std::string format = "pid (%u, %u, %u) idx (" + indices + ")" + op.getPrefix().str();
    if (op.getArgs().size() > 1)
      format += "(operand " + std::to_string(number) + ") ";
    SmallVector<Value> values(programIds);
    values.append(coordinates.begin(), coordinates.end());
    values.push_back(printed.value);
    emitPrintf(emitter, format + printed.conversion + "\n", values);
  }

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
  std::string file = "unknown", function = op->getParentOfType<tt::FuncOp>().getName().str();
  unsigned line = 0;
  if (auto position = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    file = position.getFilename().str();
    line = position.getLine();
  }
  emitter.emitIf(fails, [&] {
    emitter.call("__assertfail", {},
                 {emitter.stringConstant(op.getMessage()), emitter.stringConstant(file), emitter.i32(line),
                  emitter.stringConstant(function), emitter.i64(1)});
  });
  return success();
}

void addDebugLowerings(LoweringTable &table) {
  table.add<tt::PrintOp, lowerPrint>();
  table.add<tt::AssertOp, lowerAssert>();
}

} // namespace triton::gpu
