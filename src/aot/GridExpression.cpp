#include "aot/GridExpression.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace triton::aot {
namespace {

using llvm::StringRef;

// Longer ones first. Those that change a variable, and a comma, are none here.
constexpr StringRef binaryOperators[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*", "/",
                                         "%",  "+",  "-",  "<",  ">",  "&",  "^",  "|",  "?"};

bool isNumberCharacter(char c) { return llvm::isAlnum(c) || c == '.'; }
bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_' || (c & 0x80) != 0; }

/// Follows the grammar of C, without its precedences, which do not decide what is an expression.
class Checker {
public:
  explicit Checker(StringRef text) : text(text), rest(text) {}

  std::string check() {
    skipSpace();
    readExpression();
    if (problem.empty() && !rest.empty())
      fail("`" + word() + "` cannot follow `" + text.drop_back(rest.size()).rtrim().str() + "`");
    return problem;
  }

private:
  void fail(const std::string &message) {
    if (problem.empty())
      problem = message;
    rest = "";
  }

  /// What comes next, for messages.
  std::string word() const {
    StringRef next = rest.take_while(isNameCharacter);
    return (next.empty() ? rest.take_front(1) : next).str();
  }

  void skipSpace() { rest = rest.ltrim(); }

  bool consume(StringRef token) {
    if (!rest.consume_front(token))
      return false;
    skipSpace();
    return true;
  }

  void require(StringRef token) {
    if (!consume(token))
      fail("`" + token.str() + "` is missing");
  }

  /// What means another thing in C than in Python.
  bool failsAtForeignOperator() {
    if (rest.starts_with("//"))
      fail("`//` begins a comment in C; `/` divides integers");
    else if (rest.starts_with("**"))
      fail("C has no operator `**`");
    else if (rest.starts_with("++") || rest.starts_with("--"))
      fail("`" + rest.take_front(2).str() + "` changes a variable in C; put a space between");
    else
      return false;
    return true;
  }

  std::optional<StringRef> takeOperator() {
    for (StringRef token : binaryOperators)
      if (consume(token))
        return token;
    return std::nullopt;
  }

  void readExpression() {
    readOperand();
    while (problem.empty() && !failsAtForeignOperator()) {
      std::optional<StringRef> found = takeOperator();
      if (!found)
        return;
      if (*found == "?") {
        readExpression();
        require(":");
      }
      readOperand();
    }
  }

  void readOperand() {
    if (!problem.empty() || failsAtForeignOperator())
      return;
    if (consume("-") || consume("+") || consume("~") || consume("!"))
      return readOperand();
    if (consume("("))
      return readParenthesis();
    if (!rest.empty() && (llvm::isDigit(rest.front()) || rest.front() == '.'))
      return take(isNumberCharacter);
    StringRef name = rest.take_while(isNameCharacter);
    if (name.empty())
      return fail("an operand is missing " + (rest.empty() ? std::string("at the end") : "before `" + word() + "`"));
    take(isNameCharacter);
    if (name != "sizeof")
      return;
    require("(");
    readType();
    require(")");
  }

  /// An expression, or a cast and its operand.
  void readParenthesis() {
    bool isCast = isWordOfExpressions(rest.take_while(isNameCharacter)) && !rest.starts_with("sizeof");
    isCast ? readType() : readExpression();
    require(")");
    if (isCast)
      readOperand();
  }

  void readType() {
    while (isWordOfExpressions(rest.take_while(isNameCharacter)))
      take(isNameCharacter);
  }

  void take(bool (*belongs)(char)) {
    rest = rest.drop_while(belongs);
    skipSpace();
  }

  StringRef text, rest;
  std::string problem;
};

} // namespace

bool isWordOfExpressions(StringRef word) {
  static const llvm::StringSet<> words = {"int",      "unsigned", "signed",   "long",    "short",   "char",
                                          "size_t",   "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t",
                                          "uint16_t", "uint32_t", "uint64_t", "float",   "double",  "sizeof"};
  return words.contains(word);
}

std::string findProblem(StringRef expression) { return Checker(expression).check(); }

} // namespace triton::aot
