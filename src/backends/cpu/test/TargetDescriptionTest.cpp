#include "backends/cpu/emitters/TargetDescription.h"

#include <gtest/gtest.h>

namespace triton::cpu::test {
namespace {

TEST(TargetDescription, LevelsHaveTheirFeatures) {
  const TargetDescription &v1 = llvm::cantFail(describeTarget("x86-64"));
  EXPECT_EQ(v1.vectorBits, 128u);
  EXPECT_FALSE(v1.hasFma || v1.hasF16c || v1.hasAvx2 || v1.hasAvx512);
  const TargetDescription &v3 = llvm::cantFail(describeTarget("x86-64-v3"));
  EXPECT_EQ(v3.vectorBits, 256u);
  EXPECT_TRUE(v3.hasFma && v3.hasF16c && v3.hasAvx2);
  EXPECT_EQ(v3.lanes(32), 8u);
  const TargetDescription &v4 = llvm::cantFail(describeTarget("x86-64-v4"));
  EXPECT_TRUE(v4.hasFma);
  EXPECT_EQ(v4.vectorRegisters, 32u);
  const TargetDescription &zen4 = llvm::cantFail(describeTarget("znver4"));
  EXPECT_TRUE(zen4.hasAvx512 && zen4.hasBFloat16Dot && zen4.hasInt8Dot);
  EXPECT_EQ(zen4.vectorBits, 512u);
}

TEST(TargetDescription, WidthIsTheWidestAtFullClock) {
  const struct {
    const char *cpu;
    unsigned vectorBits;
    bool hasAvx512;
  } models[] = {
      {"nehalem", 128, false},       {"haswell", 256, false},      {"alderlake", 256, false},
      {"x86-64-v3", 256, false},     {"znver3", 256, false},       {"skylake-avx512", 256, true},
      {"cascadelake", 256, true},    {"x86-64-v4", 256, true},     {"icelake-server", 512, true},
      {"sapphirerapids", 512, true}, {"emeraldrapids", 512, true}, {"graniterapids", 512, true},
      {"znver4", 512, true},         {"znver5", 512, true},
  };
  for (const auto &model : models) {
    const TargetDescription &target = llvm::cantFail(describeTarget(model.cpu));
    EXPECT_EQ(target.vectorBits, model.vectorBits) << model.cpu;
    EXPECT_EQ(target.hasAvx512, model.hasAvx512) << model.cpu;
  }
}

TEST(TargetDescription, InstructionsAreTakenWhereTheyAreFast) {
  EXPECT_TRUE(llvm::cantFail(describeTarget("znver5")).hasBFloat16Dot);
  EXPECT_FALSE(llvm::cantFail(describeTarget("cooperlake")).hasBFloat16Dot);
  EXPECT_TRUE(llvm::cantFail(describeTarget("alderlake")).hasInt8Dot);
  EXPECT_FALSE(llvm::cantFail(describeTarget("haswell")).hasInt8Dot);
}

TEST(TargetDescription, IsComputedOnce) {
  EXPECT_EQ(&llvm::cantFail(describeTarget("haswell")), &llvm::cantFail(describeTarget("haswell")));
}

TEST(TargetDescription, NamesAnUnknownProcessor) {
  auto target = describeTarget("z80");
  ASSERT_FALSE(bool(target));
  EXPECT_NE(llvm::toString(target.takeError()).find("`z80` is not a processor"), std::string::npos);
}

TEST(TargetDescription, HostRunsItsOwnCode) {
  EXPECT_EQ(findMissingHostFeature(llvm::cantFail(describeTarget(""))), "");
  EXPECT_EQ(findMissingHostFeature(llvm::cantFail(describeTarget("x86-64"))), "");
}

} // namespace
} // namespace triton::cpu::test
