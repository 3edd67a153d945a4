// Conversions of the 8-bit floats that the machine knows (v_cvt_pk_f32_fp8, v_cvt_pk_fp8_f32 and v_cvt_scalef32_pk in
// the ISA documents). A register has four of them, and an instruction converts two.
#include "backends/amd/lowering/AmdEmitter.h"
#include "backends/amd/lowering/MatrixInstructions.h"

using namespace mlir;

namespace triton::amd {

/// The name of the format in instructions; empty if there are none. These have the formats of matrix units.
static llvm::StringRef formatName(const Architecture &architecture, FloatType type) {
  std::optional<MatrixElement> element = findMatrixElement(architecture, type, /*isTf32=*/false);
  return element == MatrixElement::Float8E4 ? "fp8" : element == MatrixElement::Float8E5 ? "bf8" : "";
}

bool AmdEmitter::convertsByteFloats(FloatType type) const {
  return type.getWidth() == 8 && !formatName(architecture, type).empty();
}

constexpr std::size_t groupBytes = 4;

/// Applies `convert` to groups of neighbours that fill a word, the last of them with undefined values.
static Registers forEachWord(Emitter &emitter, ValueRange values, llvm::function_ref<Registers(ValueRange)> convert) {
  Registers results;
  for (std::size_t first = 0; first < values.size(); first += groupBytes) {
    std::size_t count = std::min(groupBytes, values.size() - first);
    Registers group(values.slice(first, count));
    group.resize(groupBytes, emitter.undefined(values.front().getType()));
    Registers converted = convert(group);
    results.append(converted.begin(), converted.begin() + count);
  }
  return results;
}

//===--- From bytes ---------------------------------------------------------------------------------------------===//

/// The upper half of an f32. Numbers of 8-bit floats have no more bits.
static Value cutToBFloat(Emitter &emitter, Value value) {
  auto &b = emitter.b;
  Value code = LLVM::BitcastOp::create(b, b.getI32Type(), value);
  Value upper = LLVM::TruncOp::create(b, b.getI16Type(), emitter.shiftRight(code, 16));
  return LLVM::BitcastOp::create(b, b.getBF16Type(), upper);
}

Registers AmdEmitter::emitDecodeBytes(Emitter &emitter, ValueRange bytes, Type from, FloatType to) const {
  auto format = dyn_cast<FloatType>(from);
  if (!format)
    return {};
  auto &b = emitter.b;
  std::string name = formatName(architecture, format).str();
  auto decodePair = [&](Value word, bool isUpper) -> Registers {
    if ((to.isF16() || to.isBF16()) && architecture.is("gfx950"))
      return emitter.unpackVector(
          emitter.intrinsic("amdgcn.cvt.scalef32.pk." + std::string(to.isF16() ? "f16." : "bf16.") + name,
                            VectorType::get(2, to), {word, emitter.floating(b.getF32Type(), 1), emitter.i1(isUpper)}));
    Value singles =
        emitter.intrinsic("amdgcn.cvt.pk.f32." + name, VectorType::get(2, b.getF32Type()), {word, emitter.i1(isUpper)});
    Registers pair = emitter.unpackVector(singles);
    if (to.isF16()) // Rounds toward zero, but the numbers have no more bits.
      return emitter.unpackVector(emitter.intrinsic("amdgcn.cvt.pkrtz", VectorType::get(2, to), pair));
    if (to.isBF16())
      return {cutToBFloat(emitter, pair[0]), cutToBFloat(emitter, pair[1])};
    return pair;
  };
  return forEachWord(emitter, bytes, [&](ValueRange group) {
    Value word = LLVM::BitcastOp::create(b, b.getI32Type(), emitter.packVector(group));
    Registers results = decodePair(word, /*isUpper=*/false);
    results.append(decodePair(word, /*isUpper=*/true));
    return results;
  });
}

//===--- To bytes -----------------------------------------------------------------------------------------------===//

/// Numbers beyond the largest one become the largest; NaN remains.
static Value clamp(Emitter &emitter, Value value, double largest, bool keepsNaN) {
  auto &b = emitter.b;
  Type type = value.getType();
  Value high = emitter.floating(type, largest), low = emitter.floating(type, -largest);
  if (keepsNaN)
    return emitter.intrinsic("maximum", type, {emitter.intrinsic("minimum", type, {value, high}), low});
  Value isNaN = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::uno, value, value);
  return emitter.select(isNaN, value, emitter.intrinsic("amdgcn.fmed3", type, {value, high, low}));
}

/// The instructions give NaN for numbers that are too large, except in the format with infinities.
Registers AmdEmitter::emitEncodeBytes(Emitter &emitter, ValueRange values, FloatType to) const {
  auto &b = emitter.b;
  Type single = b.getF32Type();
  std::string name = ("amdgcn.cvt.pk." + formatName(architecture, to) + ".f32").str();
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  double largest = llvm::APFloat::getLargest(semantics).convertToDouble();
  auto prepare = [&](Value value) -> Value {
    if (value.getType() != single)
      value = LLVM::FPExtOp::create(b, single, value);
    return isa<Float8E5M2Type>(to) ? value : clamp(emitter, value, largest, architecture.keepsNaN());
  };
  return forEachWord(emitter, values, [&](ValueRange group) {
    Value word = emitter.undefined(b.getI32Type());
    for (unsigned pair : {0, 1})
      word = emitter.intrinsic(name, b.getI32Type(),
                               {prepare(group[2 * pair]), prepare(group[2 * pair + 1]), word, emitter.i1(pair == 1)});
    return emitter.unpackVector(LLVM::BitcastOp::create(b, VectorType::get(groupBytes, b.getI8Type()), word));
  });
}

} // namespace triton::amd
