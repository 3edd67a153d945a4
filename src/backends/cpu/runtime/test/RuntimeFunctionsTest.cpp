#include "backends/cpu/runtime/CpuLaunch.h"
#include "backends/cpu/runtime/CpuRuntimeFunctions.h"
#include "backends/cpu/runtime/RuntimeSymbols.h"

#include <gtest/gtest.h>

#include <cstdio>

template <typename Element>
static std::string printed(std::vector<Element> elements, std::vector<int64_t> shape, int32_t kind, bool hex = false,
                           const char *prefix = " x: ") {
  testing::internal::CaptureStdout();
  triton_cpu_print(1, 2, 3, prefix, elements.empty() ? nullptr : elements.data(), shape.data(), int32_t(shape.size()),
                   int32_t(sizeof(Element) * 8), kind, hex);
  return testing::internal::GetCapturedStdout();
}

TEST(DevicePrint, ScalarsOfEveryKind) {
  EXPECT_EQ(printed<int32_t>({-7}, {}, TritonCpuSigned), "(1, 2, 3) x: -7\n");
  EXPECT_EQ(printed<uint8_t>({200}, {}, TritonCpuUnsigned), "(1, 2, 3) x: 200\n");
  EXPECT_EQ(printed<int8_t>({-1}, {}, TritonCpuSigned), "(1, 2, 3) x: -1\n");
  EXPECT_EQ(printed<float>({0.1f}, {}, TritonCpuFloat), "(1, 2, 3) x: 0.1\n");
  EXPECT_EQ(printed<double>({-1.5}, {}, TritonCpuFloat), "(1, 2, 3) x: -1.5\n");
  EXPECT_EQ(printed<uint16_t>({0x3E00}, {}, TritonCpuFloat), "(1, 2, 3) x: 1.5\n");
  EXPECT_EQ(printed<uint16_t>({0x3FC0}, {}, TritonCpuBFloat16), "(1, 2, 3) x: 1.5\n");
  EXPECT_EQ(printed<uint16_t>({0xAB}, {}, TritonCpuUnsigned, /*hex=*/true), "(1, 2, 3) x: 0x00ab\n");
  EXPECT_EQ(printed<int32_t>({}, {}, TritonCpuSigned, false, " hello"), "(1, 2, 3) hello\n");
}

TEST(DevicePrint, BlocksNestByDimension) {
  EXPECT_EQ(printed<int32_t>({1, 2, 3}, {3}, TritonCpuSigned), "(1, 2, 3) x: [1, 2, 3]\n");
  EXPECT_EQ(printed<int64_t>({1, 2, 3, 4}, {2, 2}, TritonCpuSigned), "(1, 2, 3) x: [[1, 2],\n [3, 4]]\n");
}

TEST(RuntimeFunctions, AreKnownToTheLinkerWhereverLaunchIs) {
  ASSERT_NE(&triton::cpu::launchCpu, nullptr);
  EXPECT_EQ(triton::cpu::findRuntimeSymbol("triton_cpu_print"), reinterpret_cast<void *>(&triton_cpu_print));
  EXPECT_EQ(triton::cpu::findRuntimeSymbol("triton_cpu_assert_fail"),
            reinterpret_cast<void *>(&triton_cpu_assert_fail));
  EXPECT_EQ(triton::cpu::findRuntimeSymbol("triton_cpu_nothing"), nullptr);
}
