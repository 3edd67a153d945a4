// The text of instructions for which ptxas assumes that they do not overflow.
#include "backends/nvidia/DefineNegation.h"

#include <gtest/gtest.h>

using triton::nvidia::defineNegation;

TEST(DefineNegation, WritesNegationsAsComplementsPlusOne) {
  EXPECT_EQ(defineNegation("\tneg.s32 \t%r3, %r1;\n\tret;\n"),
            "\tnot.b32 \t%r3, %r1;\n\tadd.s32 \t%r3, %r3, 1;\n\tret;\n");
  EXPECT_EQ(defineNegation("\tneg.s64 \t%rd3, %rd3;"), "\tnot.b64 \t%rd3, %rd3;\n\tadd.s64 \t%rd3, %rd3, 1;");
}

TEST(DefineNegation, KeepsTheOperandOfAnAbsoluteValue) {
  EXPECT_EQ(defineNegation("\tabs.s32 \t%r1, %r1;\n"),
            "\t{ .reg .b32 \t%negated;\n\tnot.b32 \t%negated, %r1;\n\tadd.s32 \t%negated, %negated, 1;\n"
            "\tmax.s32 \t%r1, %negated, %r1; }\n");
}

TEST(DefineNegation, LeavesTheRestAsItIs) {
  const char *text = ".version 9.0\n\n\tneg.f32 \t%f1, %f2;\n\tabs.f32 \t%f1, %f2;\n// neg.s32 of nothing\n\n";
  EXPECT_EQ(defineNegation(text), text);
}
