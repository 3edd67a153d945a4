// mma.sync, ldmatrix and stmatrix. Fragment maps (which lane and register holds which element) follow the PTX ISA's
// matrix fragments (MatrixFragments.h).
#include "simulator/core/HostVectors.h"
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"
#include "simulator/nvptx/MatrixFragments.h"
#include "simulator/nvptx/MatrixSum.h"

#include <cstring>
#include <utility>

namespace triton::simulator::nvptx {

namespace {

enum class MatrixType : uint8_t { Half, BFloat, TF32, Double, SignedByte, UnsignedByte };

/// A form of mma.sync, read from the intrinsic's name.
struct MatrixForm {
  unsigned m, n, k;
  MatrixType a, b;
  bool halfAccumulator, saturates;
};

constexpr unsigned elementBits(MatrixType type) {
  switch (type) {
  case MatrixType::Half:
  case MatrixType::BFloat:
    return 16;
  case MatrixType::TF32:
    return 32;
  case MatrixType::Double:
    return 64;
  case MatrixType::SignedByte:
  case MatrixType::UnsignedByte:
    return 8;
  }
  return 0;
}

template <unsigned bits>
using UnsignedOf =
    std::conditional_t<bits == 8, uint8_t,
                       std::conditional_t<bits == 16, uint16_t, std::conditional_t<bits == 32, uint32_t, uint64_t>>>;

} // namespace

/// Reads element `index` of a register as bits.
static uint64_t readElement(Warp &warp, RegisterOffset offset, uint8_t bytes, unsigned lane, unsigned bits,
                            unsigned index) {
  uint64_t word = 0;
  std::memcpy(&word, warp.read<std::byte>(offset) + lane * bytes, bytes);
  return bits == 64 ? word : (word >> (index * bits)) & ((uint64_t(1) << bits) - 1);
}

/// Calls `put(outer, inner, bits)` for the elements of one operand, from registers that each hold 32 bits (or one f64).
/// Registers of 16-bit vectors appear as one entry for each half.
template <unsigned rows, unsigned bits, bool isA, typename Put>
static void gatherOperand(Warp &warp, llvm::ArrayRef<RegisterOffset> registers, llvm::ArrayRef<uint8_t> bytes,
                          Put put) {
  unsigned registerBits = bits == 64 ? 64 : 32;
  unsigned partsPerRegister = registerBits / (bytes[0] * 8), elementsPerPart = bytes[0] * 8 / bits;
  for (unsigned i = 0; i < registers.size(); ++i) {
    unsigned reg = i / partsPerRegister, first = i % partsPerRegister * elementsPerPart;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned index = 0; index < elementsPerPart; ++index) {
        Position at = operandPosition(isA, rows, bits, lane, reg, first + index);
        put(at.outer, at.inner, readElement(warp, registers[i], bytes[i], lane, bits, index));
      }
  }
}

/// Calls `compute(row, column, c)` for each element of C and stores what it returns to D.
template <typename Compute>
static void forEachResult(Warp &warp, const OperandList &list, llvm::ArrayRef<RegisterOffset> c, unsigned cBytes,
                          bool half, Compute compute) {
  for (unsigned i = 0; i < c.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      Position at = half ? accumulatorPosition(true, lane, i / 2, i % 2) : accumulatorPosition(false, lane, i, 0);
      uint64_t value = readElement(warp, c[i], uint8_t(cBytes), lane, cBytes == 8 ? 64 : cBytes * 8, 0);
      uint64_t result = compute(at.outer, at.inner, value);
      std::memcpy(warp.write<std::byte>(list.outputs[i]) + lane * cBytes, &result, cBytes);
    }
}

static int32_t saturateSum(int64_t sum, bool saturates) {
  if (saturates)
    return int32_t(std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX));
  return int32_t(uint32_t(sum));
}

static int32_t integerElement(uint8_t bits, MatrixType type) {
  return type == MatrixType::SignedByte ? int32_t(int8_t(bits)) : int32_t(bits);
}

static constexpr MatrixElement matrixElement(MatrixType type) {
  return type == MatrixType::Half     ? MatrixElement::Half
         : type == MatrixType::BFloat ? MatrixElement::BFloat
                                      : MatrixElement::TF32;
}

/// A register of all lanes as a vector: eight groups of four lanes hold eight lines of a matrix, and as many elements
/// of each. Regrouped, the eight lines of each element lie side by side.
using LaneWords = Vector<uint32_t, warpSize>;
constexpr unsigned linesOfRegister = 8, elementsOfLine = 4;

template <bool toLines, std::size_t... i>
TRITON_ALWAYS_INLINE static inline void regroup(LaneWords &words, std::index_sequence<i...>) {
  constexpr unsigned from = toLines ? elementsOfLine : linesOfRegister, to = warpSize / from;
  words = __builtin_shufflevector(words, words, int(i % to * from + i / to)...);
}

/// Reads the lanes' elements of a register into the lines that `place(element)` points to.
template <typename Element, typename Place>
TRITON_ALWAYS_INLINE static inline void readLines(const Element *lanes, unsigned discardedBits, const Place &place) {
  Vector<Element, warpSize> elements;
  loadVector(elements, lanes);
  LaneWords words = __builtin_convertvector(elements, LaneWords) >> discardedBits;
  regroup<true>(words, std::make_index_sequence<warpSize>());
  uint32_t lines[warpSize];
  storeVector(words, lines);
  for (unsigned element = 0; element < elementsOfLine; ++element)
    __builtin_memcpy(place(element), lines + element * linesOfRegister, linesOfRegister * sizeof(uint32_t));
}

template <typename Place> TRITON_ALWAYS_INLINE static inline void writeLines(uint32_t *lanes, const Place &place) {
  uint32_t lines[warpSize];
  for (unsigned element = 0; element < elementsOfLine; ++element)
    __builtin_memcpy(lines + element * linesOfRegister, place(element), linesOfRegister * sizeof(uint32_t));
  LaneWords words;
  loadVector(words, lines);
  regroup<false>(words, std::make_index_sequence<warpSize>());
  storeVector(words, lanes);
}

/// One operand of floats of at most 32 bits.
template <unsigned rows, MatrixType type, bool isA>
static void gatherFactors(Warp &warp, llvm::ArrayRef<RegisterOffset> registers, llvm::ArrayRef<uint8_t> bytes,
                          FactorPanel &panel) {
  constexpr unsigned bits = elementBits(type), perRegister = 32 / bits;
  if (bytes[0] * 8 != bits) {
    gatherOperand<rows, bits, isA>(warp, registers, bytes, [&](unsigned outer, unsigned k, uint64_t value) {
      panel.elements(k)[outer] = bitsOf(matrixElement(type), uint32_t(value));
    });
    return;
  }
  runWithVectors([&]() TRITON_ALWAYS_INLINE {
    for (unsigned i = 0; i < registers.size(); ++i) {
      Position first = operandPosition(isA, rows, bits, 0, i / perRegister, i % perRegister);
      readLines(warp.read<UnsignedOf<bits>>(registers[i]), type == MatrixType::TF32 ? discardedBitsOfTF32 : 0,
                [&](unsigned element)
                    TRITON_ALWAYS_INLINE { return panel.elements(first.inner + element * perRegister) + first.outer; });
    }
  });
}

/// Products of floats of at most 32 bits. The matrix is the transposed one, in which a vector is a column of results:
/// there are more rows than columns.
template <MatrixForm form>
static void multiplyFloats(Warp &warp, const OperandList &list, llvm::ArrayRef<RegisterOffset> a,
                           llvm::ArrayRef<RegisterOffset> b, llvm::ArrayRef<RegisterOffset> c) {
  FactorPanel rows(form.m, form.k), columns(form.n, form.k);
  llvm::ArrayRef<uint8_t> bytes(list.inputBytes);
  gatherFactors<form.m, form.a, true>(warp, a, bytes, rows);
  gatherFactors<form.n, form.b, false>(warp, b, bytes.drop_front(a.size()), columns);
  const MatrixSum sum({matrixElement(form.b)}, {matrixElement(form.a)}, form.k, 25,
                      form.halfAccumulator ? MatrixSum::Accumulator::Half : MatrixSum::Accumulator::Single);
  sum.decode(columns, rows);
  uint32_t matrix[form.n * form.m];
  if constexpr (form.halfAccumulator) {
    unsigned cBytes = bytes[a.size() + b.size()];
    auto forEachElement = [&](auto body) {
      forEachResult(warp, list, c, cBytes, true, [&](unsigned row, unsigned column, uint64_t value) {
        return body(matrix[column * form.m + row], uint32_t(value));
      });
    };
    forEachElement([](uint32_t &element, uint32_t before) { return element = before; });
    sum.add(columns, rows, /*adds=*/true, matrix);
    forEachElement([](uint32_t element, uint32_t) { return element; });
  } else {
    auto place = [&](unsigned reg, unsigned element) TRITON_ALWAYS_INLINE {
      Position at = accumulatorPosition(false, element, reg, 0);
      return matrix + at.inner * form.m + at.outer;
    };
    runWithVectors([&]() TRITON_ALWAYS_INLINE {
      for (unsigned reg = 0; reg < c.size(); ++reg)
        readLines(warp.read<uint32_t>(c[reg]), 0,
                  [&](unsigned element) TRITON_ALWAYS_INLINE { return place(reg, element); });
    });
    sum.add(columns, rows, /*adds=*/true, matrix);
    runWithVectors([&]() TRITON_ALWAYS_INLINE {
      for (unsigned reg = 0; reg < c.size(); ++reg)
        writeLines(warp.write<uint32_t>(list.outputs[reg]),
                   [&](unsigned element) TRITON_ALWAYS_INLINE { return place(reg, element); });
    });
  }
}

/// Products of integers and of f64.
template <MatrixForm form>
static void multiplyExactly(Warp &warp, const OperandList &list, llvm::ArrayRef<RegisterOffset> a,
                            llvm::ArrayRef<RegisterOffset> b, llvm::ArrayRef<RegisterOffset> c) {
  constexpr unsigned bits = elementBits(form.a);
  UnsignedOf<bits> rows[form.m][form.k], columns[form.n][form.k];
  llvm::ArrayRef<uint8_t> bytes(list.inputBytes);
  gatherOperand<form.m, bits, true>(
      warp, a, bytes, [&](unsigned row, unsigned k, uint64_t value) { rows[row][k] = UnsignedOf<bits>(value); });
  gatherOperand<form.m, bits, false>(
      warp, b, bytes.drop_front(a.size()),
      [&](unsigned column, unsigned k, uint64_t value) { columns[column][k] = UnsignedOf<bits>(value); });
  forEachResult(warp, list, c, list.inputBytes[a.size() + b.size()], false,
                [&](unsigned row, unsigned column, uint64_t value) -> uint64_t {
                  const auto *rowOfA = rows[row], *columnOfB = columns[column];
                  if constexpr (form.a == MatrixType::Double) {
                    double total = bitCast<double>(value);
                    for (unsigned k = 0; k < form.k; ++k)
                      total = std::fma(bitCast<double>(rowOfA[k]), bitCast<double>(columnOfB[k]), total);
                    return bitCast<uint64_t>(total);
                  } else {
                    int32_t total = 0; // of at most 32 products
                    for (unsigned k = 0; k < form.k; ++k)
                      total += integerElement(rowOfA[k], form.a) * integerElement(columnOfB[k], form.b);
                    return uint32_t(saturateSum(int64_t(int32_t(value)) + total, form.saturates));
                  }
                });
}

/// All lanes must take part. Results are written to every lane.
template <MatrixForm form> static void multiply(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  if (warp.active != warp.program.allLanes())
    warp.report(FindingKind::PartialWarp, instruction.location, warp.firstLane(),
                "a matrix instruction needs all lanes of the warp");
  warp.time.multiply(2ull * form.m * form.n * form.k, instruction.location, /*isAsynchronous=*/false);
  constexpr unsigned bits = elementBits(form.a);
  constexpr unsigned registerBits = bits == 64 ? 64 : 32;
  constexpr unsigned aRegisters = form.m * form.k * bits / registerBits / warpSize,
                     bRegisters = form.n * form.k * bits / registerBits / warpSize;
  unsigned partsPerRegister = registerBits / (list.inputBytes[0] * 8);
  unsigned aParts = aRegisters * partsPerRegister, bParts = bRegisters * partsPerRegister;
  llvm::ArrayRef<RegisterOffset> inputs(list.inputs);
  auto a = inputs.take_front(aParts), b = inputs.slice(aParts, bParts), c = inputs.drop_front(aParts + bParts);
  if constexpr (bits == 16 || bits == 32)
    multiplyFloats<form>(warp, list, a, b, c);
  else
    multiplyExactly<form>(warp, list, a, b, c);
}

Handler findMatrixMultiply(llvm::StringRef name) {
  using enum MatrixType;
  static const std::pair<llvm::StringLiteral, Handler> forms[] = {
      {"m16n8k8.row.col.f32.f32", &multiply<MatrixForm{16, 8, 8, Half, Half, false, false}>},
      {"m16n8k16.row.col.f32.f32", &multiply<MatrixForm{16, 8, 16, Half, Half, false, false}>},
      {"m16n8k8.row.col.f16.f16", &multiply<MatrixForm{16, 8, 8, Half, Half, true, false}>},
      {"m16n8k16.row.col.f16.f16", &multiply<MatrixForm{16, 8, 16, Half, Half, true, false}>},
      {"m16n8k8.row.col.bf16", &multiply<MatrixForm{16, 8, 8, BFloat, BFloat, false, false}>},
      {"m16n8k16.row.col.bf16", &multiply<MatrixForm{16, 8, 16, BFloat, BFloat, false, false}>},
      {"m16n8k4.row.col.tf32", &multiply<MatrixForm{16, 8, 4, TF32, TF32, false, false}>},
      {"m16n8k8.row.col.tf32", &multiply<MatrixForm{16, 8, 8, TF32, TF32, false, false}>},
      {"m8n8k4.row.col.f64", &multiply<MatrixForm{8, 8, 4, Double, Double, false, false}>},
      {"m16n8k4.row.col.f64", &multiply<MatrixForm{16, 8, 4, Double, Double, false, false}>},
      {"m16n8k8.row.col.f64", &multiply<MatrixForm{16, 8, 8, Double, Double, false, false}>},
      {"m16n8k16.row.col.f64", &multiply<MatrixForm{16, 8, 16, Double, Double, false, false}>},
      {"m8n8k16.row.col.s8", &multiply<MatrixForm{8, 8, 16, SignedByte, SignedByte, false, false}>},
      {"m16n8k16.row.col.s8", &multiply<MatrixForm{16, 8, 16, SignedByte, SignedByte, false, false}>},
      {"m16n8k32.row.col.s8", &multiply<MatrixForm{16, 8, 32, SignedByte, SignedByte, false, false}>},
      {"m16n8k16.row.col.satfinite.s8", &multiply<MatrixForm{16, 8, 16, SignedByte, SignedByte, false, true}>},
      {"m16n8k32.row.col.satfinite.s8", &multiply<MatrixForm{16, 8, 32, SignedByte, SignedByte, false, true}>},
      {"m16n8k16.row.col.u8", &multiply<MatrixForm{16, 8, 16, UnsignedByte, UnsignedByte, false, false}>},
      {"m16n8k32.row.col.u8", &multiply<MatrixForm{16, 8, 32, UnsignedByte, UnsignedByte, false, false}>},
      {"m16n8k16.row.col.u8.s8", &multiply<MatrixForm{16, 8, 16, UnsignedByte, SignedByte, false, false}>},
      {"m16n8k32.row.col.u8.s8", &multiply<MatrixForm{16, 8, 32, UnsignedByte, SignedByte, false, false}>},
      {"m16n8k16.row.col.s8.u8", &multiply<MatrixForm{16, 8, 16, SignedByte, UnsignedByte, false, false}>},
      {"m16n8k32.row.col.s8.u8", &multiply<MatrixForm{16, 8, 32, SignedByte, UnsignedByte, false, false}>},
  };
  for (auto &[known, handler] : forms)
    if (name == known)
      return handler;
  return nullptr;
}

/// ldmatrix: inputs[0] is the shared address; output j is the lane's part of matrix j. Of the lanes 8j to 8j+7, lane i
/// gives the address of row i % 8 of matrix j.
template <unsigned count, bool transposed> static void loadMatrix(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *pointers = warp.read<uint64_t>(list.inputs[0]);
  uint16_t rows[count * 8][8] = {};
  for (unsigned row = 0; row < count * 8; ++row) {
    uintptr_t address = warp.hostAddress<true>(pointers[row]);
    if (std::byte *memory = warp.access(address, 16, 16, readAccess, row, instruction.location))
      std::memcpy(rows[row], memory, 16);
  }
  for (unsigned matrix = 0; matrix < count; ++matrix)
    warp.forEachLane<uint32_t>(list.outputs[matrix], [&](unsigned lane) {
      unsigned outer = lane >> 2, inner = (lane & 3) * 2;
      uint32_t low, high;
      if (transposed) {
        low = rows[matrix * 8 + inner][outer];
        high = rows[matrix * 8 + inner + 1][outer];
      } else {
        low = rows[matrix * 8 + outer][inner];
        high = rows[matrix * 8 + outer][inner + 1];
      }
      return low | (high << 16);
    });
}

Handler findMatrixLoad(llvm::StringRef name) {
  static const std::pair<llvm::StringLiteral, Handler> forms[] = {
      {"x1.b16", &loadMatrix<1, false>},      {"x2.b16", &loadMatrix<2, false>},
      {"x4.b16", &loadMatrix<4, false>},      {"x1.trans.b16", &loadMatrix<1, true>},
      {"x2.trans.b16", &loadMatrix<2, true>}, {"x4.trans.b16", &loadMatrix<4, true>},
  };
  for (auto &[known, handler] : forms)
    if (name == known)
      return handler;
  return nullptr;
}

/// stmatrix: inputs[0] is the shared address, input 1 + j the lane's part of matrix j.
template <unsigned count, bool transposed> static void storeMatrix(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *pointers = warp.read<uint64_t>(list.inputs[0]);
  uint16_t rows[count * 8][8] = {};
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    const auto *words = warp.read<uint32_t>(list.inputs[1 + matrix]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i : {0u, 1u}) {
        unsigned outer = lane >> 2, inner = (lane & 3) * 2 + i;
        (transposed ? rows[matrix * 8 + inner][outer] : rows[matrix * 8 + outer][inner]) =
            uint16_t(words[lane] >> 16 * i);
      }
  }
  for (unsigned row = 0; row < count * 8; ++row) {
    uintptr_t address = warp.hostAddress<true>(pointers[row]);
    if (std::byte *memory = warp.access(address, 16, 16, writeAccess, row, instruction.location))
      std::memcpy(memory, rows[row], 16);
  }
}

Handler findMatrixStore(llvm::StringRef name) {
  static const std::pair<llvm::StringLiteral, Handler> forms[] = {
      {"x1.b16", &storeMatrix<1, false>},      {"x2.b16", &storeMatrix<2, false>},
      {"x4.b16", &storeMatrix<4, false>},      {"x1.trans.b16", &storeMatrix<1, true>},
      {"x2.trans.b16", &storeMatrix<2, true>}, {"x4.trans.b16", &storeMatrix<4, true>},
  };
  for (auto &[known, handler] : forms)
    if (name == known)
      return handler;
  return nullptr;
}

static void findHostAddress(Warp &warp, const DecodedInstruction &instruction) {
  const auto *places = warp.read<uint64_t>(instruction.operands[0]);
  warp.forEachLane<uint64_t>(instruction.result,
                             [&](unsigned lane) { return uint64_t(warp.findSharedPlace(places[lane]).address); });
}

Handler hostAddressHandler() { return &findHostAddress; }

} // namespace triton::simulator::nvptx
