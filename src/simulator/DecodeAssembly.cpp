// The inline assembly that the backend emits. Each form is one PTX instruction, recognised by its text; anything else
// is refused, because running only what is understood is the point of the simulator.
#include "simulator/Decoder.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::simulator {

namespace {

/// One instruction with its operands named by position: `$0` is the first output or input.
struct AssemblyForm {
  llvm::StringLiteral text; ///< spaces squeezed, without the final semicolon
  Handler handler;
};

std::string squeezeSpaces(llvm::StringRef text) {
  std::string result;
  for (char c : text.trim()) {
    bool space = c == ' ' || c == '\t' || c == '\n';
    if (!space)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  while (!result.empty() && (result.back() == ';' || result.back() == ' '))
    result.pop_back();
  return result;
}

} // namespace

llvm::Error Decoder::decodeAssembly(const llvm::CallInst &call, const llvm::InlineAsm &assembly) {
  std::string text = squeezeSpaces(assembly.getAsmString());
  llvm::SmallVector<const llvm::Value *, 4> operands;
  for (const llvm::Use &argument : call.args())
    operands.push_back(argument.get());
  // Approximate instructions, and those that carry cache hints a simulator has no cache for.
  const AssemblyForm unaryForms[] = {
      {"ex2.approx.f32 $0, $1", findFloatUnary("exp2", FloatFormat::Single)},
      {"ex2.approx.ftz.f32 $0, $1", findFloatUnary("exp2.ftz", FloatFormat::Single)},
      {"lg2.approx.f32 $0, $1", findFloatUnary("log2", FloatFormat::Single)},
      {"tanh.approx.f32 $0, $1", findFloatUnary("tanh", FloatFormat::Single)},
      {"rsqrt.approx.f32 $0, $1", findFloatUnary("rsqrt", FloatFormat::Single)},
  };
  for (const AssemblyForm &form : unaryForms)
    if (form.text == text)
      return decodeElementwise(call, operands, form.handler);
  if (text.empty() || text == "membar.gl" || text == "fence.proxy.async.shared::cta")
    return llvm::Error::success();
  return unsupported(call, "inline assembly it does not know");
}

} // namespace triton::simulator
