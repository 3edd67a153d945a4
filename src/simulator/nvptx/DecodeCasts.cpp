// The conversions that NVIDIA's library of functions uses, such as `llvm.nvvm.f2i.rn` and `llvm.nvvm.d2f.rz`. The
// letters of the types come first, then the rounding.
#include "simulator/nvptx/Decode.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

namespace {

/// An integer type by its letters.
struct IntegerLetters {
  unsigned bytes;
  bool isSigned;
};

std::optional<IntegerLetters> integerOf(llvm::StringRef letters) {
  return llvm::StringSwitch<std::optional<IntegerLetters>>(letters)
      .Case("i", IntegerLetters{4, true})
      .Case("ui", IntegerLetters{4, false})
      .Case("ll", IntegerLetters{8, true})
      .Case("ull", IntegerLetters{8, false})
      .Default(std::nullopt);
}

std::optional<FloatFormat> floatOf(llvm::StringRef letters) {
  return llvm::StringSwitch<std::optional<FloatFormat>>(letters)
      .Case("f", FloatFormat::Single)
      .Case("d", FloatFormat::Double)
      .Default(std::nullopt);
}

} // namespace

llvm::Expected<bool> decodeLibraryCast(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  auto [types, rounding] = name.split('.');
  auto [from, to] = types.split('2');
  rounding.consume_back(".ftz"); // subnormal numbers become zero in the result anyway
  bool isHalves = name == "lohi.i2d" || name == "d2i.lo" || name == "d2i.hi";
  std::optional<FloatFormat> fromFloat = floatOf(from);
  std::optional<IntegerLetters> toInteger = integerOf(to);
  Handler toFloat = findDirectedCast((types + "." + rounding).str());
  if (!isHalves && !toFloat && !(fromFloat && toInteger))
    return false;

  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> operands = decoder.readArguments(call);
  if (!operands)
    return operands.takeError();
  RegisterOffset result = decoder.defineNew(&call).front();
  if (isHalves) { // the words of an f64
    OperandList *list = decoder.operandList();
    list->inputs.assign(operands->begin(), operands->end());
    list->inputBytes.assign(operands->size(), name == "lohi.i2d" ? 4 : 8);
    list->outputs = {result};
    if (name != "lohi.i2d")
      list->outputs.insert(name == "d2i.lo" ? list->outputs.end() : list->outputs.begin(), decoder.allocateRegister(4));
    list->outputBytes.assign(list->outputs.size(), name == "lohi.i2d" ? 8 : 4);
    decoder.emit(regroupBytes()).detail = list;
    return true;
  }
  if (toFloat) {
    decoder.emit(toFloat, result, *operands);
    return true;
  }
  auto whole = llvm::StringSwitch<llvm::StringRef>(rounding)
                   .Case("rn", "rint")
                   .Case("rm", "floor")
                   .Case("rp", "ceil")
                   .Default("trunc");
  RegisterOffset rounded = decoder.allocateRegister(*fromFloat == FloatFormat::Double ? 8 : 4);
  decoder.emit(findFloatUnary(whole, *fromFloat), rounded, *operands);
  decoder.emit(findFloatToInteger(*fromFloat, toInteger->bytes, toInteger->isSigned), result, {rounded});
  return true;
}

} // namespace triton::simulator::nvptx
