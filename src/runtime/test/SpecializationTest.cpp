#include "runtime/Specialization.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace triton::runtime;
using triton::base::ElementType;
using triton::base::ScalarType;

static Specialization classified(const ParameterRule &rule, const ArgumentView &view) {
  SpecializationError error = SpecializationError::None;
  Specialization result = classify(rule, view, error);
  EXPECT_EQ(error, SpecializationError::None);
  return result;
}

static SpecializedArguments appended(const ParameterRule &rule, const ArgumentView &view) {
  SpecializedArguments out;
  EXPECT_EQ(append(rule, view, out), SpecializationError::None);
  return out;
}

static ParameterRule typed(const char *type) {
  ParameterRule rule;
  rule.name = "a";
  rule.type = triton::base::parseElementType(type);
  EXPECT_TRUE(rule.type.has_value());
  return rule;
}

TEST(Specialization, IntegersTakeTheSmallestOfTheThreeTypes) {
  ParameterRule rule;
  EXPECT_EQ(classified(rule, ArgumentView::integer(INT32_MAX)).type.str(), "i32");
  EXPECT_EQ(classified(rule, ArgumentView::integer(INT32_MIN)).type.str(), "i32");
  EXPECT_EQ(classified(rule, ArgumentView::integer(int64_t(INT32_MAX) + 1)).type.str(), "i64");
  EXPECT_EQ(classified(rule, ArgumentView::integer(int64_t(INT32_MIN) - 1)).type.str(), "i64");
  EXPECT_EQ(classified(rule, ArgumentView::unsignedInteger(UINT64_MAX)).type.str(), "u64");
  EXPECT_EQ(classified(rule, ArgumentView::unsignedInteger(5)).type.str(), "i32");
}

TEST(Specialization, DivisibilityBySixteenSelectsAVariant) {
  ParameterRule rule, unaligned, none;
  unaligned.doNotSpecializeOnAlignment = true;
  none.doNotSpecialize = true;
  for (int64_t value : {0, 16, -32, 1 << 20})
    EXPECT_TRUE(classified(rule, ArgumentView::integer(value)).divisibleBy16) << value;
  for (int64_t value : {2, 8, 15, 17, -1})
    EXPECT_FALSE(classified(rule, ArgumentView::integer(value)).divisibleBy16) << value;
  EXPECT_FALSE(classified(unaligned, ArgumentView::integer(16)).divisibleBy16);
  EXPECT_FALSE(classified(none, ArgumentView::integer(16)).divisibleBy16);
  EXPECT_NE(appended(rule, ArgumentView::integer(16)).key, appended(rule, ArgumentView::integer(17)).key);
  EXPECT_EQ(appended(rule, ArgumentView::integer(17)).key, appended(rule, ArgumentView::integer(19)).key);
  EXPECT_EQ(appended(none, ArgumentView::integer(16)).key, appended(none, ArgumentView::integer(1)).key);
}

TEST(Specialization, OneIsBakedInUnlessForbidden) {
  ParameterRule rule, unaligned, none;
  unaligned.doNotSpecializeOnAlignment = true;
  none.doNotSpecialize = true;
  EXPECT_EQ(classified(rule, ArgumentView::integer(1)).passing, Specialization::Passing::Constant);
  EXPECT_EQ(classified(unaligned, ArgumentView::integer(1)).passing, Specialization::Passing::Constant);
  EXPECT_EQ(classified(none, ArgumentView::integer(1)).passing, Specialization::Passing::Runtime);
  EXPECT_TRUE(appended(rule, ArgumentView::integer(1)).slots.empty());
  // A typed integer that is 1 is a variant of its own but stays a runtime argument.
  SpecializedArguments one = appended(typed("i64"), ArgumentView::integer(1));
  ASSERT_EQ(one.slots.size(), 1u);
  EXPECT_EQ(one.slots[0], 1u);
  EXPECT_NE(one.key, appended(typed("i64"), ArgumentView::integer(3)).key);
}

TEST(Specialization, PointersSelectByElementTypeConstnessAndAlignment) {
  ParameterRule rule, readOnly;
  readOnly.isConst = true;
  alignas(16) char memory[32];
  ElementType f32{ScalarType::Float32}, f16{ScalarType::Float16};
  EXPECT_EQ(classified(rule, ArgumentView::pointer(memory, f32)).type.str(), "*fp32");
  EXPECT_EQ(classified(readOnly, ArgumentView::pointer(memory, f32)).type.str(), "*kfp32");
  EXPECT_TRUE(classified(rule, ArgumentView::pointer(memory, f32)).divisibleBy16);
  EXPECT_FALSE(classified(rule, ArgumentView::pointer(memory + 4, f32)).divisibleBy16);
  EXPECT_NE(appended(rule, ArgumentView::pointer(memory, f32)).key,
            appended(rule, ArgumentView::pointer(memory, f16)).key);
  SpecializedArguments out = appended(rule, ArgumentView::pointer(memory + 4, f32));
  ASSERT_EQ(out.slots.size(), 1u);
  EXPECT_EQ(out.slots[0], reinterpret_cast<uintptr_t>(memory + 4));
}

TEST(Specialization, ScalarsArePackedInTheTypeOfTheParameter) {
  ParameterRule rule;
  EXPECT_EQ(appended(rule, ArgumentView::floating(1.5)).slots.at(0), std::bit_cast<uint32_t>(1.5f));
  EXPECT_EQ(appended(typed("fp64"), ArgumentView::floating(0.1)).slots.at(0), std::bit_cast<uint64_t>(0.1));
  EXPECT_EQ(appended(typed("fp16"), ArgumentView::floating(1.0)).slots.at(0), 0x3C00u);
  EXPECT_EQ(appended(typed("bf16"), ArgumentView::floating(-2.0)).slots.at(0), 0xC000u);
  EXPECT_EQ(appended(typed("fp32"), ArgumentView::integer(3)).slots.at(0), std::bit_cast<uint32_t>(3.0f));
  EXPECT_EQ(appended(rule, ArgumentView::boolean(true)).slots.at(0), 1u);
  EXPECT_EQ(appended(rule, ArgumentView::integer(-2)).slots.at(0), uint64_t(-2));
}

TEST(Specialization, SmallFloatFormatsPackExactly) {
  EXPECT_EQ(detail::packFloat(ScalarType::Float8E4NV, 1.0), 0x38u);
  EXPECT_EQ(detail::packFloat(ScalarType::Float8E5, 1.0), 0x3Cu);
  // float8e4b15: bias 15, so 1.0 has the exponent field 15 and the largest value is 1.75.
  EXPECT_EQ(detail::packFloat(ScalarType::Float8E4B15, 1.0), 0x78u);
  EXPECT_EQ(detail::packFloat(ScalarType::Float8E4B15, 100.0), detail::packFloat(ScalarType::Float8E4B15, 1.75));
}

TEST(Specialization, ConstantsAreKeyedByValue) {
  ParameterRule constexprRule, rule;
  constexprRule.isConstexpr = true;
  EXPECT_NE(appended(constexprRule, ArgumentView::integer(64)).key,
            appended(constexprRule, ArgumentView::integer(65)).key);
  EXPECT_NE(appended(constexprRule, ArgumentView::integer(1)).key,
            appended(constexprRule, ArgumentView::boolean(true)).key);
  EXPECT_NE(appended(constexprRule, ArgumentView::floating(1)).key,
            appended(constexprRule, ArgumentView::integer(1)).key);
  EXPECT_TRUE(appended(constexprRule, ArgumentView::integer(64)).slots.empty());
  EXPECT_EQ(classified(rule, ArgumentView::none()).passing, Specialization::Passing::Constant);
}

TEST(Specialization, MismatchedAnnotationsNameTheArgument) {
  SpecializedArguments out;
  ParameterRule pointer = typed("*fp32"), integer = typed("i32");
  ArgumentView number = ArgumentView::floating(0.5);
  EXPECT_EQ(append(pointer, number, out), SpecializationError::PointerExpected);
  EXPECT_NE(describe(SpecializationError::PointerExpected, pointer, number).find("argument `a` is the float 0.5"),
            std::string::npos);
  EXPECT_EQ(append(integer, number, out), SpecializationError::IntegerExpected);
  EXPECT_EQ(append(integer, ArgumentView::pointer(nullptr, {ScalarType::Int8}), out),
            SpecializationError::NumberExpected);
}

TEST(Specialization, DescribesTuplesInPreOrder) {
  std::vector<ParameterRule> rules(2);
  rules[0].name = "t";
  rules[1].name = "n";
  std::vector<ArgumentView> views = {ArgumentView::tuple(3), ArgumentView::integer(32), ArgumentView::none(),
                                     ArgumentView::tuple(1), ArgumentView::floating(2), ArgumentView::integer(7)};
  auto arguments = describeArguments(rules, views, {});
  ASSERT_EQ(arguments.size(), 2u);
  ASSERT_EQ(arguments[0].elements.size(), 3u);
  EXPECT_EQ(arguments[0].elements[0].divisibility, 16);
  EXPECT_TRUE(arguments[0].elements[1].constant);
  ASSERT_EQ(arguments[0].elements[2].elements.size(), 1u);
  EXPECT_EQ(arguments[0].elements[2].elements[0].type.str(), "fp32");
  EXPECT_EQ(arguments[1].type.str(), "i32");
  EXPECT_EQ(arguments[1].divisibility, 1);
}

TEST(Specialization, ElementsOfTuplesAreSpecializedUnlessTheParameterIsInvariant) {
  ParameterRule none, invariant;
  none.doNotSpecialize = invariant.doNotSpecialize = invariant.isInvariant = true;
  ParameterRule element = elementRule(invariant, "t[0]");
  EXPECT_EQ(element.name, "t[0]");
  EXPECT_EQ(classified(element, ArgumentView::integer(1)).passing, Specialization::Passing::Runtime);
  EXPECT_EQ(classified(elementRule(none, "t[0]"), ArgumentView::integer(1)).passing, Specialization::Passing::Constant);
  std::vector<ArgumentView> views = {ArgumentView::tuple(2), ArgumentView::tuple(1), ArgumentView::integer(1),
                                     ArgumentView::integer(16)};
  auto elements = describeArguments({&invariant, 1}, views, {}).at(0).elements;
  EXPECT_FALSE(elements.at(0).elements.at(0).constant);
  EXPECT_EQ(elements.at(1).divisibility, 1);
}

TEST(Specialization, KeysOfDifferentLengthsHashApart) {
  std::vector<uint64_t> shorter(3, 0), longer(4, 0);
  EXPECT_NE(hashKey(shorter), hashKey(longer));
}

/// The key and the slots of a descriptor of a 2-dimensional array of halves.
static SpecializedArguments specializeDescriptor(std::array<int64_t, 2> shape, int64_t stride, bool padsWithNaN) {
  HostDescriptor descriptor;
  const int64_t block[] = {16, 64};
  descriptor.type = {.element = ScalarType::Float16, .padsWithNaN = padsWithNaN};
  EXPECT_EQ(setBlock(descriptor.type, block), "");
  descriptor.address = 0x1230;
  std::copy(shape.begin(), shape.end(), descriptor.shape.begin());
  descriptor.strides = {stride, 1};
  EXPECT_EQ(checkDescriptor(descriptor), "");
  SpecializedArguments out;
  ParameterRule rule;
  std::size_t next = 0;
  visitDescriptor(descriptor, [&](const ArgumentView &view) {
    std::size_t index = next++;
    return append(index == 0 ? rule : descriptorPartRule(rule, 2, index - 1), view, out) == SpecializationError::None;
  });
  return out;
}

TEST(Specialization, DescriptorsPassBaseExtentsAndAllStridesButTheLast) {
  SpecializedArguments plain = specializeDescriptor({100, 200}, 200, false);
  EXPECT_EQ(plain.slots, (std::vector<uint64_t>{0x1230, 100, 200, 200}));
  EXPECT_EQ(plain.key, specializeDescriptor({10, 72}, 72, false).key);
  EXPECT_NE(plain.key, specializeDescriptor({100, 200}, 200, true).key);
  EXPECT_NE(plain.key, specializeDescriptor({100, 160}, 200, false).key) << "an extent that is a multiple of 16";
}

TEST(Specialization, DescribesDescriptorsWithWhatAllHave) {
  triton::base::DescriptorType type = *triton::base::parseDescriptorType("tensordesc<fp16[16, 64]>");
  std::vector<ParameterRule> rules(2);
  rules[0].name = "d";
  rules[1].name = "n";
  std::vector<ArgumentView> views = {
      ArgumentView::descriptor(type), ArgumentView::pointer(nullptr, {ScalarType::Float16}),
      ArgumentView::integer(100),     ArgumentView::integer(160),
      ArgumentView::integer(200),     ArgumentView::integer(7)};
  auto arguments = describeArguments(rules, views, {});
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(arguments[0].descriptor, type);
  std::vector<std::string> parts;
  for (const triton::frontend::KernelArgument &part : arguments[0].elements)
    parts.push_back(part.name + ": " + part.type.str() + ":" + std::to_string(part.divisibility));
  EXPECT_EQ(parts, (std::vector<std::string>{"d.base: *fp16:16", "d.shape.0: i32:1", "d.shape.1: i32:16",
                                             "d.strides.0: i64:8"}));
  EXPECT_EQ(arguments[1].type.str(), "i32");
}
