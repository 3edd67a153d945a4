#include "frontend/Lexer.h"
#include "frontend/ParseDiagnostics.h"

#include <gtest/gtest.h>

using namespace triton::frontend;

namespace {

/// The tokens as text: the spelling of those that have one, the description of the others.
std::string tokensOf(std::string text, LexStart start = LexStart::File) {
  auto source = Source::create("test.py", std::move(text));
  DiagnosticSink sink(*source);
  std::string result;
  for (const Token &token : lex(*source, start, sink)) {
    llvm::StringRef spelling = source->text(token.range);
    bool isLayout = token.kind <= TokenKind::Dedent;
    result += (isLayout ? "<" + std::to_string(unsigned(token.kind)) + ">" : spelling.str()) + " ";
  }
  for (const Diagnostic &diagnostic : sink.take())
    result += "!" + diagnostic.info->name.str();
  return result;
}

const std::string end = "<0> ", newline = "<1> ", indent = "<2> ", dedent = "<3> ";

TEST(Lexer, JoinsLines) {
  EXPECT_EQ(tokensOf("a = (1,\n  # x\n\n 2)\nb = a \\\n c"), "a = ( 1 , 2 ) " + newline + "b = a c " + newline + end);
}

TEST(Lexer, FindsBlocks) {
  EXPECT_EQ(tokensOf("if a:\n  b\n\n# c\n  d\ne\n"),
            "if a : " + newline + indent + "b " + newline + "d " + newline + dedent + "e " + newline + end);
}

TEST(Lexer, AcceptsAnIndentedFunction) {
  EXPECT_EQ(tokensOf("  def f():\n    a\n", LexStart::Function),
            "def f ( ) : " + newline + indent + "a " + newline + dedent + end);
  EXPECT_EQ(tokensOf("  a\n", LexStart::File), indent + "a " + newline + dedent + end);
}

TEST(Lexer, TakesTheLongestOperator) {
  EXPECT_EQ(tokensOf("a**=b//=c>>=d->e:=f...g!=h<=i"),
            "a **= b //= c >>= d -> e := f ... g != h <= i " + newline + end);
}

TEST(Lexer, SplitsNumbersFromKeywords) {
  EXPECT_EQ(tokensOf("1if 0x1for 1.e5or 1_0j"), "1 if 0x1f or 1.e5 or 1_0j " + newline + end);
}

TEST(Lexer, SplitsFStrings) {
  EXPECT_EQ(tokensOf(R"(f'a{b!r:>{c}}{{' x)"), "f' a { b ! r : > { c } } {{ ' x " + newline + end);
  EXPECT_EQ(tokensOf(R"(f"{a["b"]}" rf'\{c}')"), R"(f" { a [ "b" ] } " rf' \ { c } ' )" + newline + end);
  EXPECT_EQ(tokensOf("f'{x:=5}' f'{(x:=5)}' f'{a != b}'"),
            "f' { x : =5 } ' f' { ( x := 5 ) } ' f' { a != b } ' " + newline + end);
}

TEST(Lexer, KnowsUnicodeNames) {
  EXPECT_EQ(tokensOf("é名_1 = ª"), "é名_1 = ª " + newline + end);
  EXPECT_EQ(tokensOf("a€"), "a € " + newline + end + "!InvalidCharacter");
}

TEST(Lexer, ReportsInTheOrderOfTheText) {
  auto source = Source::create("test.py", "a = (\nb = ?\n");
  DiagnosticSink sink(*source);
  lex(*source, LexStart::File, sink);
  std::vector<Diagnostic> found = sink.take();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].info, &diagnostics::BracketNeverClosed);
  EXPECT_EQ(found[1].info, &diagnostics::InvalidCharacter);
}

TEST(Lexer, RecoversFromAnOpenBracketAtAStatement) {
  EXPECT_EQ(tokensOf("a = f(\ndef g(): pass\n"),
            "a = f ( ( " + newline + "def g ( ) : pass " + newline + end + "!BracketNeverClosed");
}

} // namespace
