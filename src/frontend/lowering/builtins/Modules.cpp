// The compiler's own modules, as kernels see them.
#include "frontend/lowering/BuiltinModules.h"
#include "frontend/lowering/builtins/Builtin.h"
#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/HostMath.h"
#include "frontend/lowering/builtins/Prelude.h"
#include "frontend/lowering/builtins/ProfilerScopes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <mutex>
#include <stdexcept>

namespace triton::frontend {
namespace {

using Arguments = std::vector<ObjectRef>;
using Keywords = std::map<std::string, ObjectRef>;

ObjectRef makeModule(std::string name, std::function<ObjectRef(llvm::StringRef)> attribute) {
  auto module = std::make_shared<Module>();
  module->name = std::move(name);
  module->attribute = [attribute = std::move(attribute)](std::string_view text) {
    return attribute(llvm::StringRef(text.data(), text.size()));
  };
  return makeObject(std::shared_ptr<const Module>(std::move(module)));
}

ObjectRef submodule(llvm::StringRef parent, llvm::StringRef name) {
  std::string full = (parent + "." + name).str();
  return builtinModule(full);
}

ObjectRef dtypeNamed(llvm::StringRef name) {
  if (name == "pi32_t")
    return makeObject(ElementType{ScalarType::Int32, 1, false});
  std::optional<ScalarType> type = parseScalarType(std::string_view(name.data(), name.size()));
  // Only the long names are attributes: `tl.fp16` and `tl.half` do not exist.
  std::string_view text(name.data(), name.size());
  return type && longName(*type) == text ? makeObject(ElementType{*type}) : nullptr;
}

ObjectRef builtinNamed(llvm::StringRef module, llvm::StringRef name) {
  const Builtin *builtin = findBuiltin(module, name);
  return builtin ? makeObject(builtin) : nullptr;
}

/// A function that returns its argument. Programs call it so that versions of Triton in which types are constants can
/// compile them.
ObjectRef identityFunction(llvm::StringRef name) {
  auto function = std::make_shared<HostFunction>();
  function->name = name.str();
  function->passesValues = true;
  function->call = [name = name.str()](const Arguments &arguments, const Keywords &keywords) {
    if (arguments.size() != 1 || !keywords.empty())
      throw std::runtime_error("`" + name + "` takes one argument");
    return arguments.front();
  };
  return makeObject(std::shared_ptr<const HostFunction>(std::move(function)));
}

ObjectRef languageAttribute(llvm::StringRef module, llvm::StringRef name) {
  if (ObjectRef builtin = builtinNamed(module, name))
    return builtin;
  if (ObjectRef type = dtypeNamed(name))
    return type;
  if (ObjectRef function = preludeFunction(name))
    return function;
  if (name == "PropagateNan")
    return makeModule("triton.language.PropagateNan", builtin::propagateNanObject);
  if (name == "_unwrap_if_constexpr")
    return identityFunction(name);
  if (name == "TRITON_MAX_TENSOR_NUMEL")
    return makeInteger(1048576);
  return submodule("triton.language", name);
}

/// A function of two integers or, with `extra` false, of one.
ObjectRef integerFunction(llvm::StringRef name, size_t count,
                          std::function<llvm::APSInt(llvm::ArrayRef<llvm::APSInt>)> f) {
  auto function = std::make_shared<HostFunction>();
  function->name = name.str();
  function->call = [name = name.str(), count, f = std::move(f)](const Arguments &arguments, const Keywords &keywords) {
    llvm::SmallVector<llvm::APSInt, 2> values;
    for (const ObjectRef &argument : arguments)
      if (auto *integer = argument->get<llvm::APSInt>())
        values.push_back(integer->extend(integer->getBitWidth() + 64));
    if (values.size() != count || arguments.size() != count || !keywords.empty())
      throw std::runtime_error("`triton." + name + "` takes " + std::to_string(count) +
                               (count == 1 ? " int" : " ints") + " known at compile time");
    return makeObject(f(values));
  };
  return makeObject(std::shared_ptr<const HostFunction>(std::move(function)));
}

llvm::APSInt asSigned(llvm::APInt value) { return llvm::APSInt(std::move(value), /*isUnsigned=*/false); }

llvm::APSInt ceilingDivide(llvm::ArrayRef<llvm::APSInt> values) {
  unsigned width = std::max(values[0].getBitWidth(), values[1].getBitWidth());
  llvm::APInt numerator = values[0].sext(width), denominator = values[1].sext(width);
  if (denominator.isZero())
    throw std::runtime_error("`triton.cdiv` divides by zero");
  return asSigned(llvm::APIntOps::RoundingSDiv(numerator, denominator, llvm::APInt::Rounding::UP));
}

llvm::APSInt nextPowerOfTwo(llvm::ArrayRef<llvm::APSInt> values) {
  const llvm::APSInt &value = values[0];
  unsigned width = value.getBitWidth();
  if (!value.isStrictlyPositive())
    return asSigned(llvm::APInt(width, value.isZero() ? 0 : 1));
  return asSigned(llvm::APInt::getOneBitSet(width, value.ceilLogBase2()));
}

ObjectRef tritonAttribute(llvm::StringRef name) {
  if (name == "cdiv")
    return integerFunction(name, 2, ceilingDivide);
  if (name == "next_power_of_2")
    return integerFunction(name, 1, nextPowerOfTwo);
  return submodule("triton", name);
}

/// The modules `triton.language.extra.cuda` and `.hip` also show the contents of their modules, which are one table for
/// each vendor.
ObjectRef vendorAttribute(llvm::StringRef module, llvm::StringRef name) {
  bool isOfAmd = module.starts_with("triton.language.extra.hip");
  if (ObjectRef builtin =
          builtinNamed(isOfAmd ? "triton.language.extra.hip.utils" : "triton.language.extra.cuda.utils", name))
    return builtin;
  return submodule(module, name);
}

bool isPackage(llvm::StringRef name) {
  static constexpr llvm::StringLiteral packages[] = {"triton.language.extra", "triton.language.extra.cpu",
                                                     "triton.profiler"};
  return llvm::is_contained(packages, name);
}

ObjectRef createModule(llvm::StringRef name) {
  std::string text = name.str();
  if (name == "triton")
    return makeModule(text, tritonAttribute);
  if (name == "math")
    return makeModule(text, hostMathFunction);
  if (name == "triton.language" || name == "triton.language.core")
    return makeModule(text, [text](llvm::StringRef attribute) { return languageAttribute(text, attribute); });
  if (name == "triton.language.math" || name == "triton.language.target_info" || name == profilerModule ||
      name == gluonModule || name.ends_with(".libdevice"))
    return makeModule(text, [text](llvm::StringRef attribute) { return builtinNamed(text, attribute); });
  if (name == "triton.language.standard" || name == "triton.language.random")
    return makeModule(text, [text](llvm::StringRef attribute) { return preludeFunction(text, attribute); });
  if (name.starts_with("triton.language.extra.cuda") || name.starts_with("triton.language.extra.hip"))
    return makeModule(text, [text](llvm::StringRef attribute) { return vendorAttribute(text, attribute); });
  if (isPackage(name))
    return makeModule(text, [text](llvm::StringRef attribute) { return submodule(text, attribute); });
  return nullptr;
}

/// `triton.language.extra.cuda.libdevice` and its siblings are the same device library.
bool isKnown(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {"triton",
                                                  "math",
                                                  "triton.language",
                                                  "triton.language.core",
                                                  "triton.language.math",
                                                  "triton.language.standard",
                                                  "triton.language.random",
                                                  "triton.language.target_info",
                                                  "triton.language.libdevice",
                                                  "triton.language.extra.libdevice",
                                                  "triton.language.extra.cuda",
                                                  "triton.language.extra.cuda.utils",
                                                  "triton.language.extra.cuda.gdc",
                                                  "triton.language.extra.cuda.libdevice",
                                                  "triton.language.extra.hip",
                                                  "triton.language.extra.hip.utils",
                                                  "triton.language.extra.hip.libdevice",
                                                  "triton.language.extra.cpu.libdevice",
                                                  profilerModule,
                                                  gluonModule};
  return llvm::is_contained(names, name) || isPackage(name);
}

std::function<ObjectRef(std::string_view)> &gluonModules() {
  static std::function<ObjectRef(std::string_view)> find;
  return find;
}

} // namespace

void setGluonModules(std::function<ObjectRef(std::string_view)> find) { gluonModules() = std::move(find); }

ObjectRef languageMember(std::string module, std::string_view name) {
  bool isOurs = module == "math" || module == "triton" || module.starts_with("triton.");
  while (isOurs && !module.empty()) {
    if (isKnown(module))
      if (ObjectRef member = (*builtinModule(module)->get<std::shared_ptr<const Module>>())->attribute(name))
        return member;
    size_t dot = module.rfind('.');
    module.resize(dot == std::string::npos ? 0 : dot);
  }
  return nullptr;
}

ObjectRef builtinModule(std::string_view name) {
  llvm::StringRef text(name.data(), name.size());
  if (!isKnown(text)) {
    bool isOfGluon = text == "triton.experimental" || text.starts_with("triton.experimental.gluon");
    return isOfGluon && gluonModules() ? gluonModules()(name) : nullptr;
  }
  static std::mutex mutex;
  static llvm::StringMap<ObjectRef> modules;
  std::lock_guard lock(mutex);
  ObjectRef &module = modules[text];
  if (!module)
    module = createModule(text);
  return module;
}

} // namespace triton::frontend
