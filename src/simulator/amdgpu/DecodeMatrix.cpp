// Matrix instructions: mfma of the data center GPUs, and wmma of the others.
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Matrix.h"

namespace triton::simulator::amdgpu {

namespace {

/// The arguments of an intrinsic, in the order of the kind of instruction.
struct Arguments {
  unsigned a, b, c;
};

} // namespace

static llvm::Expected<MatrixRegisters> readRegisters(const Intrinsic &intrinsic, unsigned index) {
  Decoder &decoder = intrinsic.decoder;
  llvm::Expected<Registers> registers = decoder.read(intrinsic.argument(index));
  if (!registers)
    return registers.takeError();
  unsigned bytes = decoder.elementBytes(intrinsic.argument(index)->getType()->getScalarType());
  return MatrixRegisters{std::move(*registers), bytes};
}

/// Reads the operands, checks that lanes have as many bits as the form needs, and emits the instruction.
static llvm::Error emitMatrix(const Intrinsic &intrinsic, MatrixInstruction matrix, const Arguments &arguments) {
  Decoder &decoder = intrinsic.decoder;
  const Architecture &architecture = intrinsic.architecture;
  for (auto [operand, index] : {std::pair(&matrix.a, arguments.a), {&matrix.b, arguments.b}}) {
    llvm::Expected<MatrixRegisters> values = readRegisters(intrinsic, index);
    if (!values)
      return values.takeError();
    operand->values = std::move(*values);
    operand->fragment = matrix.form.operand(architecture, operand->type);
    unsigned bits = 8 * operand->values.bytes * unsigned(operand->values.registers.size());
    if (bits < bitsOf(operand->type) * operand->fragment.slots)
      return decoder.unsupported(intrinsic.call, "operands of another size");
  }
  llvm::Expected<MatrixRegisters> c = readRegisters(intrinsic, arguments.c);
  if (!c)
    return c.takeError();
  matrix.c = std::move(*c);
  matrix.d = {decoder.defineNew(&intrinsic.call), matrix.c.bytes};
  matrix.result = matrix.form.result(architecture);
  unsigned bits = 8 * matrix.c.bytes * unsigned(matrix.c.registers.size());
  if (bits < bitsOf(matrix.form.c) * matrix.result.slots * matrix.result.stride)
    return decoder.unsupported(intrinsic.call, "a result of another size");
  locateElements(matrix);
  auto detail = std::make_shared<MatrixInstruction>(std::move(matrix));
  decoder.emit(matrixHandler()).detail = detail.get();
  decoder.program.details.push_back(std::move(detail));
  return llvm::Error::success();
}

static MatrixInstruction instructionOf(const Intrinsic &intrinsic, const MatrixForm &form, llvm::StringRef name) {
  MatrixInstruction matrix{form, MatrixSum(form, intrinsic.architecture, name), {}, {}, {}, {}, {}};
  matrix.a.type = form.a;
  matrix.b.type = form.b;
  return matrix;
}

/// mfma(a, b, c, cbsz, abid, blgp).
static llvm::Error decodeMfma(const Intrinsic &intrinsic, const MatrixForm &form, llvm::StringRef name) {
  MatrixInstruction matrix = instructionOf(intrinsic, form, name);
  auto immediate = [&](unsigned index) { return unsigned(intrinsic.constant(index).value_or(0)); };
  matrix.broadcastBits = immediate(3);
  matrix.broadcastBlock = immediate(4);
  matrix.lanesOfB = immediate(5);
  bool isWrong = (1u << matrix.broadcastBits) > form.blocks || matrix.broadcastBlock >> matrix.broadcastBits != 0 ||
                 matrix.lanesOfB > 7 || (!form.broadcasts && matrix.lanesOfB != 0);
  if (isWrong)
    return intrinsic.decoder.unsupported(intrinsic.call, "these immediate operands");
  if (form.a == MatrixType::F64) { // where the lanes of B would be, there are signs
    matrix.a.isNegated = matrix.lanesOfB & 1;
    matrix.b.isNegated = matrix.lanesOfB >> 1 & 1;
    matrix.negatesC = matrix.lanesOfB >> 2 & 1;
    if (matrix.lanesOfB != 0 && intrinsic.architecture.isGfx90a())
      return intrinsic.decoder.unsupported(intrinsic.call, "these immediate operands");
    matrix.lanesOfB = 0;
  }
  return emitMatrix(intrinsic, std::move(matrix), {0, 1, 2});
}

/// The elements of an operand by the number of their format.
static std::optional<MatrixType> mixedType(std::optional<int64_t> format) {
  using enum MatrixType;
  static constexpr MatrixType types[] = {Fp8, Bf8, Fp6, Bf6, Fp4};
  return format && uint64_t(*format) < std::size(types) ? std::optional(types[*format]) : std::nullopt;
}

/// mfma.scale(a, b, c, format of a, format of b, byte of a's scale, scale of a, byte of b's scale, scale of b). LLVM
/// takes two scales that are the constant 0 for none.
static llvm::Error decodeScaled(const Intrinsic &intrinsic, const MatrixForm &form, llvm::StringRef name) {
  Decoder &decoder = intrinsic.decoder;
  MatrixInstruction matrix = instructionOf(intrinsic, form, name);
  bool isScaled = intrinsic.constant(6) != 0 || intrinsic.constant(8) != 0;
  for (auto [operand, number] : {std::pair(&matrix.a, 0u), {&matrix.b, 1u}}) {
    std::optional<MatrixType> type = mixedType(intrinsic.constant(3 + number));
    std::optional<int64_t> byte = intrinsic.constant(5 + 2 * number);
    if (!type || !byte || uint64_t(*byte) > 3)
      return decoder.unsupported(intrinsic.call, "these immediate operands");
    operand->type = *type;
    operand->scaleByte = unsigned(*byte);
    llvm::Expected<RegisterOffset> scales = decoder.readScalar(intrinsic.argument(6 + 2 * number));
    if (!scales)
      return scales.takeError();
    if (isScaled)
      operand->scales = *scales;
  }
  return emitMatrix(intrinsic, std::move(matrix), {0, 1, 2});
}

/// gfx1250: wmma(format of a, a, format of b, b, sign of c, c), and with scales also (half of the lanes that gives a's
/// scales, their format, scales of a, the same for b, reuses a, reuses b). Scales are exponents of eight bits.
static llvm::Error decodeMixedWmma(const Intrinsic &intrinsic, MatrixInstruction matrix, bool isScaled) {
  Decoder &decoder = intrinsic.decoder;
  bool isKnown = intrinsic.constant(4) == 0;
  for (auto [operand, number] : {std::pair(&matrix.a, 0u), {&matrix.b, 1u}}) {
    std::optional<MatrixType> type = mixedType(intrinsic.constant(2 * number));
    unsigned scale = 6 + 3 * number;
    if (!type || (isScaled && intrinsic.constant(scale + 1) != 0))
      isKnown = false;
    if (!isKnown)
      return decoder.unsupported(intrinsic.call, "these immediate operands");
    operand->type = *type;
    operand->hasScalesOfRow = isScaled;
    if (!isScaled)
      continue;
    std::optional<int64_t> half = intrinsic.constant(scale);
    if (!half || uint64_t(*half) > 1)
      return decoder.unsupported(intrinsic.call, "these immediate operands");
    operand->scaleHalf = unsigned(*half);
    llvm::Expected<RegisterOffset> scales = decoder.readScalar(intrinsic.argument(scale + 2));
    if (!scales)
      return scales.takeError();
    operand->scales = *scales;
  }
  return emitMatrix(intrinsic, std::move(matrix), {1, 3, 5});
}

/// gfx1250: wmma(negates a, a, negates b, b, sign of c, c, reuses a, reuses b), and of 8-bit floats the same without
/// what negates operands. Reuse changes nothing that is computed.
static llvm::Error decodeDeepWmma(const Intrinsic &intrinsic, MatrixInstruction matrix) {
  bool isNarrow = bitsOf(matrix.form.a) == 8;
  bool isPlain = isNarrow ? intrinsic.constant(2) == 0
                          : intrinsic.constant(0) == 0 && intrinsic.constant(2) == 0 && intrinsic.constant(4) == 0;
  if (!isPlain)
    return intrinsic.decoder.unsupported(intrinsic.call, "these immediate operands");
  return emitMatrix(intrinsic, std::move(matrix), isNarrow ? Arguments{0, 1, 3} : Arguments{1, 3, 5});
}

/// wmma(a, b, c), with a flag for the half of the result's registers if it has 16 bits, or for integers
/// wmma(signed a, a, signed b, b, c, clamp).
static llvm::Error decodeWmma(const Intrinsic &intrinsic, const MatrixForm &form, llvm::StringRef name) {
  MatrixInstruction matrix = instructionOf(intrinsic, form, name);
  bool isDeep = intrinsic.architecture.hasDeepProducts();
  if (form.c == MatrixType::I32) {
    matrix.a.isSigned = intrinsic.constant(0) != 0;
    matrix.b.isSigned = intrinsic.constant(2) != 0;
    matrix.clamps = intrinsic.constant(isDeep ? 7 : 5) != 0;
    return emitMatrix(intrinsic, std::move(matrix), {1, 3, 4});
  }
  if (isDeep && form.depth == 128)
    return decodeMixedWmma(intrinsic, std::move(matrix), name.starts_with("wmma.scale."));
  if (isDeep)
    return decodeDeepWmma(intrinsic, std::move(matrix));
  if (bitsOf(form.c) == 16) {
    matrix.firstHalf = intrinsic.constant(3) != 0;
    if (matrix.firstHalf && form.result(intrinsic.architecture).stride == 1)
      return intrinsic.decoder.unsupported(intrinsic.call, "these immediate operands");
  }
  return emitMatrix(intrinsic, std::move(matrix), {0, 1, 2});
}

llvm::Expected<bool> decodeMatrix(const Intrinsic &intrinsic) {
  llvm::StringRef name = intrinsic.name;
  bool isWmma = name.starts_with("wmma.");
  if (!isWmma && !name.consume_front("mfma."))
    return false;
  std::optional<MatrixForm> form = findMatrixForm(name, intrinsic.architecture);
  if (!form)
    return intrinsic.missing();
  return Intrinsic::known(isWmma                       ? decodeWmma(intrinsic, *form, name)
                          : name.starts_with("scale.") ? decodeScaled(intrinsic, *form, name)
                                                       : decodeMfma(intrinsic, *form, name));
}

} // namespace triton::simulator::amdgpu
