#include "aot/CTypes.h"

#include "aot/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::aot {

using base::ScalarType;
using llvm::StringRef;

static std::string typeOf(const base::ElementType &type, const AotBackend &words) {
  if (type.isPointer())
    return type.isConst ? words.readOnlyPointer : words.pointer;
  if (base::isFloat(type.scalar))
    return "double";
  if (type.scalar == ScalarType::Int1)
    return "int8_t";
  std::string sign = base::kind(type.scalar) == base::ScalarKind::Unsigned ? "u" : "";
  return sign + "int" + std::to_string(base::bitWidth(type.scalar)) + "_t";
}

std::string declare(const Parameter &parameter, const AotBackend &words) {
  std::string type = typeOf(parameter.type, words);
  return type + (StringRef(type).ends_with("*") ? "" : " ") + parameter.cName;
}

std::string declareAll(const Specification &specification, const AotBackend &words, bool linked) {
  std::vector<std::string> declared;
  for (const Parameter &parameter : specification.parameters)
    if (linked ? parameter.isInLinkedPrototype() : parameter.isInPrototype())
      declared.push_back(declare(parameter, words));
  return llvm::join(declared, ", ");
}

std::string furtherParameters(const std::string &declared) { return declared.empty() ? "" : ", " + declared; }

std::string writeHeader(const Specification &specification, const AotBackend &words) {
  static const char text[] = R"(#ifndef TT_KERNEL_INCLUDES
#define TT_KERNEL_INCLUDES

$INCLUDES$#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#endif

// tt-linker-backend: $BACKEND$

#ifdef __cplusplus
extern "C" {
#endif

void unload_$F$(void);
void load_$F$(void);
// tt-linker-parameters: $POSITIONS$
// tt-linker: $F$:$LINKED$:$ALGORITHM$
$RESULT$ $F$($STREAM$stream$PARAMETERS$);

#ifdef __cplusplus
}
#endif
)";
  std::vector<std::string> positions;
  for (auto [index, parameter] : llvm::enumerate(specification.parameters))
    if (parameter.isInLinkedPrototype())
      positions.push_back(std::to_string(index));
  return instantiate(text, {{"INCLUDES", words.includes},
                            {"BACKEND", words.name},
                            {"POSITIONS", llvm::join(positions, " ")},
                            {"F", specification.functionName},
                            {"LINKED", declareAll(specification, words, /*linked=*/true)},
                            {"ALGORITHM", specification.algorithm},
                            {"RESULT", words.result},
                            {"STREAM", words.stream},
                            {"PARAMETERS", furtherParameters(declareAll(specification, words, /*linked=*/false))}});
}

//===-- Numbers -----------------------------------------------------------------------------------------------------===

static bool takes(const Specification &specification, ScalarType type) {
  return llvm::any_of(specification.parameters, [&](const Parameter &parameter) {
    return parameter.isInPrototype() && parameter.type == base::ElementType{type};
  });
}

std::string conversionFunctions(const Specification &specification) {
  // Rounds to the nearest value, ties to even, directly from the bits of the double: a float in between would round
  // twice.
  static const char narrow[] = R"(
/* The bits of `number` in a format of 16 bits with that many bits of mantissa, rounded to nearest, ties to even. */
static uint16_t $F$_narrow(double number, int mantissa) {
  const int bias = (1 << (14 - mantissa)) - 1, largest = 2 * bias + 1;
  uint64_t bits, fraction, kept, rest, half;
  uint16_t sign;
  int exponent, shift;
  memcpy(&bits, &number, sizeof(bits));
  sign = (uint16_t)(bits >> 48 & 0x8000);
  fraction = bits & UINT64_C(0xFFFFFFFFFFFFF);
  exponent = (int)(bits >> 52 & 0x7FF) - 1023 + bias;
  if (exponent == 1024 + bias) {
    kept = fraction >> (52 - mantissa);
    if (fraction != 0)
      kept |= UINT64_C(1) << (mantissa - 1);
    return (uint16_t)(sign | (uint64_t)largest << mantissa | kept);
  }
  if (exponent < -mantissa)
    return sign;
  shift = 52 - mantissa;
  if (exponent <= 0) {
    fraction |= UINT64_C(1) << 52;
    shift += 1 - exponent;
    exponent = 0;
  }
  kept = fraction >> shift;
  rest = fraction & ((UINT64_C(1) << shift) - 1);
  half = UINT64_C(1) << (shift - 1);
  kept += (uint64_t)exponent << mantissa;
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  if (kept > (uint64_t)largest << mantissa)
    kept = (uint64_t)largest << mantissa;
  return (uint16_t)(sign | kept);
}
)";
  if (!takes(specification, ScalarType::Float16) && !takes(specification, ScalarType::BFloat16))
    return "";
  return instantiate(narrow, {{"F", specification.functionName}});
}

ConvertedArguments convertArguments(const Specification &specification) {
  ConvertedArguments result;
  for (const Parameter &parameter : specification.parameters) {
    if (!parameter.isInPrototype())
      continue;
    const std::string &name = parameter.cName;
    StringRef conversion;
    if (parameter.type == base::ElementType{ScalarType::Float32})
      conversion = "  float tt_of_$N$ = (float)$N$;\n";
    else if (parameter.type == base::ElementType{ScalarType::Float16})
      conversion = "  uint16_t tt_of_$N$ = $F$_narrow($N$, 10);\n";
    else if (parameter.type == base::ElementType{ScalarType::BFloat16})
      conversion = "  uint16_t tt_of_$N$ = $F$_narrow($N$, 7);\n";
    else if (parameter.type == base::ElementType{ScalarType::Int1})
      conversion = "  uint8_t tt_of_$N$ = (uint8_t)($N$ != 0);\n";
    result.statements += instantiate(conversion, {{"N", name}, {"F", specification.functionName}});
    result.names.push_back(conversion.empty() ? name : "tt_of_" + name);
  }
  return result;
}

//===-- Parts of functions ------------------------------------------------------------------------------------------===

std::string writeGrid(const Specification &specification, const AotBackend &words, int blocks) {
  static const char text[] = R"(  const int64_t tt_x = (int64_t)($X$)$BLOCKS$;
  const int64_t tt_y = (int64_t)($Y$);
  const int64_t tt_z = (int64_t)($Z$);
)";
  static const char checks[] = R"(  if (tt_x <= 0 || tt_y <= 0 || tt_z <= 0)
    return $SUCCESS$;
  if (tt_x > INT32_MAX || tt_y > INT32_MAX || tt_z > INT32_MAX)
    return $INVALID$;
)";
  return instantiate(text, {{"X", specification.grid[0]},
                            {"BLOCKS", blocks == 1 ? "" : " * " + std::to_string(blocks)},
                            {"Y", specification.grid[1]},
                            {"Z", specification.grid[2]}}) +
         instantiate(checks, {{"SUCCESS", words.success}, {"INVALID", words.invalidValue}});
}

std::string describe(const Specification &specification, const std::string &target) {
  std::string constants = specification.describedConstants;
  for (std::size_t end = 0; (end = constants.find("*/", end)) != std::string::npos; end += 2)
    constants.insert(end + 1, " "); // which would end the comment
  return "/* Kernel `" + specification.kernelName + "`, compiled ahead of time for " + target + ":\n   " + constants +
         " */\n";
}

std::string initializerOf(StringRef bytes) {
  constexpr std::size_t perLine = 20;
  std::string text;
  for (auto [index, byte] : llvm::enumerate(bytes)) {
    text += index % perLine == 0 ? "\n  0x" : " 0x";
    text += llvm::utohexstr(uint8_t(byte), /*LowerCase=*/true, /*Width=*/2);
    text += ',';
  }
  if (!text.empty())
    text.pop_back();
  return text;
}

} // namespace triton::aot
