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

constexpr llvm::StringLiteral selectIfEqual =
    "{ .reg .pred __$$temp3; setp.equ.f64 __$$temp3, $1, $2; selp.f64 $0, $3, $4, __$$temp3;}";
constexpr llvm::StringLiteral wideSubtraction =
    "{ .reg .u32 r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3; mov.b64 {a0,a1}, $2; mov.b64 {a2,a3}, $3; "
    "mov.b64 {b0,b1}, $4; mov.b64 {b2,b3}, $5; sub.cc.u32";
constexpr llvm::StringLiteral wideAddition =
    "{ .reg .u32 r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3; mov.b64 {a0,a1}, $2; mov.b64 {a2,a3}, $3; "
    "mov.b64 {b0,b1}, $4; mov.b64 {b2,b3}, $5; add.cc.u32";

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
  const AssemblyForm elementwiseForms[] = {
      {"ex2.approx.f32 $0, $1", findFloatUnary("exp2", FloatFormat::Single)},
      {"ex2.approx.ftz.f32 $0, $1", findFloatUnary("exp2.ftz", FloatFormat::Single)},
      {"lg2.approx.f32 $0, $1", findFloatUnary("log2", FloatFormat::Single)},
      {"tanh.approx.f32 $0, $1", findFloatUnary("tanh", FloatFormat::Single)},
      {"rsqrt.approx.f32 $0, $1", findFloatUnary("rsqrt", FloatFormat::Single)},
      {"rsqrt.approx.ftz.f64 $0, $1", findFloatUnary("rsqrt", FloatFormat::Double)},
      {"rcp.approx.ftz.f32 $0,$1", findFloatUnary("rcp.ftz", FloatFormat::Single)},
      {"sub.rn.f32 $0, $1, $2", findFloatIntrinsic("sub", FloatFormat::Single)},
      {"sub.rn.f64 $0, $1, $2", findFloatIntrinsic("sub", FloatFormat::Double)},
  };
  for (const AssemblyForm &form : elementwiseForms)
    if (form.text == text)
      return decodeElementwise(call, operands, form.handler);
  // The library's sequences, known by their first steps.
  const AssemblyForm wideForms[] = {
      {"{ mad.lo.cc.u32 $0, $2, $3, $4; madc.hi.u32 $1, $2, $3, 0;", findWideArithmetic("mad.wide.u32")},
      {"{ .reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi; mov.b64", findWideArithmetic("mad.wide.u64")},
      {"{ .reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi, clo, chi;", findWideArithmetic("mad.wide.u64")},
      {wideSubtraction, findWideArithmetic("sub.u128")},
      {wideAddition, findWideArithmetic("add.u128")},
  };
  for (const AssemblyForm &form : wideForms)
    if (llvm::StringRef(text).starts_with(form.text))
      return decodeWithList(call, form.handler);
  if (text == selectIfEqual) {
    llvm::SmallVector<RegisterOffset, 4> registers;
    for (const llvm::Value *operand : operands) {
      llvm::Expected<RegisterOffset> value = readScalar(operand);
      if (!value)
        return value.takeError();
      registers.push_back(*value);
    }
    RegisterOffset condition = allocateRegister(0);
    emit(findFloatCompare(llvm::CmpInst::FCMP_UEQ, FloatFormat::Double), condition, {registers[0], registers[1]});
    emit(findSelect(8), defineNew(&call).front(), {condition, registers[2], registers[3]});
    return llvm::Error::success();
  }
  llvm::Expected<bool> isAccess = decodeAssemblyAccess(call, text);
  if (!isAccess)
    return isAccess.takeError();
  if (*isAccess || text.empty() || text == "membar.gl" || text == "fence.proxy.async.shared::cta")
    return llvm::Error::success();
  return unsupported(call, "inline assembly it does not know");
}

} // namespace triton::simulator
