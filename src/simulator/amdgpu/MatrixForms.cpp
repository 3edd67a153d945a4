#include "simulator/amdgpu/MatrixForms.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace triton::simulator::amdgpu {

unsigned bitsOf(MatrixType type) {
  switch (type) {
  case MatrixType::F64:
    return 64;
  case MatrixType::F32:
  case MatrixType::XF32:
  case MatrixType::I32:
    return 32;
  case MatrixType::F16:
  case MatrixType::BF16:
    return 16;
  case MatrixType::Fp8:
  case MatrixType::Bf8:
  case MatrixType::I8:
    return 8;
  case MatrixType::Fp6:
  case MatrixType::Bf6:
    return 6;
  case MatrixType::Fp4:
  case MatrixType::I4:
    return 4;
  }
  return 0;
}

namespace {

enum Processors : uint8_t { Gfx90a = 1, Gfx942 = 2, Gfx950 = 4, Later = Gfx942 | Gfx950, All = Gfx90a | Later };

struct KnownForm {
  llvm::StringLiteral name;
  MatrixForm form;
  uint8_t processors;
};

} // namespace

static uint8_t processorOf(const Architecture &architecture) {
  return architecture.isGfx90a() ? Gfx90a : architecture.isGfx942() ? Gfx942 : architecture.isGfx950() ? Gfx950 : 0;
}

static constexpr MatrixForm mfma(unsigned size, unsigned depth, unsigned blocks, MatrixType a, MatrixType b,
                                 bool broadcasts = true) {
  MatrixType c = a == MatrixType::F64 ? MatrixType::F64 : a == MatrixType::I8 ? MatrixType::I32 : MatrixType::F32;
  return {size, depth, blocks, a, b, c, false, broadcasts};
}
static constexpr MatrixForm mfma(unsigned size, unsigned depth, unsigned blocks, MatrixType type) {
  return mfma(size, depth, blocks, type, type);
}
/// The forms without broadcasts.
static constexpr MatrixForm plain(unsigned size, unsigned depth, MatrixType a, MatrixType b) {
  return mfma(size, depth, 1, a, b, false);
}

static llvm::ArrayRef<KnownForm> mfmaForms() {
  using enum MatrixType;
  static constexpr KnownForm forms[] = {
      {"f32.32x32x1f32", mfma(32, 1, 2, F32), All},
      {"f32.16x16x1f32", mfma(16, 1, 4, F32), All},
      {"f32.4x4x1f32", mfma(4, 1, 16, F32), All},
      {"f32.32x32x2f32", mfma(32, 2, 1, F32), All},
      {"f32.16x16x4f32", mfma(16, 4, 1, F32), All},
      {"f32.32x32x4f16", mfma(32, 4, 2, F16), All},
      {"f32.16x16x4f16", mfma(16, 4, 4, F16), All},
      {"f32.4x4x4f16", mfma(4, 4, 16, F16), All},
      {"f32.32x32x8f16", mfma(32, 8, 1, F16), All},
      {"f32.16x16x16f16", mfma(16, 16, 1, F16), All},
      {"f32.32x32x4bf16.1k", mfma(32, 4, 2, BF16), All},
      {"f32.16x16x4bf16.1k", mfma(16, 4, 4, BF16), All},
      {"f32.4x4x4bf16.1k", mfma(4, 4, 16, BF16), All},
      {"f32.32x32x8bf16.1k", mfma(32, 8, 1, BF16), All},
      {"f32.16x16x16bf16.1k", mfma(16, 16, 1, BF16), All},
      {"f32.32x32x2bf16", mfma(32, 2, 2, BF16), Gfx90a},
      {"f32.16x16x2bf16", mfma(16, 2, 4, BF16), Gfx90a},
      {"f32.4x4x2bf16", mfma(4, 2, 16, BF16), Gfx90a},
      {"f32.32x32x4bf16", mfma(32, 4, 1, BF16), Gfx90a},
      {"f32.16x16x8bf16", mfma(16, 8, 1, BF16), Gfx90a},
      {"i32.32x32x4i8", mfma(32, 4, 2, I8), All},
      {"i32.16x16x4i8", mfma(16, 4, 4, I8), All},
      {"i32.4x4x4i8", mfma(4, 4, 16, I8), All},
      {"i32.32x32x8i8", mfma(32, 8, 1, I8), Gfx90a},
      {"i32.16x16x16i8", mfma(16, 16, 1, I8), Gfx90a},
      {"i32.32x32x16.i8", plain(32, 16, I8, I8), Later},
      {"i32.16x16x32.i8", plain(16, 32, I8, I8), Later},
      {"f32.32x32x4.xf32", plain(32, 4, XF32, XF32), Gfx942},
      {"f32.16x16x8.xf32", plain(16, 8, XF32, XF32), Gfx942},
      {"f32.32x32x16.fp8.fp8", plain(32, 16, Fp8, Fp8), Later},
      {"f32.32x32x16.fp8.bf8", plain(32, 16, Fp8, Bf8), Later},
      {"f32.32x32x16.bf8.fp8", plain(32, 16, Bf8, Fp8), Later},
      {"f32.32x32x16.bf8.bf8", plain(32, 16, Bf8, Bf8), Later},
      {"f32.16x16x32.fp8.fp8", plain(16, 32, Fp8, Fp8), Later},
      {"f32.16x16x32.fp8.bf8", plain(16, 32, Fp8, Bf8), Later},
      {"f32.16x16x32.bf8.fp8", plain(16, 32, Bf8, Fp8), Later},
      {"f32.16x16x32.bf8.bf8", plain(16, 32, Bf8, Bf8), Later},
      {"f64.16x16x4f64", mfma(16, 4, 1, F64), All},
      {"f64.4x4x4f64", mfma(4, 4, 4, F64), All},
      {"f32.32x32x16.f16", plain(32, 16, F16, F16), Gfx950},
      {"f32.16x16x32.f16", plain(16, 32, F16, F16), Gfx950},
      {"f32.32x32x16.bf16", plain(32, 16, BF16, BF16), Gfx950},
      {"f32.16x16x32.bf16", plain(16, 32, BF16, BF16), Gfx950},
      {"i32.32x32x32.i8", plain(32, 32, I8, I8), Gfx950},
      {"i32.16x16x64.i8", plain(16, 64, I8, I8), Gfx950},
      {"scale.f32.32x32x64.f8f6f4", plain(32, 64, Fp8, Fp8), Gfx950},
      {"scale.f32.16x16x128.f8f6f4", plain(16, 128, Fp8, Fp8), Gfx950},
  };
  return forms;
}

/// `name` follows "wmma.": the type of the result, the shape, and the types of the operands, one if they agree.
static std::optional<MatrixForm> findWmma(llvm::StringRef name, const Architecture &architecture) {
  using enum MatrixType;
  auto typeOf = [](llvm::StringRef text) {
    return llvm::StringSwitch<std::optional<MatrixType>>(text)
        .Case("f32", F32)
        .Case("i32", I32)
        .Case("f16", F16)
        .Case("bf16", BF16)
        .Case("fp8", Fp8)
        .Case("bf8", Bf8)
        .Case("iu8", I8)
        .Case("iu4", I4)
        .Default(std::nullopt);
  };
  if (architecture.hasDeepProducts() &&
      llvm::is_contained({"f32.16x16x128.f8f6f4", "scale.f32.16x16x128.f8f6f4"}, name))
    return MatrixForm{16, 128, 1, Fp8, Fp8, F32, true};
  name.consume_back(".tied");
  llvm::SmallVector<llvm::StringRef, 4> parts;
  name.split(parts, '.');
  bool isOld = architecture.generation == 11, isNew = architecture.generation == 12 && architecture.minor == 0,
       isDeep = architecture.hasDeepProducts();
  if (parts.size() < 3 || (!isOld && !isNew && !isDeep))
    return std::nullopt;
  std::optional<MatrixType> c = typeOf(parts[0]), a = typeOf(parts[2]), b = typeOf(parts.back());
  unsigned depth = 0;
  if (!parts[1].consume_front("16x16x") || parts[1].getAsInteger(10, depth) ||
      !llvm::is_contained({4u, 16u, 32u, 64u}, depth))
    return std::nullopt;
  if (!a || !b || !c)
    return std::nullopt;
  bool isNarrow = *a == Fp8 || *a == Bf8;
  if (isDeep) {
    unsigned known = *a == F32 ? 4 : bitsOf(*a) == 16 || isNarrow || *a == I8 ? 512 / bitsOf(*a) : 0;
    bool isKnown = depth == known && bitsOf(*c) == 32;
    return isKnown && (isNarrow || *a == *b) ? std::optional(MatrixForm{16, depth, 1, *a, *b, *c, true}) : std::nullopt;
  }
  if (depth == 64 || depth == 4)
    return std::nullopt;
  if ((depth == 32 && (*a != I4 || isOld)) || (isNarrow && isOld) || (!isNarrow && *a != *b))
    return std::nullopt;
  return MatrixForm{16, depth, 1, *a, *b, *c, true};
}

std::optional<MatrixForm> findMatrixForm(llvm::StringRef name, const Architecture &architecture) {
  if (name.consume_front("wmma."))
    return findWmma(name, architecture);
  for (const KnownForm &known : mfmaForms())
    if (known.name == name && (known.processors & processorOf(architecture)))
      return known.form;
  return std::nullopt;
}

Fragment MatrixForm::operand(const Architecture &architecture, MatrixType type) const {
  if (!isWmma) {
    unsigned groups = 64 / (size * blocks), slots = depth / groups;
    // The scaled forms split 8-bit elements into two runs.
    unsigned run = slots == 32 && bitsOf(type) == 8 ? 16 : slots;
    return {size, blocks, groups, run, slots};
  }
  unsigned groupsOfWarp = architecture.laneCount() / size;
  if (architecture.generation == 11)
    return {size, 1, 1, depth, depth, 1, false, groupsOfWarp};
  if (architecture.hasDeepProducts()) {
    unsigned slots = depth / groupsOfWarp, runOfMixed = bitsOf(type) == 8 ? 16 : 32;
    return {size, 1, groupsOfWarp, depth == 128 ? runOfMixed : std::min(slots, 8u), slots};
  }
  // With 64 lanes, 16 elements of four bits are too few for all of them.
  unsigned groups = type == MatrixType::I4 && depth == 16 ? 2 : groupsOfWarp, slots = depth / groups;
  unsigned run = bitsOf(type) == 16 ? 4 : slots;
  return {size, 1, groups, run, slots, 1, groups == 4 && bitsOf(type) != 16};
}

Fragment MatrixForm::result(const Architecture &architecture) const {
  unsigned lanes = isWmma ? architecture.laneCount() : 64;
  if (!isWmma) {
    unsigned blocksInLanes = size == 4 ? blocks : 1, groups = lanes / (size * blocksInLanes);
    unsigned slots = size * size * blocks / lanes;
    return {size, blocksInLanes, groups, c == MatrixType::F64 ? 1u : 4u, slots, blocks / blocksInLanes};
  }
  unsigned groups = lanes / size, slots = size / groups;
  if (architecture.generation == 11)
    return {size, 1, groups, 1, slots, 1, false, 1, bitsOf(c) == 16 ? 2u : 1u};
  return {size, 1, groups, slots, slots, 1, groups == 4};
}

} // namespace triton::simulator::amdgpu
