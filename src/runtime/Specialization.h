// Argument specialization: which facts of a launch's arguments (type, divisibility by 16, being 1, constants) select
// the compiled variant. One set of rules for the Python dispatch and the C++ API. The launch path is inline, appends
// words to reused buffers and allocates nothing once these have grown.
#pragma once

#include "frontend/KernelArgument.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triton::runtime {

/// One argument as the caller passed it, without ownership. A tuple is a Tuple view followed by the views of its
/// elements (pre-order). A tensor descriptor is a Descriptor view followed by base, extents and all strides but the
/// last.
struct ArgumentView {
  enum class Kind : uint8_t {
    None,
    Boolean,
    Integer,    ///< int64_t in `bits`
    Unsigned,   ///< an integer in [2^63, 2^64) in `bits`
    Float,      ///< double in `bits`
    Pointer,    ///< address in `bits`, element type in `element`
    Constant,   ///< dtype, string, function, ...: `bits` identifies the value (equal values have equal identities)
    Tuple,      ///< number of elements in `bits`
    Descriptor, ///< DescriptorType::pack in `bits`, its element type in `element`; followed by views of its parts
  };
  Kind kind = Kind::None;
  bool isConstant = false; ///< given as a `constexpr` object, and therefore compiled in whatever its kind
  /// A pointer into memory of less than 2 GiB, or an integer that is not negative. Set only for targets that use it.
  bool isInRange = false;
  base::ElementType element; ///< of Pointer: the type pointed to
  uint64_t bits = 0;

  static ArgumentView none() { return {}; }
  static ArgumentView boolean(bool value) { return {Kind::Boolean, false, false, {}, value}; }
  static ArgumentView integer(int64_t value) {
    return {Kind::Integer, false, false, {}, std::bit_cast<uint64_t>(value)};
  }
  static ArgumentView unsignedInteger(uint64_t value) {
    return {value >> 63 ? Kind::Unsigned : Kind::Integer, false, false, {}, value};
  }
  static ArgumentView floating(double value) { return {Kind::Float, false, false, {}, std::bit_cast<uint64_t>(value)}; }
  static ArgumentView pointer(const void *address, base::ElementType element) {
    return {Kind::Pointer, false, false, element, uint64_t(reinterpret_cast<uintptr_t>(address))};
  }
  static ArgumentView constant(uint64_t identity) { return {Kind::Constant, true, false, {}, identity}; }
  static ArgumentView tuple(std::size_t elements) { return {Kind::Tuple, false, false, {}, elements}; }
  static ArgumentView descriptor(const base::DescriptorType &type) {
    return {Kind::Descriptor, false, false, {type.element}, type.pack()};
  }
  /// How many views of parts follow a Descriptor view.
  std::size_t descriptorParts() const { return 2 * base::DescriptorType::unpack(element.scalar, bits).rank; }
};

/// What a kernel's parameter requires of its argument.
struct ParameterRule {
  std::string name;
  bool isConstexpr = false;                ///< `tl.constexpr`
  bool isConst = false;                    ///< `tl.const`: a pointer argument becomes read-only
  bool doNotSpecialize = false;            ///< neither value nor alignment selects a variant
  bool doNotSpecializeOnAlignment = false; ///< alignment does not select a variant
  bool isInvariant = false;                ///< `doNotSpecialize`, which then holds of elements of a tuple, too
  std::optional<base::ElementType> type;   ///< of a typed annotation; the argument's own type otherwise
};

/// A launch's arguments reduced to what the cache lookup and the launch need. Reuse one object for each thread.
struct SpecializedArguments {
  std::vector<uint64_t> key;   ///< equal keys select the same variant (of the same kernel, options and target)
  std::vector<uint64_t> slots; ///< the runtime arguments as CpuLaunch.h's 8-byte slots

  void clear() {
    key.clear();
    slots.clear();
  }
};

enum class SpecializationError : uint8_t {
  None,
  PointerExpected, ///< the annotation is a pointer type, the argument is not a pointer
  NumberExpected,  ///< the annotation is a number type, the argument is a pointer, tuple or object
  IntegerExpected, ///< the annotation is an integer type, the argument a float
};

/// The user's message for `error`: it names the parameter, what was given and what the rule is.
std::string describe(SpecializationError error, const ParameterRule &rule, const ArgumentView &view);

/// How an argument is passed: the flat facts behind one key word.
struct Specialization {
  enum class Passing : uint8_t { Runtime, Constant, Tuple, Descriptor };
  Passing passing = Passing::Runtime;
  base::ElementType type; ///< of a Runtime argument
  bool divisibleBy16 = false;
  bool isInRange = false; ///< see ArgumentView
  bool isOne = false;     ///< a typed integer that is 1: it has its own variant, but is passed at run time
};

namespace detail {

/// Bits of `value` in the layout of an argument slot for the float type `type`; fp8 formats are not passed by value.
uint64_t packFloat(base::ScalarType type, double value);

inline base::ElementType integerType(const ArgumentView &view) {
  using base::ScalarType;
  if (view.kind == ArgumentView::Kind::Unsigned)
    return {ScalarType::UInt64};
  int64_t value = std::bit_cast<int64_t>(view.bits);
  return {value == int32_t(value) ? ScalarType::Int32 : ScalarType::Int64};
}

inline uint64_t packScalar(base::ElementType type, const ArgumentView &view) {
  using base::ScalarType;
  if (type.isPointer())
    return view.bits;
  if (base::isFloat(type.scalar)) {
    double value = view.kind == ArgumentView::Kind::Float      ? std::bit_cast<double>(view.bits)
                   : view.kind == ArgumentView::Kind::Unsigned ? double(view.bits)
                                                               : double(std::bit_cast<int64_t>(view.bits));
    if (type.scalar == ScalarType::Float32)
      return std::bit_cast<uint32_t>(float(value));
    return packFloat(type.scalar, value);
  }
  if (type.scalar == ScalarType::Int1)
    return view.bits != 0;
  return view.bits;
}

} // namespace detail

/// The rules of specialization for one argument; an element of a tuple uses that of elementRule.
inline Specialization classify(const ParameterRule &rule, const ArgumentView &view, SpecializationError &error) {
  using Kind = ArgumentView::Kind;
  using Passing = Specialization::Passing;
  using base::ScalarType;
  Specialization result;
  if (rule.isConstexpr || view.isConstant || view.kind == Kind::None || view.kind == Kind::Constant) {
    result.passing = Passing::Constant;
    return result;
  }
  bool onAlignment = !rule.doNotSpecialize && !rule.doNotSpecializeOnAlignment;
  if (view.kind == Kind::Tuple) {
    result.passing = Passing::Tuple;
    return result;
  }
  if (view.kind == Kind::Descriptor) {
    result.passing = Passing::Descriptor;
    if (rule.type)
      error = rule.type->isPointer() ? SpecializationError::PointerExpected : SpecializationError::NumberExpected;
    return result;
  }
  if (view.kind == Kind::Pointer) {
    if (rule.type && !rule.type->isPointer()) {
      error = SpecializationError::NumberExpected;
      return result;
    }
    if (rule.type)
      result.type = *rule.type;
    else
      result.type = {view.element.scalar, uint8_t(view.element.pointerDepth + 1), rule.isConst};
    result.divisibleBy16 = onAlignment && view.bits % 16 == 0;
    result.isInRange = view.isInRange && !rule.doNotSpecialize;
    return result;
  }
  if (rule.type && rule.type->isPointer()) {
    error = SpecializationError::PointerExpected;
    return result;
  }
  if (view.kind == Kind::Float) {
    if (rule.type && base::isInteger(rule.type->scalar)) {
      error = SpecializationError::IntegerExpected;
      return result;
    }
    result.type = rule.type.value_or(base::ElementType{ScalarType::Float32});
    return result;
  }
  if (view.kind == Kind::Boolean) {
    result.type = rule.type.value_or(base::ElementType{ScalarType::Int1});
    return result;
  }
  result.type = rule.type.value_or(detail::integerType(view));
  if (base::isFloat(result.type.scalar) || result.type.scalar == ScalarType::Int1 || rule.doNotSpecialize)
    return result;
  if (view.kind == Kind::Integer && view.bits == 1) {
    result.isOne = true;
    if (!rule.type)
      result.passing = Passing::Constant;
    return result;
  }
  result.divisibleBy16 = onAlignment && view.bits % 16 == 0;
  result.isInRange = view.isInRange;
  return result;
}

/// Specializes `view` for `rule`: appends to the key and, for a runtime argument, the slot. A Tuple view appends only
/// its own word; append its elements next, each with its elementRule (a constexpr one when `rule` is). The same holds
/// of a Descriptor view; the rules of its parts are those of descriptorPartRule.
inline SpecializationError append(const ParameterRule &rule, const ArgumentView &view, SpecializedArguments &out) {
  SpecializationError error = SpecializationError::None;
  Specialization result = classify(rule, view, error);
  if (error != SpecializationError::None) [[unlikely]]
    return error;
  uint64_t word = uint64_t(result.passing) | uint64_t(result.type.scalar) << 8 |
                  uint64_t(result.type.pointerDepth) << 16 | uint64_t(result.type.isConst) << 24 |
                  uint64_t(result.divisibleBy16) << 25 | uint64_t(result.isOne) << 26 |
                  uint64_t(result.isInRange) << 27;
  if (result.passing == Specialization::Passing::Runtime) {
    out.key.push_back(word);
    out.slots.push_back(detail::packScalar(result.type, view));
    return error;
  }
  out.key.push_back(word | uint64_t(view.kind) << 32);
  out.key.push_back(view.bits);
  if (view.kind == ArgumentView::Kind::Pointer || view.kind == ArgumentView::Kind::Descriptor)
    out.key.push_back(uint64_t(view.element.scalar) | uint64_t(view.element.pointerDepth) << 8);
  return error;
}

/// The rule of an element of the tuple that is the argument for `rule`: as in Triton, nothing is left out of it, unless
/// the parameter is invariant.
ParameterRule elementRule(const ParameterRule &rule, std::string name);

/// The rule of part `part` (0 is the base) of a descriptor of this rank, which is the argument for `rule`.
const ParameterRule &descriptorPartRule(const ParameterRule &rule, unsigned rank, std::size_t part);

/// A tensor descriptor as the caller passed it.
struct HostDescriptor {
  base::DescriptorType type;
  uint64_t address = 0;
  bool isSmall = false; ///< the array's memory has less than 2 GiB
  std::array<int64_t, base::DescriptorType::maximumRank> shape{},
      strides{}; ///< in elements; of them, `type.rank` count
};
/// What is wrong with the descriptor, as a message; empty when a kernel can take it.
std::string checkDescriptor(const HostDescriptor &descriptor);
/// Calls `visit` with the Descriptor view and those of its parts.
template <typename Visitor> bool visitDescriptor(const HostDescriptor &descriptor, Visitor visit) {
  auto base = ArgumentView::pointer(reinterpret_cast<const void *>(descriptor.address), {descriptor.type.element});
  base.isInRange = descriptor.isSmall;
  if (!visit(ArgumentView::descriptor(descriptor.type)) || !visit(base))
    return false;
  for (unsigned i = 0; i < descriptor.type.rank; ++i)
    if (!visit(ArgumentView::integer(descriptor.shape[i])))
      return false;
  for (unsigned i = 0; i + 1 < descriptor.type.rank; ++i)
    if (!visit(ArgumentView::integer(descriptor.strides[i])))
      return false;
  return true;
}

/// Hash of a key's words.
inline uint64_t hashKey(std::span<const uint64_t> key) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ key.size();
  for (uint64_t word : key) {
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  return hash;
}

/// The compiler's view of arguments, built when a key is new. `views` holds each argument in pre-order; `constant`
/// gives the object of a Constant view (and fieldNames of a Tuple view) by its index in `views`.
struct ConstantSource {
  std::function<frontend::ObjectRef(std::size_t index)> object;
  std::function<std::vector<std::string>(std::size_t index)> fieldNames;
};
std::vector<frontend::KernelArgument> describeArguments(std::span<const ParameterRule> rules,
                                                        std::span<const ArgumentView> views,
                                                        const ConstantSource &constants);

} // namespace triton::runtime
