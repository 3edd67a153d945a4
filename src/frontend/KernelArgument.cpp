#include "frontend/KernelArgument.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {

/// A launch checks that the address and the strides are multiples of this many bytes, as tl.make_tensor_descriptor
/// requires.
static constexpr int64_t alignment = 16;

KernelArgument describeDescriptor(const std::string &name, const DescriptorType &type) {
  KernelArgument argument;
  argument.name = name;
  argument.descriptor = type;
  auto add = [&](const std::string &part, ElementType element, int64_t divisibility) {
    KernelArgument &added = argument.elements.emplace_back();
    added.name = name + "." + part;
    added.type = element;
    added.divisibility = divisibility;
  };
  add("base", {type.element, 1, false}, alignment);
  for (unsigned i = 0; i < type.rank; ++i)
    add("shape." + std::to_string(i), {ScalarType::Int32}, 1);
  for (unsigned i = 0; i + 1 < type.rank; ++i)
    add("strides." + std::to_string(i), {ScalarType::Int64}, alignment / type.elementBytes());
  return argument;
}

/// What a hint of a type says of the argument; whether there is such a hint.
static bool takeHint(llvm::StringRef hint, int storage, KernelArgument &argument) {
  bool isPointer = argument.type.isPointer(), isInteger = !isPointer && !base::isFloat(argument.type.scalar);
  if (hint == "16")
    argument.divisibility = 16;
  else if (hint == "1" && isInteger)
    argument.constant = makeInteger(1);
  else if ((hint == "small" && isPointer) || (hint == "natural" && isInteger))
    argument.isInRange = true;
  else if (hint == "own" && isPointer)
    argument.storage = storage;
  else
    return false;
  return true;
}

llvm::Expected<KernelArgument> readArgumentType(const std::string &name, llvm::StringRef item, int storage) {
  if (std::optional<DescriptorType> descriptor = base::parseDescriptorType(item))
    return describeDescriptor(name, *descriptor);
  auto [typeText, hints] = item.split(':');
  KernelArgument argument;
  argument.name = name;
  std::optional<ElementType> type = base::parseElementType(typeText.trim());
  if (!type)
    return llvm::createStringError("`" + typeText +
                                   "` is not a type; write one like `*fp32`, `i32` or `tensordesc<fp16[64, 32]>`");
  argument.type = *type;
  for (llvm::StringRef hint : llvm::split(hints, ':'))
    if (!hint.empty() && !takeHint(hint.trim(), storage, argument))
      return llvm::createStringError("`" + hint.trim() + "` is not a hint of " +
                                     (type->isPointer() ? "an array; write 16, small (memory of less than 2 GiB) or "
                                                          "own (memory that no other argument lies in)"
                                                        : "a number; write 16, 1 or natural (0 or more)"));
  return argument;
}

/// Of any width, as in Python.
static std::optional<llvm::APSInt> readInteger(llvm::StringRef text) {
  bool isNegative = text.consume_front("-");
  llvm::APInt magnitude;
  if (text.getAsInteger(text.starts_with_insensitive("0x") ? 0 : 10, magnitude))
    return std::nullopt;
  llvm::APSInt value(magnitude.zext(magnitude.getBitWidth() + 1), /*isUnsigned=*/false);
  return isNegative ? -value : value;
}

ObjectRef readConstant(llvm::StringRef item) {
  double number = 0;
  if (std::optional<llvm::APSInt> integer = readInteger(item))
    return makeObject(*integer);
  if (item == "True" || item == "False")
    return makeObject(item == "True");
  if (item == "None")
    return makeNone();
  if (item.size() >= 2 && item.front() == item.back() && (item.front() == '"' || item.front() == '\''))
    return makeObject(item.drop_front().drop_back().str());
  if (!item.empty() && !item.getAsDouble(number))
    return makeObject(number);
  return nullptr;
}

} // namespace triton::frontend
