#include "frontend/Parser.h"
#include "base/Diagnostics.h"
#include "frontend/Dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace triton::frontend;
using llvm::cast;
using testing::HasSubstr;

namespace {

std::string errorsOf(std::string text) {
  try {
    parseModule("test.py", std::move(text));
    return "";
  } catch (const DiagnosticError &error) {
    return error.str();
  }
}

TEST(Parser, ParsesAFunctionOutOfItsFile) {
  std::string text = "    @triton.jit\n    def f(x):\n        return x +\\\n  1\n";
  ParsedFunction function = parseFunction("file.py", text, 40);
  EXPECT_EQ(function.definition->name.name, "f");
  EXPECT_EQ(function.source->location(function.definition->range), (Location{41, 5}));
  EXPECT_EQ(function.definition->decorators.size(), 1u);
  const auto &result = *cast<ast::Return>(function.definition->body[0]);
  EXPECT_EQ(function.source->location(result.value->range), (Location{42, 16}));
}

TEST(Parser, ShiftsColumnsOfDedentedText) {
  ParsedFunction function = parseFunction("file.py", "def f(x):\n  return x\n", 3, 4);
  EXPECT_EQ(function.source->location(function.definition->name.range), (Location{3, 9}));
}

TEST(Parser, RefusesATextThatIsNoFunction) {
  EXPECT_THROW(parseFunction("file.py", "x = 1\n"), DiagnosticError);
  EXPECT_THROW(parseFunction("file.py", ""), DiagnosticError);
}

TEST(Parser, ParsesAFunctionWhenItIsUsed) {
  std::string text = "    @jit(  # def\n        a)\n    def f(x):\n        return x\n\n";
  UnparsedFunction function = parseFunctionLater("file.py", text, 40, 0);
  EXPECT_EQ(function.source->text(function.place), "def f(x):\n        return x");
  EXPECT_EQ(function.source->location(function.place), (Location{42, 5}));
  EXPECT_EQ(function.source->parsed(), nullptr);
  Definition copy = function.definition;
  EXPECT_EQ(function.definition->name.name, "f");
  EXPECT_EQ(copy, function.definition);
  EXPECT_EQ(function.definition->range, function.place);
}

TEST(Parser, FindsADefinitionWhateverFollowsItsKeyword) {
  std::string body = "f(x):\n    \"\"\"\n    def of nothing\n    \"\"\"\n    return x";
  for (const char *begin : {"def\t", "def\\\n  ", "async\tdef ", "def  "}) {
    UnparsedFunction function = parseFunctionLater("file.py", "@jit(\n  default=1)\n" + (begin + body), 1, 0);
    EXPECT_EQ(function.source->text(function.place), begin + body);
  }
}

TEST(Parser, RefusesAWrongFunctionWheneverItIsUsed) {
  UnparsedFunction function = parseFunctionLater("file.py", "x = 1\n", 1, 0);
  EXPECT_EQ(function.source->text(function.place), "x = 1");
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_THROW((void)function.definition->name, DiagnosticError);
}

TEST(Parser, RecordsNarrowRanges) {
  auto source = parseModule("test.py", "x = (a + b) * f(c, k=d)\n");
  const auto &product = *cast<ast::BinOp>(cast<ast::Assign>(moduleOf(*source).body[0])->value);
  EXPECT_EQ(source->text(product.range), "(a + b) * f(c, k=d)");
  EXPECT_EQ(source->text(product.left->range), "a + b");
  EXPECT_EQ(source->text(product.operatorRange), "*");
  const auto &call = *cast<ast::Call>(product.right);
  EXPECT_EQ(source->text(call.keywords[0].range), "k=d");
  EXPECT_EQ(source->text(call.keywords[0].name.range), "k");
}

TEST(Parser, ReadsIntegersOfAnySize) {
  auto source = parseModule("test.py", "0xFFFFFFFFFFFFFFFF\n340282366920938463463374607431768211456\n0\n");
  auto value = [&](size_t i) {
    return cast<ast::Constant>(cast<ast::ExpressionStatement>(moduleOf(*source).body[i])->value)->integer();
  };
  EXPECT_EQ(value(0).getActiveBits(), 64u);
  EXPECT_FALSE(value(0).isNegative());
  EXPECT_EQ(value(1).getActiveBits(), 129u);
  EXPECT_TRUE(value(2).isZero());
}

TEST(Parser, ReportsSeveralErrors) {
  std::string errors = errorsOf("def f(x y):\n    x = = 1\n    y = 2 3\nz = )\n");
  EXPECT_THAT(errors, HasSubstr("test.py:1:9: error: "));
  EXPECT_THAT(errors, HasSubstr("test.py:2:9: error: "));
  EXPECT_THAT(errors, HasSubstr("test.py:3:11: error: "));
  EXPECT_THAT(errors, HasSubstr("test.py:4:5: error: "));
}

TEST(Parser, ReportsNothingTwice) {
  // When the head of a statement is wrong, its branches are not reported as further errors.
  std::string errors = errorsOf("if x ==:\n    pass\nelif y:\n    pass\nelse:\n    pass\n");
  EXPECT_EQ(errors.find(": error: "), errors.rfind(": error: "));
}

TEST(Parser, KeepsWhatIsRightOfAText) {
  RecoveredModule recovered = recoverModule("test.py", "a = 1\nb = = 2\nc = 3\n");
  EXPECT_EQ(moduleOf(*recovered.source).body.size(), 2u);
  EXPECT_EQ(recovered.diagnostics.size(), 1u);
}

TEST(Parser, EndsABracketBeforeADefinitionWithItsDecorators) {
  for (std::string newline : {"\n", "\r\n"}) {
    std::string text;
    for (const char *line : {"a = (1 +", "@x.y", "@z(1)", "def f():", "    b = [", "    return 1", "c = 3"})
      (text += line) += newline;
    RecoveredModule recovered = recoverModule("test.py", text);
    ast::Statements body = moduleOf(*recovered.source).body;
    ASSERT_EQ(body.size(), 2u);
    auto *definition = llvm::dyn_cast<ast::FunctionDef>(body[0]);
    ASSERT_TRUE(definition);
    EXPECT_EQ(definition->decorators.size(), 2u);
    EXPECT_EQ(definition->body.size(), 1u);
    EXPECT_EQ(recovered.diagnostics.size(), 2u);
  }
}

TEST(Parser, EndsABracketOfADecorator) {
  RecoveredModule recovered = recoverModule("test.py", "a = (\n@x(\n@y\ndef f():\n    pass\n");
  ast::Statements body = moduleOf(*recovered.source).body;
  ASSERT_EQ(body.size(), 1u);
  EXPECT_EQ(llvm::cast<ast::FunctionDef>(body[0])->decorators.size(), 1u);
}

TEST(Parser, VisitsChildrenInTheOrderOfTheText) {
  auto source = parseModule("test.py", "def f(a: b = c): return d if e else g(h, *i, k=j)[l:m, n]\n");
  std::vector<std::string> names;
  std::function<void(const ast::Node &)> visit = [&](const ast::Node &node) {
    if (auto *name = llvm::dyn_cast<ast::Name>(&node))
      names.push_back(name->id.str());
    ast::forEachChild(node, visit);
  };
  visit(*moduleOf(*source).body[0]);
  EXPECT_THAT(names, testing::ElementsAre("b", "c", "d", "e", "g", "h", "i", "j", "l", "m", "n"));
}

TEST(Parser, DumpsEveryKindOfNode) {
  // The goldens in ast/ show the trees. This test checks only that ranges are listed for all nodes.
  auto source = parseModule("test.py", "a = [b, c]\n");
  std::string text;
  llvm::raw_string_ostream stream(text);
  dumpRanges(moduleOf(*source), stream);
  EXPECT_EQ(text, "Assign 0 10\nName 0 1\nList 4 10\nName 5 6\nName 8 9\n");
}

} // namespace
