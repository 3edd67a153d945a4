// Types of the kernel language as the user sees them: signed and unsigned integers are distinct here (the IR has only
// widths), pointers know whether they are const. Free of MLIR, so that bindings and loaders can use it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace triton::base {

enum class ScalarType : uint8_t {
#define TRITON_SCALAR_TYPE(enumerator, longName, shortName, bits, kind, mantissa, bias) enumerator,
#include "base/ScalarTypes.def"
};

/// Ordered as type promotion needs it: Boolean < integers < Float.
enum class ScalarKind : uint8_t { Void, Boolean, Signed, Unsigned, Float };

std::string_view longName(ScalarType type);
std::string_view shortName(ScalarType type);
unsigned bitWidth(ScalarType type);
ScalarKind kind(ScalarType type);
unsigned mantissaWidth(ScalarType type);
int exponentBias(ScalarType type);
inline bool isFloat(ScalarType type) { return kind(type) == ScalarKind::Float; }
inline bool isFloat8(ScalarType type) { return isFloat(type) && bitWidth(type) == 8; }
inline bool isInteger(ScalarType type) {
  ScalarKind k = kind(type);
  return k == ScalarKind::Boolean || k == ScalarKind::Signed || k == ScalarKind::Unsigned;
}
/// Of a type whose values are never negative.
inline bool isUnsigned(ScalarType type) {
  return kind(type) == ScalarKind::Unsigned || kind(type) == ScalarKind::Boolean;
}
/// Accepts long names, short names and the spellings of annotations (`half`, `u1`, `float8_e4m3fn`, `int`, ...).
std::optional<ScalarType> parseScalarType(std::string_view name);

/// A scalar or a pointer to one (to any depth): the type of a kernel argument and of a tensor's elements.
struct ElementType {
  ScalarType scalar = ScalarType::Void; ///< the innermost pointee when this is a pointer
  uint8_t pointerDepth = 0;
  bool isConst = false; ///< pointer to read-only memory (`*kfp32`)

  bool isPointer() const { return pointerDepth != 0; }
  ElementType pointee() const { return {scalar, uint8_t(pointerDepth - 1), false}; }
  bool operator==(const ElementType &) const = default;
  /// The signature spelling: "i32", "*fp32", "*kfp16", "**i8".
  std::string str() const;
};

/// Parses a signature spelling ("i32", "*fp32", "*kbf16"). None when it names no type.
std::optional<ElementType> parseElementType(std::string_view text);

} // namespace triton::base
