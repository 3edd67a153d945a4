// Arithmetic on one lane: AMD's intrinsics, and the mathematical functions that LLVM lowers for AMD's GPUs.
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::amdgpu {

using Operands = llvm::SmallVector<const llvm::Value *, 3>;

static Operands operandsOf(const llvm::CallInst &call) {
  auto values = llvm::map_range(call.args(), [](const llvm::Use &use) { return use.get(); });
  return Operands(values.begin(), values.end());
}

/// Decodes an elementwise operation; the immediate of its instructions is the size of an element of `sized`.
static llvm::Error decodeSized(Decoder &decoder, const llvm::CallInst &call, const Operands &operands, Handler handler,
                               llvm::Type *sized) {
  std::size_t first = decoder.program.instructions.size();
  llvm::Error error = decoder.decodeElementwise(call, operands, handler);
  for (std::size_t i = first; i < decoder.program.instructions.size(); ++i)
    decoder.program.instructions[i].immediate = decoder.elementBytes(sized->getScalarType());
  return error;
}

/// The mantissa and the exponent, as one result.
static llvm::Error decodeFrexp(Decoder &decoder, const llvm::CallInst &call, FloatFormat format) {
  llvm::Expected<Registers> inputs = decoder.read(call.getArgOperand(0));
  if (!inputs)
    return inputs.takeError();
  Registers results = decoder.defineNew(&call);
  unsigned count = unsigned(inputs->size());
  unsigned bytes = decoder.elementBytes(call.getType()->getStructElementType(1)->getScalarType());
  for (unsigned i = 0; i < count; ++i) {
    decoder.emit(findLaneMath("frexp.mant", format), results[i], {(*inputs)[i]});
    decoder.emit(findLaneMath("frexp.exp", format), results[count + i], {(*inputs)[i]}).immediate = bytes;
  }
  return llvm::Error::success();
}

llvm::Expected<bool> decodeLibrary(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  llvm::StringRef family = name.split('.').first;
  std::optional<FloatFormat> format =
      call.arg_empty() ? std::nullopt : Decoder::floatFormat(call.getArgOperand(0)->getType());
  if (!format)
    return false;
  bool isMissing = llvm::StringSwitch<bool>(family)
                       .Cases({"tan", "tanh", "asin", "acos", "atan", "atan2", "sinh", "cosh"}, true)
                       .Default(false);
  if (isMissing)
    return decoder.unsupported(call, "a function that LLVM has no instructions for on this GPU");
  if (family == "frexp")
    return Intrinsic::known(decodeFrexp(decoder, call, *format));
  if (family == "ldexp")
    return Intrinsic::known(
        decodeSized(decoder, call, operandsOf(call), findLaneMath("ldexp", *format), call.getArgOperand(1)->getType()));
  // They differ from minnum and maxnum only in signaling NaNs.
  if (family == "minimumnum" || family == "maximumnum")
    return Intrinsic::known(decoder.decodeElementwise(
        call, operandsOf(call), findFloatIntrinsic(family == "minimumnum" ? "minnum" : "maxnum", *format)));
  if (name.contains("fract") || name.contains("fmed3") || !findLaneMath(family, *format))
    return false;
  return Intrinsic::known(decoder.decodeElementwise(call, operandsOf(call), findLaneMath(family, *format)));
}

llvm::Expected<bool> decodeMath(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  const llvm::CallInst &call = intrinsic.call;
  llvm::StringRef name = intrinsic.name;
  if (call.arg_empty())
    return false;
  if (Handler handler = findIntegerMath(name))
    return Intrinsic::known(call.getType()->isIntegerTy(32) ? decoder.decodeElementwise(call, operandsOf(call), handler)
                                                            : decoder.unsupported(call));
  llvm::Type *type = intrinsic.argument(0)->getType();
  std::optional<FloatFormat> format = Decoder::floatFormat(type);
  if (!format)
    return false;
  if (name == "class")
    return Intrinsic::known(decoder.decodeElementwise(call, operandsOf(call), findFloatClass(*format)));
  if (name == "frexp.exp")
    return Intrinsic::known(decodeSized(decoder, call, operandsOf(call), findLaneMath(name, *format), call.getType()));
  // exp2 and log flush subnormal numbers always, the others as the kernel's mode says.
  bool flushes = (name == "exp2" || name == "log") && *format == FloatFormat::Single;
  llvm::StringRef suffix = flushes ? ".ftz" : decoder.flushSuffix(*format);
  std::string operation = llvm::StringSwitch<std::string>(name)
                              .Case("exp2", "exp2")
                              .Case("log", "log2")
                              .Case("rcp", "rcp")
                              .Case("rsq", "rsqrt")
                              .Case("sqrt", "sqrt")
                              .Default("");
  if (!operation.empty())
    return Intrinsic::known(
        decoder.decodeElementwise(call, operandsOf(call), findFloatUnary(operation + suffix.str(), *format)));
  auto known = llvm::StringSwitch<llvm::StringRef>(name)
                   .Case("sin", "turn.sin")
                   .Case("cos", "turn.cos")
                   .Cases({"fract", "fmed3", "frexp.mant", "fmul.legacy"}, name)
                   .Default("");
  if (known.empty())
    return false;
  return Intrinsic::known(decoder.decodeElementwise(call, operandsOf(call), findLaneMath(known, *format)));
}

} // namespace triton::simulator::amdgpu
