#include "frontend/Object.h"

#include <gtest/gtest.h>

using namespace triton::frontend;

namespace {

TEST(Object, PrintsAsPython) {
  auto text = [](auto value) { return repr(*makeObject(std::move(value))); };
  EXPECT_EQ(repr(*makeInteger(-5)), "-5");
  EXPECT_EQ(text(true), "True");
  EXPECT_EQ(text(1.0), "1.0");
  EXPECT_EQ(text(-0.0), "-0.0");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(1e16), "1e+16");
  EXPECT_EQ(text(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(text(1.5e-5), "1.5e-05");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(std::string("a'b\n\x01")), "\"a'b\\n\\x01\"");
  EXPECT_EQ(text(std::string("\"'")), "'\"\\''");
  EXPECT_EQ(repr(*makeNone()), "None");
  EXPECT_EQ(text(ElementType{ScalarType::Float16}), "triton.language.float16");
  EXPECT_EQ(text(Tuple{{makeInteger(1)}, "", {}, nullptr}), "(1,)");
  EXPECT_EQ(text(Tuple{{makeInteger(1), makeNone()}, "P", {"x", "y"}, nullptr}), "P(x=1, y=None)");
}

} // namespace
