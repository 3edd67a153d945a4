#include "language_server/Names.h"

#include <gtest/gtest.h>

using namespace triton;
using namespace triton::language_server;

namespace {

struct Parsed {
  explicit Parsed(std::string text) : function(frontend::parseFunction("f.py", std::move(text))) {}
  FunctionNames names() const { return namesOf(*function.definition); }
  frontend::ParsedFunction function;
};

} // namespace

TEST(NamesTest, ComprehensionsHaveScopesOfTheirOwn) {
  Parsed parsed("def f(a):\n    b = [a * x for a in range(a)][0] + x\n    return a, b\n");
  FunctionNames names = parsed.names();
  const Occurrence *parameter = names.at(6);
  ASSERT_TRUE(parameter);
  EXPECT_TRUE(parameter->isBinding);
  // The parameter, the comprehension's first iterable, and the `return`.
  EXPECT_EQ(names.same(*parameter).size(), 3u);
  std::vector<llvm::StringRef> globals;
  globals.reserve(names.globals.size());
  for (const Occurrence &occurrence : names.globals)
    globals.push_back(occurrence.name);
  EXPECT_EQ(globals, (std::vector<llvm::StringRef>{"x", "range", "x"}));
}

TEST(NamesTest, FindsBindingsOfEveryKind) {
  Parsed parsed("def f():\n    a, (b, [c]) = 1, (2, [3])\n    for d in x:\n        e += 1\n    g: int = (h := 2)\n"
                "    i[j] = k.l\n    global m\n");
  FunctionNames names = parsed.names();
  std::vector<llvm::StringRef> bound;
  for (const Occurrence &occurrence : names.local)
    if (occurrence.isBinding)
      bound.push_back(occurrence.name);
  EXPECT_EQ(bound, (std::vector<llvm::StringRef>{"a", "b", "c", "d", "e", "g", "h"}));
  EXPECT_TRUE(names.declaresGlobals);
}
