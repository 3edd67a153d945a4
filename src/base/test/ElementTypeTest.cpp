#include "base/DescriptorType.h"

#include <gtest/gtest.h>

using namespace triton::base;

namespace {

TEST(Types, RoundTripsSignatures) {
  for (const char *text : {"i1", "i32", "u64", "fp8e4nv", "bf16", "*fp32", "*kfp16", "**i8", "void"}) {
    std::optional<ElementType> type = parseElementType(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->str(), text);
  }
}

TEST(Types, AcceptsSpellingsOfAnnotations) {
  EXPECT_EQ(parseScalarType("int"), ScalarType::Int32);
  EXPECT_EQ(parseScalarType("half"), ScalarType::Float16);
  EXPECT_EQ(parseScalarType("bool"), ScalarType::Int1);
  EXPECT_EQ(parseScalarType("u1"), ScalarType::Int1);
  EXPECT_EQ(parseScalarType("float8_e4m3fn"), ScalarType::Float8E4NV);
  EXPECT_EQ(parseScalarType("float8_e5m2fnuz"), ScalarType::Float8E5B16);
}

TEST(Types, RoundTripsDescriptors) {
  for (const char *text : {"tensordesc<fp16[64, 32]>", "tensordesc<i8[1]>", "tensordesc<fp64[2, 2, 2, 2, 2], nan>",
                           "tensordesc<fp32[16], nan, tf32>", "tensordesc<fp32[16, 4], tf32>"}) {
    std::optional<DescriptorType> type = parseDescriptorType(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->str(), text);
    EXPECT_EQ(DescriptorType::unpack(type->element, type->pack()), *type);
  }
  EXPECT_EQ(parseDescriptorType("tensordesc<fp16[64,32]>")->str(), "tensordesc<fp16[64, 32]>");
}

TEST(Types, RoundTripsLayoutsOfDescriptors) {
  const std::string start =
      "tensordesc<u8[64, 128], NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=8, rank=2, "
      "transposed=False, fp4_padded=";
  for (const char *rest :
       {"False, cga_layout=[])>", "True, cga_layout=[])>", "False, cga_layout=[[1, 0], [0, 0], [0, 1]])>",
        "True, cga_layout=[[0, 1], [0, 2], [1, 0]])>"}) {
    std::optional<DescriptorType> type = parseDescriptorType(start + rest);
    ASSERT_TRUE(type) << rest;
    EXPECT_EQ(type->str(), start + rest);
    EXPECT_EQ(DescriptorType::unpack(type->element, type->pack()), *type);
  }
  EXPECT_FALSE(parseDescriptorType(start + "False, cga_layout=[[0, 2], [0, 1]])>")); // not in their order
}

TEST(Types, RefusesOtherDescriptors) {
  for (const char *text :
       {"", "tensordesc", "tensordesc<>", "tensordesc<fp16>", "tensordesc<fp16[]>", "tensordesc<fp16[3]>",
        "tensordesc<*fp16[4]>", "tensordesc<fp16[4]", "tensordesc<fp16[4] nan>", "tensordesc<fp16[4], tf32>",
        "tensordesc<i32[4], nan>", "tensordesc<fp32[4], nan, nan>", "tensordesc<fp32[1,1,1,1,1,1]>",
        "tensordesc<fp32[2048, 1024]>", "tensordesc<fp33[4]>", "tensordesc<fp32[4], inf>"})
    EXPECT_FALSE(parseDescriptorType(text)) << text;
}

TEST(Types, RefusesOthers) {
  for (const char *text : {"", "*", "k", "*k", "kfp32", "fp33", "i32*", "* fp32", "*kk"})
    EXPECT_FALSE(parseElementType(text)) << text;
  EXPECT_FALSE(parseElementType(std::string(300, '*') + "i32"));
}

TEST(Types, DescribesScalars) {
  EXPECT_EQ(bitWidth(ScalarType::BFloat16), 16u);
  EXPECT_EQ(kind(ScalarType::Int1), ScalarKind::Boolean);
  EXPECT_EQ(kind(ScalarType::UInt8), ScalarKind::Unsigned);
  EXPECT_EQ(mantissaWidth(ScalarType::Float64), 52u);
  EXPECT_EQ(exponentBias(ScalarType::Float8E5B16), 16);
  EXPECT_TRUE(isInteger(ScalarType::Int1));
  EXPECT_FALSE(isFloat(ScalarType::Void));
  EXPECT_EQ((ElementType{ScalarType::Float32, 2, true}.pointee().str()), "*fp32");
}

} // namespace
