#include "backends/cpu/emitters/TargetDescription.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

namespace triton::cpu::test {
namespace {

TEST(TargetDescription, LevelsHaveTheirFeatures) {
  const TargetDescription &v1 = llvm::cantFail(describeTarget("x86-64"));
  EXPECT_EQ(v1.vectorBits, 128u);
  EXPECT_FALSE(v1.hasFma || v1.hasF16Conversions || v1.hasAvx2 || v1.hasAvx512);
  const TargetDescription &v3 = llvm::cantFail(describeTarget("x86-64-v3"));
  EXPECT_EQ(v3.vectorBits, 256u);
  EXPECT_TRUE(v3.hasFma && v3.hasF16Conversions && v3.hasAvx2);
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
  EXPECT_EQ(findMissingHostFeature(llvm::cantFail(describeTarget(baselineOf(hostArchitecture())))), "");
}

TEST(TargetDescription, AnotherArchitectureIsAMissingFeature) {
  Architecture other = hostArchitecture() == Architecture::X86_64 ? Architecture::AArch64 : Architecture::X86_64;
  EXPECT_EQ(findMissingHostFeature(llvm::cantFail(describeTarget(baselineOf(other)))), baselineOf(other));
}

TEST(TargetDescription, ProcessorsOfAArch64) {
  const struct {
    const char *name;
    unsigned vectorBits;
    bool hasSve, hasInt8Dot, hasBFloat16, hasOuterProducts;
  } models[] = {
      {"aarch64", 128, false, false, false, false},  {"armv8.6-a", 128, false, true, true, false},
      {"armv9-a", 128, true, true, false, false},    {"cortex-a76", 128, false, true, false, false},
      {"neoverse-n2", 128, true, true, true, false}, {"neoverse-v1", 256, true, true, true, false},
      {"neoverse-v2", 128, true, true, true, false}, {"a64fx", 512, true, false, false, false},
      {"apple-m1", 128, false, true, false, false},  {"apple-m4", 128, false, true, true, true},
      {"c1-ultra", 128, true, true, true, true},
  };
  for (const auto &model : models) {
    const TargetDescription &target = llvm::cantFail(describeTarget(model.name));
    EXPECT_TRUE(target.isAArch64() && target.hasFma && !target.hasAvx2) << model.name;
    EXPECT_EQ(target.vectorBits, model.vectorBits) << model.name;
    EXPECT_EQ(target.hasSve, model.hasSve) << model.name;
    EXPECT_EQ(target.hasInt8Dot, model.hasInt8Dot) << model.name;
    EXPECT_EQ(target.hasBlockBFloat16, model.hasBFloat16) << model.name;
    EXPECT_EQ(target.hasOuterProducts, model.hasOuterProducts) << model.name;
    EXPECT_EQ(target.dotLanes(32), 4u) << model.name;
    EXPECT_EQ(target.triple.substr(0, 8), "aarch64-") << model.name;
  }
}

TEST(TargetDescription, OuterProductsOfDoublesAreOptional) {
  EXPECT_TRUE(llvm::cantFail(describeTarget("apple-m4")).hasFloat64OuterProducts);
  EXPECT_FALSE(llvm::cantFail(describeTarget("neoverse-v2")).hasFloat64OuterProducts);
}

TEST(TargetDescription, InstructionSetsHavePlacesInTheSystemsWords) {
  const std::pair<const char *, std::vector<llvm::StringRef>> models[] = {
      {"neoverse-v2", {"neon", "lse", "dotprod", "sve2", "bf16", "i8mm"}},
      {"apple-m4", {"neon", "bf16", "i8mm", "sme", "sme-f64f64", "sme-i16i64"}},
  };
  for (const auto &[name, needed] : models) {
    std::vector<llvm::StringRef> sets = listInstructionSets(llvm::cantFail(describeTarget(name)));
    for (llvm::StringRef set : needed)
      EXPECT_TRUE(llvm::is_contained(sets, set)) << set.str();
    for (llvm::StringRef set : sets)
      EXPECT_TRUE(findCapability(set)) << set.str();
  }
}

} // namespace
} // namespace triton::cpu::test
