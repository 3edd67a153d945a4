#include "language_server/Cursor.h"

#include <gtest/gtest.h>

using namespace triton::language_server;
using Words = std::vector<std::string>;

/// The cursor at the `^` of a text.
static Cursor at(std::string text) {
  size_t offset = text.find('^');
  text.erase(offset, 1);
  return cursorAt(text, static_cast<uint32_t>(offset));
}

TEST(CursorTest, FindsThePrefixAndItsOwner) {
  Cursor cursor = at("import x\n\ndef f(a):\n    y = tl.math.lo^");
  EXPECT_EQ(cursor.prefix, "lo");
  EXPECT_TRUE(cursor.isMember);
  EXPECT_EQ(cursor.owner, (Words{"tl", "math"}));
  EXPECT_FALSE(cursor.call);

  cursor = at("y = f(1).^");
  EXPECT_TRUE(cursor.isMember);
  EXPECT_TRUE(cursor.owner.empty()) << "a member of a call";

  cursor = at("y = fo^o + 1");
  EXPECT_EQ(cursor.prefix, "fo");
  EXPECT_FALSE(cursor.isMember);
}

TEST(CursorTest, FindsTheCall) {
  Cursor cursor = at("y = tl.load(p + g(1, 2), mask=m, other=^");
  ASSERT_TRUE(cursor.call);
  EXPECT_EQ(cursor.call->callee, (Words{"tl", "load"}));
  EXPECT_EQ(cursor.call->position, 2u);
  EXPECT_EQ(cursor.call->keyword, "other");
  EXPECT_EQ(cursor.call->keywords, Words{"mask"});

  cursor = at("y = f(a, [1, 2, ^");
  ASSERT_TRUE(cursor.call);
  EXPECT_EQ(cursor.call->callee, Words{"f"});

  cursor = at("y = f(a, (b + ^");
  ASSERT_TRUE(cursor.call);
  EXPECT_EQ(cursor.call->callee, Words{"f"});

  EXPECT_FALSE(at("y = f(a, b)\nz = ^").call);
  EXPECT_FALSE(at("def f(a, ^").call) << "a definition is no call";
}

TEST(CursorTest, KnowsCommentsAndStrings) {
  EXPECT_TRUE(at("x = 1 # tl.^").isInText);
  EXPECT_TRUE(at("x = 'tl.^").isInText);
  EXPECT_TRUE(at("x = \"\"\"\n  tl.^").isInText);
  EXPECT_FALSE(at("x = '#' + tl.^").isInText);
  EXPECT_FALSE(at("^").isInText);
}

TEST(CursorTest, FindsDottedNames) {
  std::string text = "y = a.b.cde + 1";
  DottedName name = dottedNameAt(text, 9);
  EXPECT_EQ(name.parts, (Words{"a", "b", "cde"}));
  EXPECT_EQ(name.range, (triton::base::SourceRange{8, 11}));
  EXPECT_EQ(dottedNameAt(text, 4).parts, Words{"a"});
  EXPECT_TRUE(dottedNameAt(text, 14).parts.empty()) << "a number";
  EXPECT_TRUE(dottedNameAt("f().x", 5).parts.empty());
}
