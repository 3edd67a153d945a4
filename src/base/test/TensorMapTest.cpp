// What launches compute from arguments: expressions, and the numbers of tensor maps.
#include "base/LoadedKernel.h"
#include "base/TensorMapNumbers.h"

#include <gtest/gtest.h>

#include <climits>

using namespace triton::base;

namespace {

RuntimeArgument argumentOf(const char *type) { return {"x", *parseElementType(type)}; }

int64_t evaluate(const char *text, std::vector<uint64_t> slots = {}, const char *type = "i64") {
  std::vector<RuntimeArgument> arguments(slots.size(), argumentOf(type));
  std::optional<LaunchExpression> expression = LaunchExpression::parse(text);
  if (!expression || !expression->isValid(slots.size())) {
    ADD_FAILURE() << text;
    return 0;
  }
  return expression->evaluate(slots, arguments);
}

/// What a call throws; empty when it throws nothing.
template <typename Body> std::string messageOf(Body body) {
  try {
    body();
  } catch (const LaunchError &error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(LaunchExpression, RoundTripsText) {
  for (const char *text : {"arg:0", "const:-9223372036854775808", "arg:3 const:64 mul", "arg:12 sext32",
                           "arg:0 arg:1 add arg:2 sub const:-2 div"}) {
    std::optional<LaunchExpression> expression = LaunchExpression::parse(text);
    ASSERT_TRUE(expression) << text;
    EXPECT_EQ(expression->str(), text);
    EXPECT_EQ(LaunchExpression::parse(expression->str()), expression);
  }
}

TEST(LaunchExpression, RefusesMalformedText) {
  for (const char *text : {"", " ", "arg", "arg:", "arg:x", "arg:-1", "arg:1 arg:2", "add", "arg:1 add", "sext32",
                           "const:9223372036854775808", "arg:1 const:2 pow", "arg:0 add:1", "Arg:0", "arg:0 sext"})
    EXPECT_FALSE(LaunchExpression::parse(text)) << text;
  EXPECT_TRUE(LaunchExpression::parse("arg:2")->isValid(3));
  EXPECT_FALSE(LaunchExpression::parse("arg:2")->isValid(2));
}

TEST(LaunchExpression, ReadsArgumentsByTheirTypes) {
  uint64_t slot = 0xFFFF'FFFF'8000'8081;
  for (auto [type, value] : {std::pair<const char *, int64_t>{"i8", int8_t(0x81)},
                             {"u8", 0x81},
                             {"i16", int16_t(0x8081)},
                             {"u16", 0x8081},
                             {"i32", int32_t(0x80008081)},
                             {"u32", 0x80008081},
                             {"i64", int64_t(slot)},
                             {"u64", int64_t(slot)},
                             {"i1", 1},
                             {"*fp16", int64_t(slot)},
                             {"*i8", int64_t(slot)}})
    EXPECT_EQ(evaluate("arg:0", {slot}, type), value) << type;
}

TEST(LaunchExpression, Computes) {
  EXPECT_EQ(evaluate("arg:0 arg:1 sub", {3, 5}), -2);
  EXPECT_EQ(evaluate("arg:0 arg:1 add const:3 mul", {3, 5}), 24);
  EXPECT_EQ(evaluate("const:-7 const:2 div"), -3);
  EXPECT_EQ(evaluate("const:4294967295 sext32"), -1);
  EXPECT_EQ(evaluate("const:2147483647 const:1 add sext32"), INT32_MIN);
  EXPECT_EQ(evaluate("const:9223372036854775807 const:1 add"), INT64_MIN);
  EXPECT_EQ(evaluate("const:-9223372036854775808 const:-1 div"), INT64_MIN);
  EXPECT_EQ(evaluate("const:4294967296 const:4294967296 mul"), 0);
  EXPECT_EQ(messageOf([] { evaluate("const:1 arg:0 div", {0}); }), "division by zero");
}

LaunchExpression parse(const std::string &text) { return *LaunchExpression::parse(text); }

/// An array of halves, (arg:1, arg:2) elements at arg:0 with a stride of arg:3 elements.
struct Matrix {
  TensorMapParameter map{.name = "a_ptr",
                         .element = ScalarType::Float16,
                         .base = parse("arg:0"),
                         .shape = {parse("arg:1"), parse("arg:2")},
                         .strides = {parse("arg:3")},
                         .box = {128, 64},
                         .swizzleBytes = 128};
  std::vector<uint64_t> slots{0x1000, 300, 200, 256};
  std::vector<RuntimeArgument> arguments{argumentOf("*fp16"), argumentOf("i32"), argumentOf("i32"), argumentOf("i64")};

  static constexpr uint64_t padding = 0x7000;

  TensorMapNumbers compute() const {
    return computeTensorMap(map, "k", slots, arguments, [] { return padding; });
  }
  /// What is refused when an argument has this value.
  std::string refusal(std::size_t argument, int64_t value) {
    slots[argument] = uint64_t(value);
    return messageOf([&] { compute(); });
  }
};

TEST(TensorMapNumbers, AreThoseOfTheDriver) {
  Matrix matrix;
  matrix.map.padsWithNaN = true;
  TensorMapNumbers numbers = matrix.compute();
  EXPECT_EQ(numbers.type, 6u);
  EXPECT_EQ(numbers.rank, 2u);
  EXPECT_EQ(numbers.address, 0x1000u);
  EXPECT_EQ(numbers.sizes[0], 200u);
  EXPECT_EQ(numbers.sizes[1], 300u);
  EXPECT_EQ(numbers.strides[0], 512u);
  EXPECT_EQ(numbers.box[0], 64u);
  EXPECT_EQ(numbers.box[1], 128u);
  EXPECT_EQ(numbers.swizzle, 3u);
  EXPECT_EQ(numbers.fill, 1u);
  EXPECT_EQ(numbers.str(), "type 6, address 0x1000, sizes (200, 300), strides (512), box (64, 128), swizzle 3, fill 1");
}

TEST(TensorMapNumbers, HaveTheTypesOfElements) {
  for (auto [name, number] : {std::pair<const char *, uint32_t>{"i8", 0},
                              {"fp8e4nv", 0},
                              {"u16", 1},
                              {"i16", 1},
                              {"u32", 2},
                              {"i32", 3},
                              {"u64", 4},
                              {"i64", 5},
                              {"fp16", 6},
                              {"fp32", 7},
                              {"fp64", 8},
                              {"bf16", 9}}) {
    Matrix matrix;
    matrix.map.element = *parseScalarType(name);
    EXPECT_EQ(matrix.compute().type, number) << name;
  }
  Matrix matrix;
  matrix.map.element = ScalarType::Float32;
  matrix.map.roundsToTF32 = true;
  EXPECT_EQ(matrix.compute().type, 11u);
}

TEST(TensorMapNumbers, RulesAreNamedWithTheValue) {
  EXPECT_EQ(Matrix().refusal(0, 0x1008), "cannot launch kernel `k`: the array of `a_ptr` begins at the address 0x1008, "
                                         "which must be a multiple of 16");
  EXPECT_EQ(Matrix().refusal(0, 0x1010), "");
  EXPECT_EQ(Matrix().refusal(3, 257),
            "cannot launch kernel `k`: the array of `a_ptr` has a stride of 257 elements of 2 "
            "bytes along dimension 0; a stride must be a multiple of 16 bytes from 0 to 2^40");
  EXPECT_EQ(Matrix().refusal(3, 0), "");
  EXPECT_EQ(Matrix().refusal(3, (int64_t(1) << 39) - 8), "");
  for (int64_t stride : {int64_t(1) << 39, int64_t(1) << 62, INT64_MIN, int64_t(-8)})
    EXPECT_TRUE(contains(Matrix().refusal(3, stride), ("a stride of " + std::to_string(stride)).c_str())) << stride;
  Matrix wide;
  wide.arguments[1] = argumentOf("i64");
  EXPECT_EQ(wide.refusal(1, int64_t(1) << 32), "");
  EXPECT_EQ(wide.refusal(1, (int64_t(1) << 32) + 1), "cannot launch kernel `k`: the array of `a_ptr` has 4294967297 "
                                                     "elements along dimension 0; there may be at most 2^32");
  Matrix divided;
  divided.map.shape[0] = parse("const:1 arg:1 div");
  EXPECT_EQ(divided.refusal(1, 0), "cannot launch kernel `k`: the array of `a_ptr` has no extent: division by zero");
}

TEST(TensorMapNumbers, ArraysWithoutElementsAreOneElementOfPadding) {
  for (std::size_t argument : {1, 2})
    for (int64_t extent : {int64_t(0), int64_t(-5)})
      for (bool nan : {false, true}) {
        Matrix matrix;
        matrix.map.padsWithNaN = nan;
        matrix.slots = {0x1008, 300, 200, 257}; // an address and a stride that no map has
        matrix.slots[argument] = uint64_t(extent);
        TensorMapNumbers numbers = matrix.compute();
        EXPECT_EQ(numbers.str(), (nan ? "type 6, address 0x7010, sizes (1, 1), strides (16), box (64, 128), swizzle 3, "
                                        "fill 1"
                                      : "type 6, address 0x7000, sizes (1, 1), strides (16), box (64, 128), swizzle 3, "
                                        "fill 0"));
      }
  for (std::size_t i = 0; i < TensorMapPadding::half; ++i) {
    EXPECT_EQ(tensorMapPadding.bytes[i], 0);
    EXPECT_EQ(tensorMapPadding.bytes[TensorMapPadding::half + i], i % 2 ? 0x7f : 0xf7);
  }
}

TEST(TensorMapNumbers, StridesOfSingleElementsAreOfNoAccount) {
  for (int64_t stride : {int64_t(257), int64_t(-8), INT64_MAX, int64_t(0)}) {
    Matrix matrix;
    matrix.slots[1] = 1;
    matrix.slots[3] = uint64_t(stride);
    EXPECT_EQ(matrix.compute().strides[0], 16u) << stride;
    EXPECT_EQ(matrix.compute().address, 0x1000u);
  }
  EXPECT_TRUE(contains(Matrix().refusal(3, 257), "a stride of 257"));
}

TEST(TensorMapNumbers, MapsThemselvesAreChecked) {
  auto problem = [](auto change) {
    Matrix matrix;
    change(matrix.map);
    std::string found = checkTensorMap(matrix.map, matrix.slots.size());
    EXPECT_EQ(found.empty(), messageOf([&] { matrix.compute(); }).empty());
    return found;
  };
  using Map = TensorMapParameter;
  EXPECT_EQ(problem([](Map &) {}), "");
  EXPECT_EQ(problem([](Map &map) { map.shape.resize(6, parse("const:1")); }), "it has 6 dimensions; there are 1 to 5");
  EXPECT_EQ(problem([](Map &map) { map.shape.clear(); }), "it has 0 dimensions; there are 1 to 5");
  EXPECT_TRUE(contains(problem([](Map &map) { map.strides.clear(); }), "0 strides for 2 dimensions"));
  EXPECT_TRUE(contains(problem([](Map &map) { map.box.push_back(1); }), "3 extents for 2 dimensions"));
  EXPECT_TRUE(contains(problem([](Map &map) { map.swizzleBytes = 48; }), "over 48 bytes"));
  EXPECT_TRUE(contains(problem([](Map &map) { map.element = ScalarType::Int1; }), "elements are int1"));
  EXPECT_TRUE(contains(problem([](Map &map) { map.roundsToTF32 = true; }), "not fp16"));
  EXPECT_TRUE(contains(problem([](Map &map) { map.base = parse("arg:4"); }), "beyond the 4 of the kernel"));
  EXPECT_TRUE(contains(problem([](Map &map) { map.strides[0].steps.clear(); }), "malformed"));
}

} // namespace
