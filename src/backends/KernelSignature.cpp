#include "backends/KernelSignature.h"

#include "gpu/ir/Dialect.h"
#include "gpu/ir/MessageAttributes.h"
#include "ir/Dialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::backends {

using base::ElementType;
using base::LaunchExpression;
using base::ScalarType;
using base::TensorMapParameter;

std::optional<ElementType> elementTypeOf(Type type) {
  if (auto pointer = dyn_cast<tt::PointerType>(type)) {
    std::optional<ElementType> pointee = elementTypeOf(pointer.getPointeeType());
    if (pointee)
      ++pointee->pointerDepth;
    return pointee;
  }
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float8E5M2Type) { return ElementType{ScalarType::Float8E5}; })
      .Case([](Float8E5M2FNUZType) { return ElementType{ScalarType::Float8E5B16}; })
      .Case([](Float8E4M3FNType) { return ElementType{ScalarType::Float8E4NV}; })
      .Case([](Float8E4M3FNUZType) { return ElementType{ScalarType::Float8E4B8}; })
      .Case([](tt::Float8E4B15Type) { return ElementType{ScalarType::Float8E4B15}; })
      .Case([](Float16Type) { return ElementType{ScalarType::Float16}; })
      .Case([](BFloat16Type) { return ElementType{ScalarType::BFloat16}; })
      .Case([](Float32Type) { return ElementType{ScalarType::Float32}; })
      .Case([](Float64Type) { return ElementType{ScalarType::Float64}; })
      .Case([](IntegerType integer) -> std::optional<ElementType> {
        return base::parseElementType((integer.isUnsigned() ? "u" : "i") + std::to_string(integer.getWidth()));
      })
      .Default([](Type) { return std::nullopt; });
}

bool isTensorMap(FunctionOpInterface function, unsigned argument) {
  return function.getArgAttr(argument, ttg::tensorMapAttribute) != nullptr;
}

namespace {

/// Reads the dictionary of one tensor map. The first failure is kept.
class TensorMapReader {
public:
  explicit TensorMapReader(DictionaryAttr dictionary) : dictionary(dictionary) {}

  std::string problem; ///< empty: there is none

  TensorMapParameter read(tt::TensorDescType type) {
    TensorMapParameter map;
    if (auto name = dictionary.getAs<StringAttr>("name"))
      map.name = name.str();
    if (std::optional<ElementType> element = elementTypeOf(type.getBlockType().getElementType()))
      map.element = element->scalar;
    map.base = readExpression(dictionary.get("base"), "base");
    map.shape = readExpressions("shape");
    map.strides = readExpressions("strides");
    if (auto box = dictionary.getAs<DenseI32ArrayAttr>("box"))
      map.box.assign(box.asArrayRef().begin(), box.asArrayRef().end());
    if (auto swizzle = dictionary.getAs<IntegerAttr>("swizzle"))
      map.swizzleBytes = unsigned(swizzle.getInt());
    map.padsWithNaN = dictionary.contains("nan");
    map.roundsToTF32 = dictionary.contains("tf32");
    map.fp4Padded = dictionary.contains("fp4_padded");
    return map;
  }

private:
  LaunchExpression readExpression(Attribute attribute, llvm::StringRef member) {
    auto text = dyn_cast_or_null<StringAttr>(attribute);
    if (auto expression = text ? LaunchExpression::parse(text.getValue()) : std::nullopt)
      return *expression;
    if (problem.empty())
      problem = (text ? "`" + member + "` has the expression `" + text.getValue() + "`, which is malformed"
                      : "`" + member + "` must hold expressions, such as \"arg:0\"")
                    .str();
    return {};
  }

  std::vector<LaunchExpression> readExpressions(llvm::StringRef member) {
    std::vector<LaunchExpression> expressions;
    auto array = dictionary.getAs<ArrayAttr>(member);
    if (!array && problem.empty())
      problem = ("there is no array `" + member + "`").str();
    if (array)
      for (Attribute attribute : array)
        expressions.push_back(readExpression(attribute, member));
    return expressions;
  }

  DictionaryAttr dictionary;
};

llvm::Expected<TensorMapParameter> readTensorMap(tt::FuncOp function, unsigned argument, std::size_t argumentCount) {
  auto fail = [&](const llvm::Twine &problem) {
    return llvm::createStringError("the attribute `" + ttg::tensorMapAttribute + "` of argument " +
                                   llvm::Twine(argument) + " of `" + function.getName() + "`: " + problem);
  };
  auto dictionary = function.getArgAttrOfType<DictionaryAttr>(argument, ttg::tensorMapAttribute);
  auto type = dyn_cast<tt::TensorDescType>(function.getArgumentTypes()[argument]);
  if (!dictionary || !type)
    return fail("it must be a dictionary, and the argument a tensor descriptor");
  TensorMapReader reader(dictionary);
  TensorMapParameter map = reader.read(type);
  std::string problem = reader.problem.empty() ? base::checkTensorMap(map, argumentCount) : reader.problem;
  if (!problem.empty())
    return fail(problem);
  return map;
}

llvm::Expected<std::vector<TensorMapParameter>> readTensorMaps(tt::FuncOp function) {
  std::vector<TensorMapParameter> maps;
  unsigned count = function.getNumArguments(), first = count;
  while (first > 0 && isTensorMap(function, first - 1))
    --first;
  for (unsigned argument = 0; argument < first; ++argument)
    if (isTensorMap(function, argument))
      return llvm::createStringError("the attribute `" + ttg::tensorMapAttribute +
                                     "` is for the last arguments of a kernel, but argument " + llvm::Twine(first - 1) +
                                     " of `" + function.getName() + "`, which has none, follows argument " +
                                     llvm::Twine(argument));
  for (unsigned argument = first; argument < count; ++argument) {
    llvm::Expected<TensorMapParameter> map = readTensorMap(function, argument, first);
    if (!map)
      return map.takeError();
    maps.push_back(std::move(*map));
  }
  return maps;
}

} // namespace

static std::vector<base::DeviceMessage> readMessages(ModuleOp module) {
  std::vector<base::DeviceMessage> messages;
  if (auto array = module->getAttrOfType<ArrayAttr>(ttg::messagesAttribute))
    for (auto message : array.getAsRange<DictionaryAttr>())
      messages.push_back({message.getAs<StringAttr>("format").str(), message.contains("failure")});
  return messages;
}

llvm::Error readLaunchAttributes(ModuleOp module, llvm::StringRef kernel, base::StageResults &results) {
  results.messages = readMessages(module);
  results.blocks = int(tt::getBlocks(module));
  results.launchWarps = 0;
  if (auto warps = module->getAttrOfType<IntegerAttr>(ttg::launchWarpsAttribute)) {
    constexpr unsigned mostThreads = 1024; // of a program, on every GPU
    unsigned most = mostThreads / std::max(1u, ttg::getThreadsPerWarp(module));
    if (warps.getInt() < int64_t(ttg::getNumWarps(module)) || warps.getInt() > int64_t(most))
      return llvm::createStringError("`" + ttg::launchWarpsAttribute + "` is " + llvm::Twine(warps.getInt()) +
                                     "; it must be from `" + ttg::numWarpsAttribute + "`, which is " +
                                     llvm::Twine(ttg::getNumWarps(module)) + ", to " + llvm::Twine(most));
    results.launchWarps = int(warps.getInt());
  }
  if (auto function = module.lookupSymbol<tt::FuncOp>(kernel)) {
    llvm::Expected<std::vector<TensorMapParameter>> maps = readTensorMaps(function);
    if (!maps)
      return maps.takeError();
    results.tensorMaps = std::move(*maps);
  }
  return llvm::Error::success();
}

} // namespace triton::backends
