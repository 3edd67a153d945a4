#include "api/ArgumentBinding.h"
#include "api/Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <mutex>

using namespace triton;
using namespace triton::api;
using base::ScalarType;
using frontend::ObjectRef;
using runtime::ArgumentView;
using runtime::KernelParameter;

#define TRITON_SCALAR_TYPE(enumerator, longName, shortName, bits, kind, mantissa, bias)                                \
  static_assert(int(ScalarType::enumerator) == int(DataType::enumerator));
#include "base/ScalarTypes.def"

/// A number for each distinct constant that is not itself a number. Numbers are never forgotten, so that a key made of
/// them stays valid.
static uint64_t identify(Constant::Kind kind, std::string_view value, std::shared_ptr<void> keepAlive = nullptr) {
  struct Known {
    uint64_t identity;
    std::shared_ptr<void> keepAlive;
  };
  static std::mutex mutex;
  static auto *known = new std::map<std::pair<Constant::Kind, std::string>, Known, std::less<>>;
  std::lock_guard lock(mutex);
  return known->try_emplace({kind, std::string(value)}, Known{known->size(), std::move(keepAlive)})
      .first->second.identity;
}

static ArgumentView viewOf(const Constant &constant) {
  ArgumentView view;
  switch (constant.kind) {
  case Constant::Kind::None:
    break;
  case Constant::Kind::Boolean:
    view = ArgumentView::boolean(constant.integer != 0);
    break;
  case Constant::Kind::Integer:
    view = ArgumentView::integer(constant.integer);
    break;
  case Constant::Kind::Float:
    view = ArgumentView::floating(constant.number);
    break;
  case Constant::Kind::String:
    return ArgumentView::constant(identify(constant.kind, constant.text));
  case Constant::Kind::DataType:
    // Larger than every identity that `identify` returns.
    return ArgumentView::constant(~uint64_t(constant.dtype));
  case Constant::Kind::Function:
  case Constant::Kind::Object: {
    const void *address = constant.function.get();
    std::string_view bytes(reinterpret_cast<const char *>(&address), sizeof(address));
    return ArgumentView::constant(identify(constant.kind, bytes, constant.function));
  }
  }
  view.isConstant = true;
  return view;
}

/// The views of a descriptor for `parameter`. Throws a Launch error when no kernel can take it.
static void bindDescriptor(const TensorDescriptor &given, const std::string &parameter, BoundArgument &bound) {
  auto refuse = [&](const std::string &message) {
    throwLaunchError("argument `" + parameter + "` (a tensor descriptor): " + message);
  };
  runtime::HostDescriptor descriptor;
  descriptor.type = {.element = ScalarType(int(given.base.dtype)),
                     .padsWithNaN = given.padding == TensorDescriptor::Padding::NaN,
                     .roundsToTF32 = given.roundToTF32};
  if (given.bufferSwizzle >= 0)
    descriptor.type.bufferSwizzle = uint8_t(given.bufferSwizzle);
  descriptor.address = uint64_t(reinterpret_cast<uintptr_t>(given.base.address));
  if (std::string message = setBlock(descriptor.type, given.blockShape); !message.empty())
    refuse(message);
  std::size_t rank = descriptor.type.rank;
  if (given.shape.size() != rank || given.strides.size() != rank)
    refuse("it has " + std::to_string(given.shape.size()) + " extents and " + std::to_string(given.strides.size()) +
           " strides for a block of " + std::to_string(rank) + " dimensions");
  llvm::copy(given.shape, descriptor.shape.begin());
  llvm::copy(given.strides, descriptor.strides.begin());
  if (std::string message = runtime::checkDescriptor(descriptor); !message.empty())
    refuse(message);
  runtime::visitDescriptor(descriptor, [&](const ArgumentView &view) {
    if (view.kind == ArgumentView::Kind::Descriptor)
      bound.view = view;
    else
      bound.parts.push_back(view);
    return true;
  });
  bound.memoryBytes = given.base.bytes;
}

static BoundArgument bind(const Argument &argument, const runtime::ParameterRule &rule) {
  BoundArgument bound;
  switch (argument.kind()) {
  case Argument::Kind::None:
    break;
  case Argument::Kind::Boolean:
    bound.view = ArgumentView::boolean(argument.rawBits() != 0);
    break;
  case Argument::Kind::Integer:
    bound.view = ArgumentView::integer(int64_t(argument.rawBits()));
    break;
  case Argument::Kind::Unsigned:
    bound.view = ArgumentView::unsignedInteger(argument.rawBits());
    break;
  case Argument::Kind::Float:
    bound.view = ArgumentView::floating(argument.floating());
    break;
  case Argument::Kind::Pointer:
    bound.view = ArgumentView::pointer(reinterpret_cast<const void *>(uintptr_t(argument.rawBits())),
                                       {ScalarType(int(argument.dtype()))});
    bound.memoryBytes = argument.memoryBytes();
    break;
  case Argument::Kind::Constant:
    bound.constant = &argument.constant();
    bound.view = viewOf(argument.constant());
    break;
  case Argument::Kind::TypeOnly:
    bound.typeOnly = argument.signature();
    break;
  case Argument::Kind::Descriptor:
    if (rule.isConstexpr)
      throwLaunchError("parameter `" + rule.name + "` is a tl.constexpr, but its argument is a tensor descriptor");
    bindDescriptor(argument.descriptor(), rule.name, bound);
    break;
  }
  return bound;
}

/// Binds the default as if the caller had passed it.
static BoundArgument bindDefault(const Kernel::State &kernel, const KernelParameter &parameter) {
  if (!parameter.defaultValue)
    throwLaunchError("the default of parameter `" + parameter.rule.name + "` of kernel `" + kernel.function->name +
                     "` is not a constant; pass a value");
  BoundArgument bound;
  const frontend::Object &value = *parameter.defaultValue;
  bound.defaultValue = &parameter.defaultValue;
  if (auto *boolean = value.get<bool>())
    bound.view = ArgumentView::boolean(*boolean);
  else if (auto *integer = value.get<llvm::APSInt>(); integer && integer->isSignedIntN(64))
    bound.view = ArgumentView::integer(integer->getExtValue());
  else if (auto *number = value.get<double>())
    bound.view = ArgumentView::floating(*number);
  else if (!value.is<frontend::NoneType>())
    bound.view = ArgumentView::constant(uint64_t(reinterpret_cast<uintptr_t>(&value)));
  return bound;
}

static std::string quoteKernel(const Kernel::State &kernel) {
  return "`" + runtime::describeSignature(*kernel.function) + "`";
}

static std::size_t findParameter(const Kernel::State &kernel, std::string_view name) {
  const std::vector<KernelParameter> &parameters = kernel.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].rule.name == name)
      return i;
  std::string message = "kernel " + quoteKernel(kernel) + " has no parameter `" + std::string(name) + "`";
  std::string closest;
  unsigned best = std::min<std::size_t>(3, name.size()); // of a name of one letter, nothing is left when that is wrong
  for (const KernelParameter &parameter : parameters)
    if (unsigned distance = llvm::StringRef(parameter.rule.name).edit_distance(name); distance < best) {
      best = distance;
      closest = parameter.rule.name;
    }
  throwLaunchError(message + (closest.empty() ? "" : "; did you mean `" + closest + "`?"));
}

void api::bindArguments(const Kernel::State &kernel, std::span<const Argument> arguments,
                        std::vector<BoundArgument> &out) {
  std::size_t count = kernel.parameters.size();
  out.assign(count, {});
  static thread_local std::vector<char> isBound;
  isBound.assign(count, 0);
  for (const Argument &argument : arguments) {
    if (argument.parameter().empty())
      continue;
    std::size_t index = findParameter(kernel, argument.parameter());
    if (isBound[index])
      throwLaunchError("two values for parameter `" + kernel.parameters[index].rule.name + "` of kernel " +
                       quoteKernel(kernel));
    out[index] = bind(argument, kernel.parameters[index].rule);
    isBound[index] = 1;
  }
  std::size_t next = 0;
  for (const Argument &argument : arguments) {
    if (!argument.parameter().empty())
      continue;
    while (next < count && isBound[next])
      ++next;
    if (next == count)
      throwLaunchError("kernel " + quoteKernel(kernel) + " takes " + std::to_string(count) + " arguments, " +
                       std::to_string(arguments.size()) + " were given");
    out[next] = bind(argument, kernel.parameters[next].rule);
    isBound[next] = 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (isBound[i])
      continue;
    if (!kernel.parameters[i].hasDefault)
      throwLaunchError("argument `" + kernel.parameters[i].rule.name + "` of kernel " + quoteKernel(kernel) +
                       " is missing");
    out[i] = bindDefault(kernel, kernel.parameters[i]);
  }
}

ObjectRef api::constantObject(const BoundArgument &argument, const std::string &parameter) {
  if (argument.defaultValue)
    return *argument.defaultValue;
  if (!argument.constant)
    throwLaunchError("parameter `" + parameter +
                     "` is a tl.constexpr, but its argument is a pointer; pass a number or " + "triton::constant(\"" +
                     parameter + "\", value)");
  const Constant &constant = *argument.constant;
  switch (constant.kind) {
  case Constant::Kind::String:
    return frontend::makeObject(std::string(constant.text));
  case Constant::Kind::DataType:
    return frontend::makeObject(base::ElementType{ScalarType(int(constant.dtype))});
  case Constant::Kind::Function:
    return frontend::makeObject(
        std::static_pointer_cast<const frontend::Function>(std::const_pointer_cast<const void>(constant.function)));
  case Constant::Kind::Object:
    return std::static_pointer_cast<const frontend::Object>(std::const_pointer_cast<const void>(constant.function));
  case Constant::Kind::None:
  case Constant::Kind::Boolean:
  case Constant::Kind::Integer:
  case Constant::Kind::Float:
    break;
  }
  return frontend::makeNone();
}
