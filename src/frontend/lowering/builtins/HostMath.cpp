#include "frontend/lowering/builtins/HostMath.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>

namespace triton::frontend {
namespace {

struct UnaryFunction {
  llvm::StringLiteral name;
  double (*call)(double);
};

constexpr UnaryFunction unaryFunctions[] = {
    {"acos", std::acos},    {"acosh", std::acosh},   {"asin", std::asin},   {"asinh", std::asinh}, {"atan", std::atan},
    {"atanh", std::atanh},  {"cbrt", std::cbrt},     {"cos", std::cos},     {"cosh", std::cosh},   {"erf", std::erf},
    {"erfc", std::erfc},    {"exp", std::exp},       {"exp2", std::exp2},   {"expm1", std::expm1}, {"fabs", std::fabs},
    {"gamma", std::tgamma}, {"lgamma", std::lgamma}, {"log10", std::log10}, {"log1p", std::log1p}, {"log2", std::log2},
    {"sin", std::sin},      {"sinh", std::sinh},     {"sqrt", std::sqrt},   {"tan", std::tan},     {"tanh", std::tanh},
};

struct BinaryFunction {
  llvm::StringLiteral name;
  double (*call)(double, double);
};

constexpr BinaryFunction binaryFunctions[] = {
    {"atan2", std::atan2}, {"copysign", std::copysign}, {"fmod", std::fmod}, {"hypot", std::hypot}, {"pow", std::pow},
};

double toDouble(const Object &object, llvm::StringRef function) {
  if (auto *flag = object.get<bool>())
    return *flag;
  if (auto *integer = object.get<llvm::APSInt>())
    return integer->roundToDouble(integer->isSigned());
  if (auto *real = object.get<double>())
    return *real;
  throw std::runtime_error("`math." + function.str() + "` takes numbers, not " + repr(object));
}

template <typename Call> ObjectRef makeFunction(llvm::StringRef name, size_t least, size_t most, Call call) {
  auto function = std::make_shared<HostFunction>();
  function->name = "math." + name.str();
  function->call = [name = name.str(), least, most, call](const std::vector<ObjectRef> &arguments,
                                                          const std::map<std::string, ObjectRef> &keywords) {
    if (arguments.size() < least || arguments.size() > most || !keywords.empty())
      throw std::runtime_error("`math." + name + "` takes " + std::to_string(most) +
                               (most == 1 ? " argument" : " arguments"));
    llvm::SmallVector<double, 2> values;
    for (const ObjectRef &argument : arguments)
      values.push_back(toDouble(*argument, name));
    return call(values);
  };
  return makeObject(std::shared_ptr<const HostFunction>(std::move(function)));
}

/// A float result. Python raises an error if C returns a NaN for arguments that are not NaN.
ObjectRef realResult(double value, llvm::ArrayRef<double> arguments) {
  bool isDomainError = std::isnan(value) && llvm::none_of(arguments, [](double x) { return std::isnan(x); });
  if (isDomainError)
    throw std::runtime_error("math domain error");
  return makeObject(value);
}

/// `floor`, `ceil`, `trunc`: an int of any size.
ObjectRef integerResult(double value) {
  if (!std::isfinite(value))
    throw std::runtime_error("cannot convert float " + repr(*makeObject(value)) + " to integer");
  llvm::APSInt result(2048, /*isUnsigned=*/false);
  bool isExact;
  llvm::APFloat(value).convertToInteger(result, llvm::APFloat::rmTowardZero, &isExact);
  return makeObject(llvm::APSInt(result.trunc(result.getSignificantBits()), false));
}

double logarithm(llvm::ArrayRef<double> values) {
  if (values[0] <= 0 || (values.size() == 2 && values[1] <= 0))
    throw std::runtime_error("math domain error");
  return values.size() == 1 ? std::log(values[0]) : std::log(values[0]) / std::log(values[1]);
}

std::optional<double> constantNamed(llvm::StringRef name) {
  if (name == "pi")
    return std::numbers::pi;
  if (name == "e")
    return std::numbers::e;
  if (name == "tau")
    return 2 * std::numbers::pi;
  if (name == "inf")
    return std::numeric_limits<double>::infinity();
  if (name == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

ObjectRef specialFunction(llvm::StringRef name) {
  using Values = llvm::ArrayRef<double>;
  if (name == "log")
    return makeFunction(name, 1, 2, [](Values values) { return realResult(logarithm(values), values); });
  if (name == "floor")
    return makeFunction(name, 1, 1, [](Values values) { return integerResult(std::floor(values[0])); });
  if (name == "ceil")
    return makeFunction(name, 1, 1, [](Values values) { return integerResult(std::ceil(values[0])); });
  if (name == "trunc")
    return makeFunction(name, 1, 1, [](Values values) { return integerResult(std::trunc(values[0])); });
  if (name == "isnan")
    return makeFunction(name, 1, 1, [](Values values) { return makeObject(std::isnan(values[0])); });
  if (name == "isinf")
    return makeFunction(name, 1, 1, [](Values values) { return makeObject(std::isinf(values[0])); });
  if (name == "isfinite")
    return makeFunction(name, 1, 1, [](Values values) { return makeObject(std::isfinite(values[0])); });
  return nullptr;
}

} // namespace

ObjectRef hostMathFunction(llvm::StringRef name) {
  using Values = llvm::ArrayRef<double>;
  if (std::optional<double> constant = constantNamed(name))
    return makeObject(*constant);
  if (ObjectRef function = specialFunction(name))
    return function;
  for (const UnaryFunction &entry : unaryFunctions)
    if (entry.name == name)
      return makeFunction(name, 1, 1,
                          [call = entry.call](Values values) { return realResult(call(values[0]), values); });
  for (const BinaryFunction &entry : binaryFunctions)
    if (entry.name == name)
      return makeFunction(
          name, 2, 2, [call = entry.call](Values values) { return realResult(call(values[0], values[1]), values); });
  return nullptr;
}

} // namespace triton::frontend
