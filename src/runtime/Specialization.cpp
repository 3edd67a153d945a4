#include "runtime/Specialization.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>

using namespace triton;
using namespace triton::runtime;
using base::ScalarType;
using frontend::ObjectRef;

/// The format of a float type as LLVM knows it. float8e4b15 has none; float8e4b11fnuz differs by a factor of 16.
static const llvm::fltSemantics &semanticsOf(ScalarType type) {
  switch (type) {
  case ScalarType::Float64:
    return llvm::APFloat::IEEEdouble();
  case ScalarType::Float16:
    return llvm::APFloat::IEEEhalf();
  case ScalarType::BFloat16:
    return llvm::APFloat::BFloat();
  case ScalarType::Float8E5:
    return llvm::APFloat::Float8E5M2();
  case ScalarType::Float8E5B16:
    return llvm::APFloat::Float8E5M2FNUZ();
  case ScalarType::Float8E4NV:
    return llvm::APFloat::Float8E4M3FN();
  case ScalarType::Float8E4B8:
    return llvm::APFloat::Float8E4M3FNUZ();
  case ScalarType::Float8E4B15:
    return llvm::APFloat::Float8E4M3B11FNUZ();
  default:
    return llvm::APFloat::IEEEsingle();
  }
}

uint64_t runtime::detail::packFloat(ScalarType type, double value) {
  if (type == ScalarType::Float8E4B15)
    value = 16 * std::clamp(value, -1.75, 1.75);
  llvm::APFloat converted(value);
  bool losesInfo = false;
  converted.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return converted.bitcastToAPInt().getZExtValue();
}

static std::string describeGiven(const ArgumentView &view) {
  using Kind = ArgumentView::Kind;
  switch (view.kind) {
  case Kind::None:
    return "None";
  case Kind::Boolean:
    return view.bits ? "`True`" : "`False`";
  case Kind::Integer:
    return "the integer " + std::to_string(std::bit_cast<int64_t>(view.bits));
  case Kind::Unsigned:
    return "the integer " + std::to_string(view.bits);
  case Kind::Float:
    return "the float " + std::to_string(std::bit_cast<double>(view.bits));
  case Kind::Pointer:
    return "a pointer to " + view.element.str();
  case Kind::Constant:
    return "a compile-time object";
  case Kind::Tuple:
    return "a tuple";
  case Kind::Descriptor:
    return "a tensor descriptor";
  }
  return "";
}

std::string runtime::describe(SpecializationError error, const ParameterRule &rule, const ArgumentView &view) {
  std::string text = "argument `" + rule.name + "` is " + describeGiven(view);
  std::string annotation = rule.type ? rule.type->str() : "";
  switch (error) {
  case SpecializationError::None:
    return "";
  case SpecializationError::PointerExpected:
    return text + ", but the parameter is annotated `" + annotation + "`, a pointer; pass an array or a device pointer";
  case SpecializationError::NumberExpected:
    return text + ", but the parameter is annotated `" + annotation + "`, a number; pass a Python scalar";
  case SpecializationError::IntegerExpected:
    return text + ", but the parameter is annotated `" + annotation + "`, an integer; convert it with int()";
  }
  return text;
}

static ObjectRef constantObject(const ArgumentView &view, std::size_t index, const ConstantSource &constants) {
  using Kind = ArgumentView::Kind;
  switch (view.kind) {
  case Kind::Boolean:
    return frontend::makeObject(view.bits != 0);
  case Kind::Integer:
    return frontend::makeInteger(std::bit_cast<int64_t>(view.bits));
  case Kind::Unsigned:
    return frontend::makeObject(llvm::APSInt(llvm::APInt(65, view.bits), /*isUnsigned=*/false));
  case Kind::Float:
    return frontend::makeObject(std::bit_cast<double>(view.bits));
  case Kind::Constant:
  case Kind::Pointer:
  case Kind::Tuple:
  case Kind::Descriptor:
    return constants.object(index);
  case Kind::None:
    return frontend::makeNone();
  }
  return frontend::makeNone();
}

ParameterRule runtime::elementRule(const ParameterRule &rule, std::string name) {
  ParameterRule element;
  element.name = std::move(name);
  element.doNotSpecialize = element.isInvariant = rule.isInvariant;
  return element;
}

const ParameterRule &runtime::descriptorPartRule(const ParameterRule &rule, unsigned rank, std::size_t part) {
  struct Rules {
    ParameterRule base, extent, stride;
  };
  // Whether an extent is a multiple of 16 decides how wide the accesses at the array's edge can be.
  auto makeRules = [](bool doNotSpecialize) {
    Rules rules;
    rules.base.doNotSpecialize = rules.extent.doNotSpecialize = rules.stride.doNotSpecialize = doNotSpecialize;
    rules.extent.type = {ScalarType::Int32};
    rules.stride.type = {ScalarType::Int64};
    return rules;
  };
  static const Rules specialized = makeRules(false), unspecialized = makeRules(true);
  const Rules &rules = rule.doNotSpecialize ? unspecialized : specialized;
  return part == 0 ? rules.base : part <= rank ? rules.extent : rules.stride;
}

std::string runtime::checkDescriptor(const HostDescriptor &descriptor) {
  const base::DescriptorType &type = descriptor.type;
  auto number = [](int64_t value) { return std::to_string(value); };
  if (descriptor.address % 16 != 0)
    return "the tensor must be aligned to 16 bytes, but its address is " + number(int64_t(descriptor.address % 16)) +
           " bytes past a multiple of 16";
  for (unsigned i = 0; i < type.rank; ++i)
    if (descriptor.shape[i] <= 0 || descriptor.shape[i] > INT32_MAX)
      return "the extent " + number(descriptor.shape[i]) + " must be positive and fit 32 bits";
  for (unsigned i = 0; i + 1 < type.rank; ++i)
    if (descriptor.strides[i] < 0 || descriptor.strides[i] % (16 / type.elementBytes()) != 0)
      return "the stride " + number(descriptor.strides[i]) + " of dimension " + number(i) +
             " must be a multiple of 16 bytes, which are " + number(16 / type.elementBytes()) + " elements";
  if (int64_t last = descriptor.strides[type.rank - 1]; last != 1)
    return "the last dimension must be contiguous, but its stride is " + number(last);
  return checkElements(type);
}

static frontend::KernelArgument describeArgument(const ParameterRule &rule, std::span<const ArgumentView> views,
                                                 std::size_t &index, const ConstantSource &constants);

/// Describes the parts of a descriptor, the first of which is at `index`.
static frontend::KernelArgument describeDescriptor(const ParameterRule &rule, const ArgumentView &view,
                                                   std::span<const ArgumentView> views, std::size_t &index,
                                                   const ConstantSource &constants) {
  auto type = base::DescriptorType::unpack(view.element.scalar, view.bits);
  frontend::KernelArgument argument = frontend::describeDescriptor(rule.name, type);
  for (std::size_t part = 0; part < argument.elements.size(); ++part) {
    frontend::KernelArgument &element = argument.elements[part];
    auto given = describeArgument(descriptorPartRule(rule, type.rank, part), views, index, constants);
    element.divisibility = std::max(element.divisibility, given.divisibility);
    element.isInRange |= given.isInRange;
  }
  return argument;
}

/// Describes the view at `index` and, for a tuple, those behind it; leaves `index` after the last one taken.
static frontend::KernelArgument describeArgument(const ParameterRule &rule, std::span<const ArgumentView> views,
                                                 std::size_t &index, const ConstantSource &constants) {
  std::size_t own = index++;
  const ArgumentView &view = views[own];
  SpecializationError error = SpecializationError::None;
  Specialization result = classify(rule, view, error);
  frontend::KernelArgument argument;
  argument.name = rule.name;
  bool isTuple = view.kind == ArgumentView::Kind::Tuple;
  if (isTuple && result.passing == Specialization::Passing::Constant) {
    argument.constant = constants.object(own);
    std::size_t remaining = view.bits;
    for (; remaining > 0; --remaining, ++index)
      if (views[index].kind == ArgumentView::Kind::Tuple)
        remaining += views[index].bits;
      else if (views[index].kind == ArgumentView::Kind::Descriptor)
        remaining += views[index].descriptorParts();
    return argument;
  }
  if (result.passing == Specialization::Passing::Descriptor)
    return describeDescriptor(rule, view, views, index, constants);
  if (isTuple) {
    argument.isTuple = true;
    if (constants.fieldNames)
      argument.fieldNames = constants.fieldNames(own);
    for (std::size_t element = 0; element < view.bits; ++element) {
      ParameterRule part = elementRule(rule, rule.name + "." + std::to_string(element));
      argument.elements.push_back(describeArgument(part, views, index, constants));
    }
    return argument;
  }
  if (result.passing == Specialization::Passing::Constant) {
    argument.constant = constantObject(view, own, constants);
    return argument;
  }
  argument.type = result.type;
  argument.divisibility = result.divisibleBy16 ? 16 : 1;
  argument.isInRange = result.isInRange;
  return argument;
}

std::vector<frontend::KernelArgument> runtime::describeArguments(std::span<const ParameterRule> rules,
                                                                 std::span<const ArgumentView> views,
                                                                 const ConstantSource &constants) {
  std::vector<frontend::KernelArgument> arguments;
  arguments.reserve(rules.size());
  std::size_t index = 0;
  for (const ParameterRule &rule : rules)
    arguments.push_back(describeArgument(rule, views, index, constants));
  return arguments;
}
