#include "ptx/PtxText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

namespace triton::ptx {

bool PtxInstruction::has(llvm::StringRef modifier) const { return llvm::is_contained(modifiers, modifier); }

std::string removeComments(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.starts_with("/*")) {
      std::size_t end = text.find("*/", 2);
      text = end == llvm::StringRef::npos ? "" : text.substr(end + 2);
      result += ' ';
    } else {
      result += text.front();
      text = text.drop_front();
    }
  }
  return result;
}

/// Takes `[a]` or `[a, {b, c}]` from the front of a text.
static PtxOperand takeAddress(llvm::StringRef &text) {
  llvm::StringRef whole = text.take_until([](char c) { return c == ']'; });
  text = text.drop_front(whole.size());
  text.consume_front("]");
  text = text.ltrim();
  text.consume_front(",");
  auto [base, rest] = whole.split('{');
  if (rest.empty())
    return {llvm::StringRef(whole.data(), whole.size() + 1)};
  PtxOperand operand{base.rtrim(" ,\t\n")};
  llvm::SmallVector<llvm::StringRef> names;
  rest.split('}').first.split(names, ',');
  for (llvm::StringRef name : names)
    operand.push_back(name.trim());
  return operand;
}

/// `a, {b, c}, d` or, if an instruction has two results, `a|b`.
static llvm::SmallVector<PtxOperand, 4> parseOperands(llvm::StringRef text) {
  llvm::SmallVector<PtxOperand, 4> operands;
  while (!(text = text.ltrim()).empty()) {
    if (text.starts_with("[") && text.contains(']')) {
      operands.push_back(takeAddress(text));
      continue;
    }
    PtxOperand &operand = operands.emplace_back();
    llvm::StringRef parts;
    bool braced = text.consume_front("{");
    parts = text.take_until([&](char c) { return c == (braced ? '}' : ','); });
    text = text.drop_front(parts.size());
    if (braced)
      text = text.drop_front(text.empty() ? 0 : 1).ltrim();
    text.consume_front(",");
    llvm::SmallVector<llvm::StringRef> names;
    parts.split(names, braced ? ',' : '|');
    for (llvm::StringRef name : names)
      operand.push_back(name.trim());
  }
  return operands;
}

static llvm::Error parseStatement(llvm::StringRef statement, PtxText &text) {
  llvm::StringRef rest = statement;
  if (rest.consume_front(".reg")) {
    llvm::StringRef type = rest.ltrim().take_until([](char c) { return llvm::isSpace(c); });
    llvm::SmallVector<llvm::StringRef> names;
    rest.ltrim().drop_front(type.size()).split(names, ',');
    for (llvm::StringRef name : names)
      text.declarations.push_back({type.ltrim('.'), name.trim()});
    return llvm::Error::success();
  }
  PtxInstruction &instruction = text.instructions.emplace_back();
  instruction.text = statement;
  if (rest.consume_front("@")) {
    instruction.isNegated = rest.consume_front("!");
    instruction.predicate = rest.take_until([](char c) { return llvm::isSpace(c); });
    rest = rest.drop_front(instruction.predicate.size()).ltrim();
  }
  llvm::StringRef name = rest.take_until([](char c) { return llvm::isSpace(c); });
  if (name.empty() || !llvm::isAlpha(name.front()) || name.ends_with(":"))
    return llvm::createStringError("`" + statement + "`, which is not an instruction");
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '.');
  instruction.opcode = parts.front();
  instruction.modifiers.append(parts.begin() + 1, parts.end());
  instruction.operands = parseOperands(rest.drop_front(name.size()));
  return llvm::Error::success();
}

/// Takes `name:` from the front of a text.
static std::optional<llvm::StringRef> takeLabel(llvm::StringRef &text) {
  llvm::StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; });
  llvm::StringRef rest = text.drop_front(name.size()).ltrim();
  if (name.empty() || llvm::isDigit(name[0]) || !rest.consume_front(":") || rest.starts_with(":"))
    return std::nullopt;
  text = rest;
  return name;
}

llvm::Expected<PtxText> parsePtx(llvm::StringRef text) {
  PtxText result;
  while (!(text = text.ltrim(" \t\r\n;")).empty()) {
    // A brace at the start of a statement opens or closes a scope.
    if (text.consume_front("{") || text.consume_front("}"))
      continue;
    if (std::optional<llvm::StringRef> label = takeLabel(text)) {
      result.labels.push_back({*label, unsigned(result.instructions.size())});
      continue;
    }
    llvm::StringRef statement = text.take_until([](char c) { return c == ';'; });
    text = text.drop_front(statement.size());
    // The last statement of a scope may lack its semicolon.
    llvm::StringRef trimmed = statement.rtrim();
    while (trimmed.count('}') > trimmed.count('{') && trimmed.consume_back("}"))
      trimmed = trimmed.rtrim();
    if (llvm::Error error = parseStatement(trimmed, result))
      return std::move(error);
  }
  return result;
}

std::optional<uint64_t> parseImmediate(llvm::StringRef text, unsigned floatBytes) {
  uint64_t bits = 0;
  llvm::StringRef digits = text;
  if ((digits.consume_front_insensitive("0f") && digits.size() == 8) ||
      (digits.consume_front_insensitive("0d") && digits.size() == 16))
    return digits.getAsInteger(16, bits) ? std::nullopt : std::optional(bits);
  if (floatBytes != 0) {
    double value = 0;
    if (text.getAsDouble(value))
      return std::nullopt;
    return floatBytes == 4 ? llvm::bit_cast<uint32_t>(float(value)) : llvm::bit_cast<uint64_t>(value);
  }
  digits = text;
  bool negative = digits.consume_front("-");
  digits.consume_back("U");
  if (digits.getAsInteger(0, bits))
    return std::nullopt;
  return negative ? 0 - bits : bits;
}

} // namespace triton::ptx
