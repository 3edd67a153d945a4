#include "language_server/LineTable.h"

#include <gtest/gtest.h>

using namespace triton::language_server;

TEST(LineTableTest, CountsUnitsOfUtf16) {
  // One byte, two bytes, three bytes, and four bytes that are two units.
  LineTable table("a = 'ä€𝄞'\nb");
  EXPECT_EQ(table.position(5), lsp::Position(0, 5));
  EXPECT_EQ(table.position(7), lsp::Position(0, 6));
  EXPECT_EQ(table.position(10), lsp::Position(0, 7));
  EXPECT_EQ(table.position(14), lsp::Position(0, 9));
  EXPECT_EQ(table.position(16), lsp::Position(1, 0));
  EXPECT_EQ(table.offset({0, 9}), 14u);
  EXPECT_EQ(table.offset({0, 8}), 10u) << "a place between the halves of a character is before it";
  EXPECT_EQ(table.offset({1, 0}), 16u);
}

TEST(LineTableTest, MovesPlacesBackIntoTheText) {
  LineTable table("ab\r\ncd\re");
  EXPECT_EQ(table.offset({0, 99}), 2u);
  EXPECT_EQ(table.offset({1, 1}), 5u);
  EXPECT_EQ(table.offset({2, 0}), 7u);
  EXPECT_EQ(table.offset({99, 0}), 8u);
  EXPECT_EQ(table.offset({-1, 0}), 0u);
  EXPECT_EQ(table.position(1000), lsp::Position(2, 1));
}

TEST(LineTableTest, AppliesChanges) {
  std::string text = "x = '𝄞'\ny = 1\n";
  applyChange(text, {lsp::Range({0, 7}, {0, 8}), std::nullopt, "\""});
  EXPECT_EQ(text, "x = '𝄞\"\ny = 1\n");
  applyChange(text, {lsp::Range({1, 0}, {99, 0}), std::nullopt, ""});
  EXPECT_EQ(text, "x = '𝄞\"\n");
  applyChange(text, {lsp::Range({5, 0}, {0, 0}), std::nullopt, "!"});
  EXPECT_EQ(text, "x = '𝄞\"\n!") << "a range whose end is before its begin is empty";
  applyChange(text, {std::nullopt, std::nullopt, "all"});
  EXPECT_EQ(text, "all");
}
