#include "profiler/Metric.h"
#include "profiler/Mode.h"
#include "profiler/Output.h"
#include "profiler/PhaseData.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"

#include <gtest/gtest.h>

namespace triton::profiling {
namespace {

TEST(Metric, SuffixesSayHowValuesAreJoined) {
  EXPECT_EQ(makeMetric("time (exc)", 1.0).name, "time");
  EXPECT_EQ(makeMetric("time (inc)", 1.0).name, "time (inc)");
  EXPECT_EQ(makeMetric("rate (pty)", 1.0).name, "rate");
  EXPECT_TRUE(makeMetric("rate(pty)", 1.0).isProperty);
  EXPECT_FALSE(makeMetric("time (ns)", 1.0).isProperty);
}

TEST(Metric, NumbersAndListsAreAddedUp) {
  auto sum = [](MetricValue a, const MetricValue &b) {
    addValue(a, b);
    return a;
  };
  using Integers = std::vector<int64_t>;
  using Reals = std::vector<double>;
  EXPECT_EQ(sum(int64_t(1), int64_t(2)), MetricValue(int64_t(3)));
  EXPECT_EQ(sum(int64_t(1), 0.5), MetricValue(1.5));
  EXPECT_EQ(sum(Integers{1, 2}, Integers{3, 4}), MetricValue(Integers{4, 6}));
  EXPECT_EQ(sum(Integers{1, 2}, Reals{0.5, 0.5}), MetricValue(Reals{1.5, 2.5}));
  EXPECT_EQ(sum(Integers{1, 2}, Integers{7}), MetricValue(Integers{7}));
  EXPECT_EQ(sum(std::string("a"), std::string("b")), MetricValue(std::string("b")));
  EXPECT_EQ(text(Reals{0.5, 3}), "[0.5, 3]");
}

TEST(PhaseData, DeepTreesNeedNoStack) {
  PhaseData data(/*isTrace=*/false);
  std::vector<std::string> names(200000, "scope");
  Node *leaf = data.descend(data.root(), names);
  data.add(leaf, {"m", int64_t(1)});
  EXPECT_EQ(pathOf(leaf).size(), names.size());
}

TEST(Output, MessagePackKeepsNumbers) {
  llvm::json::Value value = llvm::json::Array{0.1, 1e300, -5, int64_t(1) << 60, nullptr, "text"};
  std::string bytes = toMessagePack(value);
  llvm::msgpack::Document document;
  ASSERT_TRUE(document.readFromBlob(bytes, /*Multi=*/false));
  auto &array = document.getRoot().getArray();
  EXPECT_EQ(array[0].getFloat(), 0.1);
  EXPECT_EQ(array[1].getFloat(), 1e300);
  EXPECT_EQ(array[2].getInt(), -5);
  EXPECT_EQ(array[3].getUInt(), uint64_t(1) << 60);
  EXPECT_EQ(array[4].getKind(), llvm::msgpack::Type::Nil);
  EXPECT_EQ(array[5].getString(), "text");
}

TEST(Mode, OptionsAreRead) {
  Mode mode = parseMode("cpu", "Periodic_Flushing:format=hatchet");
  EXPECT_EQ(mode.name, "periodic_flushing");
  EXPECT_EQ(mode.options.at("format"), "hatchet");
  EXPECT_EQ(parseMode("cpu", "").name, "");
  EXPECT_THROW(parseMode("cpu", "default"), std::invalid_argument);
}

} // namespace
} // namespace triton::profiling
