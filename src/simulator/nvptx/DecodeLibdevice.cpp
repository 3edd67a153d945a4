// Calls of libdevice's functions on machines without libdevice. A function that is a single instruction becomes that
// instruction; the host computes the others (LibdeviceFunctions.cpp).
#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

/// The rounding mode in the spelling of instructions: "rz" for libdevice's "rz", "rm" for its "rd". Empty for any other
/// text.
static llvm::StringRef instructionRounding(llvm::StringRef mode) {
  return llvm::StringSwitch<llvm::StringRef>(mode)
      .Case("rn", "rn")
      .Case("rz", "rz")
      .Case("rd", "rm")
      .Case("ru", "rp")
      .Default("");
}

/// The instruction, after `llvm.nvvm.`, for a function whose name ends in a rounding: "add.rz.f" for `fadd_rz`,
/// "f2ll.rm" for `float2ll_rd`. Empty if there is none.
static std::string roundedInstruction(llvm::StringRef name) {
  auto [function, mode] = name.rsplit('_');
  llvm::StringRef rounding = instructionRounding(mode);
  if (rounding.empty())
    return "";
  auto letters = [](llvm::StringRef type) {
    return llvm::StringSwitch<llvm::StringRef>(type)
        .Case("float", "f")
        .Case("double", "d")
        .Case("int", "i")
        .Case("uint", "ui")
        .Cases({"ll", "ull"}, type)
        .Default("");
  };
  if (auto [from, to] = function.split('2'); !letters(from).empty() && !letters(to).empty())
    return (letters(from) + "2" + letters(to) + "." + rounding).str();
  if (function == "fma" || function == "fmaf")
    return ("fma." + rounding + (function == "fma" ? ".d" : ".f")).str();
  llvm::StringRef operation = function.drop_front();
  bool isInstruction =
      llvm::StringSwitch<bool>(operation).Cases({"add", "sub", "mul", "div", "rcp", "sqrt"}, true).Default(false);
  if (isInstruction && (function.front() == 'f' || function.front() == 'd'))
    return (operation + "." + rounding + "." + function.take_front()).str();
  return "";
}

/// Other functions that are a single instruction.
static llvm::StringRef plainInstruction(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("floorf", "floor.f")
      .Case("floor", "floor.d")
      .Case("ceilf", "ceil.f")
      .Case("ceil", "ceil.d")
      .Case("truncf", "trunc.f")
      .Case("trunc", "trunc.d")
      .Cases({"rintf", "nearbyintf"}, "round.f")
      .Cases({"rint", "nearbyint"}, "round.d")
      .Case("fabsf", "fabs.f")
      .Case("fabs", "fabs.d")
      .Case("fmaf", "fma.rn.f")
      .Case("fma", "fma.rn.d")
      .Case("sqrtf", "sqrt.rn.f")
      .Case("sqrt", "sqrt.rn.d")
      .Case("saturatef", "saturate.f")
      .Case("fast_fdividef", "div.approx.f")
      .Case("rcp64h", "rcp.approx.ftz.d")
      .Case("llrintf", "f2ll.rn")
      .Case("llrint", "d2ll.rn")
      .Case("mulhi", "mulhi.i")
      .Case("umulhi", "mulhi.ui")
      .Case("mul64hi", "mulhi.ll")
      .Case("umul64hi", "mulhi.ull")
      .Case("sad", "sad.i")
      .Case("usad", "sad.ui")
      .Case("double2loint", "d2i.lo")
      .Case("double2hiint", "d2i.hi")
      .Default("");
}

llvm::Error decodeLibdevice(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  if (std::string instruction = roundedInstruction(name); !instruction.empty())
    return decodeNvvm(decoder, call, instruction);
  if (llvm::StringRef instruction = plainInstruction(name); !instruction.empty())
    return decodeNvvm(decoder, call, instruction);
  const LibdeviceFunction *function = findLibdeviceFunction(name);
  if (!function)
    return decoder.unsupported(call, "a function of libdevice, which was not found on this machine");
  bool agrees =
      decoder.elementBytes(call.getType()) == function->resultBytes && call.arg_size() == function->operandBytes.size();
  for (unsigned i = 0; agrees && i < call.arg_size(); ++i)
    agrees = decoder.elementBytes(call.getArgOperand(i)->getType()) == function->operandBytes[i];
  if (!agrees)
    return decoder.unsupported(call, "a function of libdevice with other types than its own");
  return decoder.decodeWithList(call, function->handler);
}

} // namespace triton::simulator::nvptx
