#include "frontend/LexerState.h"
#include "frontend/ParseDiagnostics.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {

/// Consumes digits with single underscores between them. False when there is no digit or an underscore is in a wrong
/// place.
bool LexerState::scanDigits(llvm::function_ref<bool(char)> isDigit) {
  if (!isDigit(peek()))
    return false;
  for (;;) {
    while (isDigit(peek()))
      ++at;
    if (peek() != '_')
      return true;
    ++at;
    if (!isDigit(peek()))
      return false;
  }
}

void LexerState::lexNumber() {
  uint32_t begin = at;
  if (peek() == '0' && llvm::toLower(peek(1)) == 'x')
    scanRadixNumber(begin, "a hexadecimal number", llvm::isHexDigit);
  else if (peek() == '0' && llvm::toLower(peek(1)) == 'o')
    scanRadixNumber(begin, "an octal number", [](char c) { return c >= '0' && c <= '7'; });
  else if (peek() == '0' && llvm::toLower(peek(1)) == 'b')
    scanRadixNumber(begin, "a binary number", [](char c) { return c == '0' || c == '1'; });
  else
    scanDecimalNumber(begin);
  pushToken(TokenKind::Number, begin);
}

void LexerState::scanRadixNumber(uint32_t begin, llvm::StringRef name, llvm::function_ref<bool(char)> isDigit) {
  at += 2;
  if (peek() == '_')
    ++at;
  bool isValid = scanDigits(isDigit);
  if (isValid && !llvm::isDigit(peek()))
    return checkNumberEnd(begin, name);
  while (isNameContinue(peek()))
    ++at;
  error(diagnostics::InvalidNumber, begin, at, name);
}

void LexerState::scanDecimalNumber(uint32_t begin) {
  auto isDigit = [](char c) { return llvm::isDigit(c); };
  bool isValid = peek() == '.' || scanDigits(isDigit);
  uint32_t integerEnd = at;
  bool isInteger = true;
  if (isValid && peek() == '.') {
    isInteger = false;
    ++at;
    if (isDigit(peek()))
      isValid = scanDigits(isDigit);
  }
  if (isValid && llvm::toLower(peek()) == 'e' &&
      (isDigit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && isDigit(peek(2))))) {
    isInteger = false;
    at += isDigit(peek(1)) ? 1 : 2;
    isValid = scanDigits(isDigit);
  }
  if (isValid && llvm::toLower(peek()) == 'j') {
    isInteger = false;
    ++at;
  }
  if (!isValid) {
    while (isNameContinue(peek()))
      ++at;
    return error(diagnostics::InvalidNumber, begin, at, "a decimal number");
  }
  llvm::StringRef digits = text.slice(begin, integerEnd);
  if (isInteger && digits.starts_with("0") && digits.find_first_not_of("0_") != llvm::StringRef::npos) {
    std::string value = digits.ltrim("0_").str();
    bool maybeOctal = value.find_first_of("89") == std::string::npos;
    std::string remedy = "`" + value + "`" + (maybeOctal ? ", or `0o" + value + "` for an octal number" : "");
    error(diagnostics::LeadingZero, begin, at, remedy);
  }
  checkNumberEnd(begin, "a decimal number");
}

/// A name must not directly follow a number. The exceptions are the keywords with which Python lets an operator begin.
void LexerState::checkNumberEnd(uint32_t begin, llvm::StringRef name) {
  if (!isNameContinue(peek()))
    return;
  llvm::StringRef rest = text.substr(at);
  for (llvm::StringRef keyword : {"and", "else", "for", "if", "in", "is", "not", "or"})
    if (rest.starts_with(keyword))
      return;
  while (isNameContinue(peek()))
    ++at;
  error(diagnostics::InvalidNumber, begin, at, name);
}

} // namespace triton::frontend
