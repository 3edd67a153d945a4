// Inline assembly. The sequences of NVIDIA's library that carry from word to word are known by their text. Accesses of
// memory are decoded in DecodeAccess.cpp, and everything else instruction by instruction in DecodePtx.cpp. What is not
// understood is refused, because the simulator must run only what it understands.
#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::simulator::nvptx {

namespace {

/// A sequence of instructions, known by the text with which it begins; `$0` is the first output or input.
struct AssemblyForm {
  llvm::StringLiteral text; ///< spaces squeezed, without the final semicolon
  Handler handler;
};

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

llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &assembly) {
  std::string text = squeezeSpaces(assembly.getAsmString());
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
      return decoder.decodeWithList(call, form.handler);
  llvm::Expected<bool> isAccess = decodeAssemblyAccess(decoder, call, text);
  if (!isAccess)
    return isAccess.takeError();
  return *isAccess ? llvm::Error::success() : decodePtx(decoder, call, assembly);
}

} // namespace triton::simulator::nvptx
