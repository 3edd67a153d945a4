#include "base/ElementType.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::base {

namespace {

struct ScalarInfo {
  std::string_view longName;
  std::string_view shortName;
  unsigned bits;
  ScalarKind kind;
  unsigned mantissa;
  int bias;
};

constexpr ScalarInfo scalarInfos[] = {
#define TRITON_SCALAR_TYPE(enumerator, longName, shortName, bits, kind, mantissa, bias)                                \
  {longName, shortName, bits, ScalarKind::kind, mantissa, bias},
#include "base/ScalarTypes.def"
};

const ScalarInfo &info(ScalarType type) { return scalarInfos[static_cast<size_t>(type)]; }

} // namespace

std::string_view longName(ScalarType type) { return info(type).longName; }
std::string_view shortName(ScalarType type) { return info(type).shortName; }
unsigned bitWidth(ScalarType type) { return info(type).bits; }
ScalarKind kind(ScalarType type) { return info(type).kind; }
unsigned mantissaWidth(ScalarType type) { return info(type).mantissa; }
int exponentBias(ScalarType type) { return info(type).bias; }

std::optional<ScalarType> parseScalarType(std::string_view name) {
  for (size_t i = 0; i < std::size(scalarInfos); ++i)
    if (name == scalarInfos[i].longName || name == scalarInfos[i].shortName)
      return static_cast<ScalarType>(i);
  return llvm::StringSwitch<std::optional<ScalarType>>(llvm::StringRef(name))
      .Cases({"bool", "u1", "B"}, ScalarType::Int1)
      .Case("int", ScalarType::Int32)
      .Case("half", ScalarType::Float16)
      .Case("float", ScalarType::Float32)
      .Case("double", ScalarType::Float64)
      .Case("float8_e4m3fn", ScalarType::Float8E4NV)
      .Case("float8_e4m3fnuz", ScalarType::Float8E4B8)
      .Case("float8_e5m2", ScalarType::Float8E5)
      .Case("float8_e5m2fnuz", ScalarType::Float8E5B16)
      .Default(std::nullopt);
}

std::string ElementType::str() const {
  std::string text(pointerDepth, '*');
  if (isPointer() && isConst)
    text += 'k';
  return text += shortName(scalar);
}

std::optional<ElementType> parseElementType(std::string_view text) {
  ElementType type;
  while (text.starts_with('*')) {
    if (type.pointerDepth == UINT8_MAX)
      return std::nullopt;
    ++type.pointerDepth;
    text.remove_prefix(1);
  }
  // No type's name begins with a k, so that it can only be the mark of read-only memory.
  if (type.isPointer() && text.starts_with('k')) {
    type.isConst = true;
    text.remove_prefix(1);
  }
  std::optional<ScalarType> scalar = parseScalarType(text);
  if (!scalar)
    return std::nullopt;
  type.scalar = *scalar;
  return type;
}

} // namespace triton::base
