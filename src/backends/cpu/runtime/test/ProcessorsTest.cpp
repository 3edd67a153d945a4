#include "backends/cpu/runtime/Processors.h"

#include <gtest/gtest.h>

using namespace triton::cpu;

TEST(Processors, AQuotaPaysForSome) {
  EXPECT_EQ(processorsOfQuota("200000 100000\n"), 2u);
  EXPECT_EQ(processorsOfQuota("150000 100000"), 2u);
  EXPECT_EQ(processorsOfQuota("5000\n 100000\n"), 1u);
}

TEST(Processors, NoQuotaIsNoLimit) {
  for (const char *text : {"max 100000\n", "-1\n 100000\n", "", " ", "200000", "200000 0"})
    EXPECT_EQ(processorsOfQuota(text), 0u) << text;
}

TEST(Processors, AtLeastOneIsUsable) {
  EXPECT_GE(usableProcessors(), 1u);
  EXPECT_LE(usableProcessors(), allowedProcessors().size());
}
