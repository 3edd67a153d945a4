#include "language_server/Features.h"

#include <gtest/gtest.h>

using namespace triton;
using namespace triton::language_server;

namespace {

constexpr llvm::StringLiteral header = "import triton\nimport triton.language as tl\n\n";

std::string kernel(llvm::StringRef name, llvm::StringRef statement) {
  return ("@triton.jit\ndef " + name + "(x, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n    " + statement + "\n\n")
      .str();
}

DocumentRef documentOf(const std::string &text, frontend::ModuleSources sources = nullptr) {
  llvm::Expected<lsp::URIForFile> uri = lsp::URIForFile::fromFile("/folder/kernels.py");
  if (!sources)
    sources = [](const std::string &path) { return frontend::recoverModule(path, "").source; };
  return std::make_shared<Document>(cantFail(std::move(uri)), 1, text, std::move(sources));
}

class AnalysisTest : public testing::Test {
protected:
  AnalysisRef analyze(const std::string &text) { return analyzer.analyze(documentOf(text), &isCancelled); }
  std::vector<std::string> messages(const std::string &text) {
    std::vector<std::string> found;
    AnalysisRef analysis = analyze(text);
    for (const ShownDiagnostic &diagnostic : analysis->diagnostics)
      if (diagnostic.severity == lsp::DiagnosticSeverity::Error)
        found.push_back(diagnostic.message);
    return found;
  }

  uint64_t stamp = 0;
  DocumentAnalyzer analyzer{[this](const std::string &) { return stamp; }};
  std::atomic<bool> isCancelled = false;
};

using Messages = std::vector<std::string>;

TEST_F(AnalysisTest, LowersOnlyWhatChanged) {
  std::string helper = "@triton.jit\ndef helper(v):\n    return v + 1\n\n";
  std::string first = kernel("first", "tl.store(x + i, helper(i))"), second = kernel("second", "tl.store(x + i, n)");
  EXPECT_EQ(analyze(header.str() + helper + first + second)->loweredKernels, 2u);
  EXPECT_EQ(analyze(header.str() + helper + first + second)->loweredKernels, 0u);
  EXPECT_EQ(analyze(header.str() + "# moved\n" + helper + first + second)->loweredKernels, 0u);
  EXPECT_EQ(analyze(header.str() + helper + first + second + "def host():\n    pass\n")->loweredKernels, 0u);
  EXPECT_EQ(analyze(header.str() + helper + first + kernel("second", "tl.store(x, n)"))->loweredKernels, 1u);
  std::string changed = "@triton.jit\ndef helper(v):\n    return v + 2\n\n";
  EXPECT_EQ(analyze(header.str() + changed + first + second)->loweredKernels, 2u) << "`second` is as it was before";
  EXPECT_EQ(analyze(header.str() + "W = tl.constexpr(2)\n" + changed + first + second)->loweredKernels, 2u)
      << "a global value may decide anything";
}

TEST_F(AnalysisTest, MovesResultsWithTheText) {
  std::string text = header.str() + kernel("f", "tl.store(x + i, missing)");
  uint32_t before = analyze(text)->diagnostics.at(0).range.begin;
  AnalysisRef moved = analyze("# above\n" + text);
  EXPECT_EQ(moved->diagnostics.at(0).range.begin, before + 8);
  EXPECT_EQ(moved->document->text.substr(moved->diagnostics.at(0).range.begin, 7), "missing");
  for (const Fact &fact : moved->facts)
    EXPECT_NE(std::string("import x triton tl n i B x jit range helper")
                  .find(moved->document->text.substr(fact.range.begin, fact.range.end - fact.range.begin)),
              std::string::npos);
}

TEST(GuessSearch, IsCutShortBehindAnError) {
  std::string statements = "y = tl.exp(n)\n";
  for (int line = 0; line < 40; ++line)
    statements += "    z = n + n + n\n";
  DocumentRef document = documentOf(header.str() + kernel("f", statements + "    tl.store(x + i, y)"));
  const frontend::Function &function = *document->syntax().kernels.front();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RunOptions options;
  options.deadline = std::chrono::steady_clock::time_point::min();
  SearchResult result = searchGuess(context, function, guessParameters(function, false), {}, {}, options);
  EXPECT_FALSE(result.run.isComplete);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings.front().guess, "`n` is `i32`");
}

TEST_F(AnalysisTest, GoesOnAfterErrors) {
  EXPECT_EQ(messages(header.str() + kernel("f", "a = missing\n    b = a + 1\n    c = absent\n    tl.store(x, b + c)")),
            (Messages{"`missing` is not defined", "`absent` is not defined"}))
      << "what follows from an error is not reported";
  EXPECT_EQ(messages(header.str() + kernel("f", "for k in range(n):\n        a = missing\n        tl.store(x, absent)\n"
                                                "    tl.store(x, vanished)")),
            (Messages{"`missing` is not defined", "`absent` is not defined", "`vanished` is not defined"}));
  EXPECT_EQ(messages(header.str() + kernel("f", "if missing:\n        return\n    tl.store(x, absent)")),
            (Messages{"`missing` is not defined", "`absent` is not defined"}));
  EXPECT_EQ(messages(header.str() + kernel("f", "a = 1\n    if n > 1:\n        a = missing\n    tl.store(x, a)")),
            (Messages{"`missing` is not defined"}));
  EXPECT_EQ(messages(header.str() + kernel("f", "a = 1\n    while a < n:\n        a += missing\n    tl.store(x, a)")),
            (Messages{"`missing` is not defined"}));
}

TEST_F(AnalysisTest, GoesOnAfterAnObjectThatIsNotComplete) {
  std::string type =
      "@triton.aggregate\nclass Pair:\n    first: tl.tensor\n    second: tl.tensor\n\n"
      "    @triton.jit\n    def __init__(self, a):\n        self.first = a\n        self.second = missing\n\n";
  EXPECT_EQ(messages(header.str() + type +
                     kernel("f", "pair = Pair(i)\n    tl.store(x, pair.first)\n    tl.store(x, absent)")),
            (Messages{"`missing` is not defined", "`absent` is not defined"}));
}

TEST_F(AnalysisTest, ReportsAFailedFunctionOnce) {
  std::string helper = "@triton.jit\ndef helper(v):\n    return v + missing\n\n";
  EXPECT_EQ(messages(header.str() + helper + kernel("f", "tl.store(x, helper(n))\n    tl.store(x, helper(n))")),
            (Messages{"`missing` is not defined"}));
}

TEST_F(AnalysisTest, DistinguishesGuessesFromFacts) {
  // Whatever the arguments are, 3 is no power of two and there is no second axis.
  EXPECT_EQ(messages(header.str() + kernel("f", "tl.store(x + tl.arange(0, 3), n)")).size(), 1u);
  EXPECT_EQ(messages(header.str() + kernel("f", "tl.store(x, tl.sum(tl.load(x + i), axis=1))")).size(), 1u);
  // Each of these is right for some arguments.
  for (llvm::StringRef statement :
       {"tl.store(x + i, tl.load(x + i) & 1)", "tl.store(x + i, tl.exp(tl.load(x + i)))", "tl.store(x + tl.load(x), n)",
        "tl.store(x + tl.arange(0, B // 3), n)", "tl.static_assert(B == 7)", "tl.store(n, x)",
        "tl.store(x, tl.load(x, cache_modifier=B))", "a, b = B", "a = B(x)", "tl.store(x, n.field)",
        "if B == 3:\n        tl.store(x, n)\n    else:\n        raise ValueError()"})
    EXPECT_EQ(messages(header.str() + kernel("f", statement)), Messages()) << statement.str();
}

TEST_F(AnalysisTest, NamesOfMissingFilesAreUnknown) {
  EXPECT_EQ(messages("from .other import helper\n" + header.str() + kernel("f", "tl.store(x, helper(n))")), Messages());
}

TEST_F(AnalysisTest, EndsWhenItIsCancelled) {
  isCancelled = true;
  EXPECT_EQ(analyze(header.str() + kernel("f", "tl.store(x, n)")), nullptr);
}

TEST_F(AnalysisTest, CarriesOverWhatDidNotChange) {
  std::string text = header.str() + kernel("f", "a = i + 1\n    b = i + 2\n    c = i + 3");
  AnalysisRef earlier = analyze(text);
  std::string edited = text;
  edited.replace(edited.find("b = i"), 1, "longer");
  AnalysisRef later = carryOver(earlier, documentOf(edited));
  auto typeAt = [&](llvm::StringRef statement) -> std::string {
    auto begin = static_cast<uint32_t>(edited.find(statement));
    llvm::ArrayRef<Fact> facts = later->factsAt({begin, begin + 1});
    return facts.empty() ? "" : facts.front().type;
  };
  EXPECT_EQ(typeAt("a = i"), "int32[64]");
  EXPECT_EQ(typeAt("c = i"), "int32[64]");
  EXPECT_EQ(typeAt("longer"), "");
}

} // namespace
