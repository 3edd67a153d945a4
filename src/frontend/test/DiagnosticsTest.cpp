#include "frontend/DiagnosticKinds.h"

#include <gtest/gtest.h>

#include <set>

using namespace triton::frontend;

namespace {

constexpr DiagnosticKind<void(std::string, int)> example("Example", DiagnosticClass::Error, "`{0}` is {1} of {{}",
                                                         "make `{0}` less");
constexpr DiagnosticKind<void()> hint("Hint", DiagnosticClass::Note, "see here", "");

TEST(Diagnostics, RendersPlaceRemedyAndNotes) {
  auto source = Source::create("a.py", "first = 1\n\tsecond = first\n");
  Diagnostic diagnostic = makeDiagnostic(example, *source, {20, 25}, "first", 3);
  diagnostic.note(hint, *source, {0, 5});
  EXPECT_EQ(diagnostic.str(), "a.py:2:11: error: `first` is 3 of {}\n"
                              "    second = first\n"
                              "             ^~~~~\n"
                              "help: make `first` less\n"
                              "a.py:1:1: note: see here\n"
                              "first = 1\n"
                              "^~~~~\n");
}

TEST(Diagnostics, RendersWithoutASource) {
  try {
    throwError(example, "x", 2);
    FAIL();
  } catch (const DiagnosticError &error) {
    EXPECT_STREQ(error.what(), "error: `x` is 2 of {}\nhelp: make `x` less\n");
    EXPECT_EQ(error.first().info->name, "Example");
  }
}

TEST(Diagnostics, MarksOnlyTheFirstLine) {
  auto source = Source::create("a.py", "call(\n  1)\n");
  EXPECT_EQ(makeDiagnostic(hint, *source, {0, 10}).str(), "a.py:1:1: note: see here\ncall(\n^~~~~\n");
}

TEST(Diagnostics, MarksTheEndOfTheText) {
  auto source = Source::create("a.py", "x = ");
  EXPECT_EQ(makeDiagnostic(hint, *source, {4, 4}).str(), "a.py:1:5: note: see here\nx = \n    ^\n");
  auto empty = Source::create("a.py", "");
  EXPECT_EQ(makeDiagnostic(hint, *empty, {0, 0}).str(), "a.py:1:1: note: see here\n\n^\n");
}

TEST(Diagnostics, CutsLongLines) {
  auto source = Source::create("a.py", std::string(500, 'a') + " b " + std::string(500, 'c'));
  std::string text = makeDiagnostic(hint, *source, {501, 502}).str();
  std::vector<std::string> lines(1);
  for (char c : text)
    c == '\n' ? lines.emplace_back() : lines.back() += c;
  EXPECT_LE(lines[1].size(), 130u);
  EXPECT_EQ(lines[1][lines[2].find('^')], 'b');
}

TEST(Diagnostics, ShowsNoControlCharacters) {
  auto source = Source::create("a.py", "a \x1b[31m \x01 \xff b");
  EXPECT_EQ(makeDiagnostic(hint, *source, {13, 14}).str().find('\x1b'), std::string::npos);
}

TEST(Diagnostics, RegistersEachNameOnce) {
  std::set<std::string> names;
  for (const DiagnosticInfo *info : allDiagnostics()) {
    EXPECT_TRUE(names.insert(info->name.str()).second) << info->name.str();
    EXPECT_FALSE(info->message.ends_with(".")) << info->name.str();
    EXPECT_FALSE(!info->message.empty() && std::isupper(info->message[0]) && !info->message.starts_with("NUL"))
        << info->name.str();
  }
}

} // namespace
