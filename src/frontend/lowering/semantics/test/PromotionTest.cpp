// The table of type promotion: operands, class of operator, expected result.
#include "frontend/lowering/semantics/Promotion.h"

#include "frontend/Object.h"

#include <gtest/gtest.h>

#include <limits>

using namespace triton::frontend;

namespace {

PromotionOperand tensor(const char *type) { return {*parseScalarType(type)}; }
PromotionOperand number(int64_t value) { return {ScalarType::Void, Number(llvm::APSInt::get(value))}; }
PromotionOperand number(bool value) { return {ScalarType::Void, Number(value)}; }
PromotionOperand number(double value) { return {ScalarType::Void, Number(value)}; }
PromotionOperand powerOfTwo(unsigned exponent) {
  return {ScalarType::Void, Number(llvm::APSInt(llvm::APInt::getOneBitSet(exponent + 2, exponent), false))};
}

std::string text(const PromotionResult &result) {
  if (auto *type = std::get_if<ScalarType>(&result))
    return std::string(longName(*type));
  switch (std::get<PromotionFailure>(result).error) {
  case PromotionError::NumberTooLarge:
    return "too large";
  case PromotionError::NegativeToUnsigned:
    return "negative";
  case PromotionError::NumberOutOfRange:
    return "out of range";
  case PromotionError::MixedSignedness:
    return "signedness";
  case PromotionError::Float8WithInteger:
    return "float8";
  }
  return "";
}

constexpr auto arithmetic = OperatorClass::Arithmetic;
constexpr auto division = OperatorClass::Division;

struct Row {
  PromotionOperand left, right;
  OperatorClass operatorClass;
  const char *expected;
};

/// Every row also holds with its operands exchanged.
void expectRows(std::initializer_list<Row> rows) {
  int index = 0;
  for (const Row &row : rows) {
    EXPECT_EQ(text(promote(row.left, row.right, row.operatorClass)), row.expected) << "row " << index;
    EXPECT_EQ(text(promote(row.right, row.left, row.operatorClass)), row.expected) << "row " << index << ", exchanged";
    ++index;
  }
}

TEST(Promotion, NumberOfNoHigherKindTakesTheTensorsType) {
  expectRows({{tensor("int8"), number(int64_t(100)), arithmetic, "int8"},
              {tensor("int8"), number(true), arithmetic, "int8"},
              {tensor("int1"), number(true), arithmetic, "int1"},
              {tensor("float16"), number(1.5), arithmetic, "float16"},
              {tensor("bfloat16"), number(int64_t(3)), arithmetic, "bfloat16"},
              {tensor("float8e5"), number(int64_t(3)), arithmetic, "float8e5"},
              {tensor("float64"), number(0.1), arithmetic, "float64"},
              {tensor("float32"), number(1e300), arithmetic, "float32"},
              {tensor("uint64"), powerOfTwo(63), arithmetic, "uint64"}});
}

TEST(Promotion, DivisionOfHalvesIsInFloat32) {
  expectRows({{tensor("float16"), number(2.0), division, "float32"},
              {tensor("bfloat16"), number(int64_t(2)), division, "float32"},
              {tensor("float32"), number(2.0), division, "float32"},
              {tensor("float64"), number(2.0), division, "float64"},
              {tensor("float16"), tensor("float16"), division, "float32"},
              {tensor("bfloat16"), tensor("bfloat16"), division, "float32"}});
}

TEST(Promotion, NumberOfHigherKindTakesItsNaturalType) {
  expectRows({{tensor("int8"), number(1.0), arithmetic, "float32"},
              {tensor("int64"), number(1.0), arithmetic, "float32"},
              {tensor("int8"), number(1e-300), arithmetic, "float64"},
              {tensor("int1"), number(int64_t(1)), arithmetic, "int32"},
              {tensor("int1"), powerOfTwo(31), arithmetic, "uint32"},
              {tensor("int1"), powerOfTwo(40), arithmetic, "int64"},
              {tensor("int1"), powerOfTwo(63), arithmetic, "uint64"}});
}

TEST(Promotion, Floats) {
  expectRows({{tensor("float64"), tensor("float32"), arithmetic, "float64"},
              {tensor("float64"), tensor("int8"), arithmetic, "float64"},
              {tensor("float32"), tensor("bfloat16"), arithmetic, "float32"},
              {tensor("float32"), tensor("int64"), arithmetic, "float32"},
              {tensor("float16"), tensor("bfloat16"), arithmetic, "float16"},
              {tensor("float16"), tensor("float16"), arithmetic, "float16"},
              {tensor("float16"), tensor("int64"), arithmetic, "float16"},
              {tensor("float16"), tensor("float8e5"), arithmetic, "float16"},
              {tensor("bfloat16"), tensor("bfloat16"), arithmetic, "bfloat16"},
              {tensor("bfloat16"), tensor("int32"), arithmetic, "float32"},
              {tensor("bfloat16"), tensor("float8e5"), arithmetic, "float32"},
              {tensor("float8e5"), tensor("float8e5"), arithmetic, "float8e5"},
              {tensor("float8e5"), tensor("float8e4nv"), arithmetic, "float16"},
              {tensor("float8e5"), tensor("int8"), arithmetic, "float8"}});
}

TEST(Promotion, Integers) {
  expectRows({{tensor("int8"), tensor("int32"), arithmetic, "int32"},
              {tensor("uint8"), tensor("uint16"), arithmetic, "uint16"},
              {tensor("int32"), tensor("uint32"), arithmetic, "uint32"},
              {tensor("int64"), tensor("uint32"), arithmetic, "int64"},
              {tensor("int8"), tensor("uint16"), arithmetic, "uint16"},
              {tensor("int1"), tensor("int1"), arithmetic, "int1"},
              {tensor("int1"), tensor("int8"), arithmetic, "int8"},
              {tensor("int1"), tensor("uint8"), arithmetic, "uint8"},
              {tensor("int32"), tensor("uint32"), division, "signedness"},
              {tensor("int32"), tensor("int1"), division, "signedness"},
              {tensor("int8"), tensor("int32"), division, "int32"}});
}

TEST(Promotion, NumbersMustFit) {
  expectRows({{tensor("uint32"), number(int64_t(-1)), arithmetic, "negative"},
              {tensor("uint32"), number(int64_t(-1)), division, "negative"},
              {tensor("int8"), number(int64_t(200)), arithmetic, "out of range"},
              {tensor("int8"), number(int64_t(-128)), arithmetic, "int8"},
              {tensor("int8"), number(int64_t(-129)), arithmetic, "out of range"},
              {tensor("int32"), powerOfTwo(40), arithmetic, "out of range"},
              {tensor("uint8"), number(int64_t(255)), arithmetic, "uint8"},
              {tensor("uint8"), number(int64_t(256)), arithmetic, "out of range"},
              {tensor("float32"), powerOfTwo(64), arithmetic, "too large"}});
}

TEST(Promotion, NaturalTypes) {
  auto natural = [](const PromotionOperand &operand) {
    std::optional<ScalarType> type = naturalType(*operand.number);
    return type ? std::string(longName(*type)) : std::string("none");
  };
  EXPECT_EQ(natural(number(true)), "int1");
  EXPECT_EQ(natural(number(int64_t(-1) << 31)), "int32");
  EXPECT_EQ(natural(number((int64_t(1) << 31) - 1)), "int32");
  EXPECT_EQ(natural(powerOfTwo(31)), "uint32");
  EXPECT_EQ(natural(powerOfTwo(32)), "int64");
  EXPECT_EQ(natural(number(std::numeric_limits<int64_t>::min())), "int64");
  EXPECT_EQ(natural(powerOfTwo(63)), "uint64");
  EXPECT_EQ(natural(powerOfTwo(64)), "none");
  EXPECT_EQ(natural(number(0.0)), "float32");
  EXPECT_EQ(natural(number(std::numeric_limits<double>::infinity())), "float32");
  EXPECT_EQ(natural(number(std::numeric_limits<double>::quiet_NaN())), "float32");
  EXPECT_EQ(natural(number(1e-40)), "float64");
  EXPECT_EQ(natural(number(1e39)), "float64");
  EXPECT_EQ(natural(number(0.1)), "float32");
}

} // namespace
