// Matrix products of AMD's GPUs: which lane holds which element, against the tables of data/amdgpu-matrices.json, which
// come from AMD's calculator of matrix instructions and from public libraries, and the sums.
#include "AmdgpuHarness.h"
#include "Answers.h"

#include "simulator/amdgpu/MatrixForms.h"
#include "simulator/amdgpu/NarrowFloats.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

#include <cmath>

namespace triton::simulator {
namespace {

using namespace amdgpu;

using Coordinates = std::array<unsigned, 3>;

/// A table's layout: the coordinates are sums of those of the bits that are set in the lane and in the slot.
struct Table {
  unsigned lanes, slots, bits, stride;
  std::vector<Coordinates> lane, slot;

  explicit Table(const llvm::json::Object &object)
      : lanes(unsigned(*object.getInteger("lanes"))), slots(unsigned(*object.getInteger("slots"))),
        bits(unsigned(*object.getInteger("bits"))), stride(unsigned(*object.getInteger("stride"))),
        lane(basesOf(*object.getArray("lane"))), slot(basesOf(*object.getArray("slot"))) {}

  Coordinates at(unsigned laneNumber, unsigned slotNumber) const {
    Coordinates sum{};
    auto add = [&](const std::vector<Coordinates> &bases, unsigned number) {
      for (auto [bit, base] : llvm::enumerate(bases))
        for (unsigned i = 0; i < 3; ++i)
          sum[i] += (number >> bit & 1) * base[i];
    };
    add(lane, laneNumber);
    add(slot, slotNumber);
    return sum;
  }

private:
  static std::vector<Coordinates> basesOf(const llvm::json::Array &array) {
    std::vector<Coordinates> bases;
    for (const llvm::json::Value &base : array) {
      const llvm::json::Array &numbers = *base.getAsArray();
      Coordinates &coordinates = bases.emplace_back();
      for (unsigned i = 0; i < 3; ++i)
        coordinates[i] = unsigned(*numbers[i].getAsInteger());
    }
    return bases;
  }
};

/// One row of the table of instructions.
struct Instruction {
  std::string processor, intrinsic, result;
  unsigned wave, size, depth, blocks;
  std::array<std::string, 3> types;
  std::array<unsigned, 3> layouts;
  std::vector<std::string> arguments;
  std::vector<std::optional<std::string>> immediates;

  explicit Instruction(const llvm::json::Object &object)
      : processor(object.getString("processor")->str()), intrinsic(object.getString("intrinsic")->str()),
        result(object.getString("result")->str()), wave(unsigned(*object.getInteger("wave"))) {
    const llvm::json::Array &shape = *object.getArray("shape");
    size = unsigned(*shape[0].getAsInteger());
    depth = unsigned(*shape[2].getAsInteger());
    blocks = unsigned(*shape[3].getAsInteger());
    for (unsigned i = 0; i < 3; ++i) {
      types[i] = (*object.getArray("types"))[i].getAsString()->str();
      layouts[i] = unsigned(*(*object.getArray("layouts"))[i].getAsInteger());
    }
    for (const llvm::json::Value &argument : *object.getArray("arguments"))
      arguments.push_back(argument.getAsString()->str());
    for (const llvm::json::Value &immediate : *object.getArray("immediates"))
      immediates.push_back(immediate.getAsString() ? std::optional(immediate.getAsString()->str()) : std::nullopt);
  }

  Architecture architecture() const {
    llvm::LLVMContext context;
    llvm::Module module("", context);
    auto *function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                            llvm::GlobalValue::ExternalLinkage, "f", module);
    function->addFnAttr("target-cpu", processor);
    if (wave == 64)
      function->addFnAttr("target-features", "+wavefrontsize64");
    return Architecture::of(*function);
  }
  bool isScaled() const { return llvm::StringRef(intrinsic).contains(".scale."); }
  /// Whether operands name their formats.
  bool isMixed() const { return llvm::StringRef(intrinsic).contains("f8f6f4"); }
  bool isDeep() const { return processor == "gfx1250"; }

  /// The instruction of gfx1250 with scales that is like this one without.
  Instruction withScales() const {
    Instruction scaled = *this;
    scaled.intrinsic.insert(llvm::StringRef(intrinsic).find("wmma.") + 5, "scale.");
    for (const char *operand : {"0", "0", "", "0", "0", ""}) {
      scaled.arguments.push_back("i32");
      scaled.immediates.push_back(*operand ? std::optional<std::string>(operand) : std::nullopt);
    }
    scaled.arguments.insert(scaled.arguments.end(), 2, "i1");
    scaled.immediates.insert(scaled.immediates.end(), 2, "false");
    return scaled;
  }
};

struct Tables {
  std::vector<Table> layouts;
  std::vector<Instruction> instructions;

  Tables() {
    llvm::json::Object file = loadAnswers("amdgpu-matrices.json");
    for (const llvm::json::Value &layout : *file.getArray("layouts"))
      layouts.emplace_back(*layout.getAsObject());
    for (const llvm::json::Value &instruction : *file.getArray("instructions"))
      instructions.emplace_back(*instruction.getAsObject());
  }
};

const Tables &tables() {
  static const Tables all;
  return all;
}

MatrixType typeOf(llvm::StringRef name) {
  name.consume_front("amd_");
  return llvm::StringSwitch<MatrixType>(name)
      .Case("fp64", MatrixType::F64)
      .Case("fp32", MatrixType::F32)
      .Case("xf32", MatrixType::XF32)
      .Case("fp16", MatrixType::F16)
      .Case("bf16", MatrixType::BF16)
      .Case("fp8", MatrixType::Fp8)
      .Case("bf8", MatrixType::Bf8)
      .Case("fp6", MatrixType::Fp6)
      .Case("bf6", MatrixType::Bf6)
      .Case("fp4", MatrixType::Fp4)
      .Case("int32", MatrixType::I32)
      .Cases({"int8", "iu8"}, MatrixType::I8)
      .Case("iu4", MatrixType::I4)
      .Default(MatrixType::F64);
}

void expectSame(const Fragment &fragment, const Table &table, unsigned outer, unsigned inner,
                const Instruction &instruction) {
  ASSERT_EQ(fragment.lanes() * fragment.copies, table.lanes) << instruction.intrinsic;
  ASSERT_EQ(fragment.slots, table.slots) << instruction.intrinsic;
  ASSERT_EQ(fragment.stride * table.bits, table.stride) << instruction.intrinsic;
  for (unsigned lane = 0; lane < table.lanes; ++lane)
    for (unsigned slot = 0; slot < table.slots; ++slot) {
      Position position = fragment.at(lane, slot);
      Coordinates expected = table.at(lane, slot);
      ASSERT_EQ(position.outer, expected[outer]) << instruction.intrinsic << " lane " << lane << " slot " << slot;
      ASSERT_EQ(position.inner, expected[inner]) << instruction.intrinsic << " lane " << lane << " slot " << slot;
      ASSERT_EQ(position.block, expected[2]) << instruction.intrinsic << " lane " << lane << " slot " << slot;
    }
}

TEST(AmdgpuMatrix, FragmentsAreThoseOfTheTables) {
  ASSERT_EQ(tables().instructions.size(), 212u);
  for (const Instruction &instruction : tables().instructions) {
    Architecture architecture = instruction.architecture();
    llvm::StringRef name = llvm::Intrinsic::getBaseName(llvm::Intrinsic::lookupIntrinsicID(instruction.intrinsic));
    name.consume_front("llvm.amdgcn.");
    name.consume_front("mfma.");
    std::optional<MatrixForm> form = findMatrixForm(name, architecture);
    ASSERT_TRUE(form) << instruction.processor << " " << instruction.intrinsic;
    ASSERT_EQ(form->size, instruction.size) << instruction.intrinsic;
    ASSERT_EQ(form->depth, instruction.depth) << instruction.intrinsic;
    ASSERT_EQ(form->blocks, instruction.blocks) << instruction.intrinsic;
    if (!instruction.isMixed()) {
      ASSERT_EQ(form->a, typeOf(instruction.types[0])) << instruction.intrinsic;
      ASSERT_EQ(form->b, typeOf(instruction.types[1])) << instruction.intrinsic;
    }
    ASSERT_EQ(form->c, typeOf(instruction.types[2])) << instruction.intrinsic;
    auto table = [&](unsigned i) -> const Table & { return tables().layouts[instruction.layouts[i]]; };
    expectSame(form->operand(architecture, typeOf(instruction.types[0])), table(0), 0, 1, instruction);
    expectSame(form->operand(architecture, typeOf(instruction.types[1])), table(1), 1, 0, instruction);
    expectSame(form->result(architecture), table(2), 1, 0, instruction);
  }
}

//===--- Products of small integers
//---------------------------------------------------------------------------------===//

uint64_t encode(double value, MatrixType type, const Architecture &architecture) {
  switch (type) {
  case MatrixType::F64:
    return bitCast<uint64_t>(value);
  case MatrixType::F32:
  case MatrixType::XF32:
    return bitCast<uint32_t>(float(value));
  case MatrixType::F16:
    return halfFromFloat(float(value));
  case MatrixType::BF16:
    return bfloatFromFloat(float(value));
  case MatrixType::Fp8:
  case MatrixType::Bf8:
    return narrow(value, eightBitFormat(architecture, type == MatrixType::Bf8));
  case MatrixType::Fp6:
    return narrow(value, NarrowFormat::E2M3);
  case MatrixType::Bf6:
    return narrow(value, NarrowFormat::E3M2);
  case MatrixType::Fp4:
    return narrow(value, NarrowFormat::E2M1);
  default:
    return uint64_t(int64_t(value)) & ((uint64_t(1) << amdgpu::bitsOf(type)) - 1);
  }
}

constexpr unsigned laneBytes = 128, operandBytes = 64 * laneBytes;

/// The memory from which lanes load their operands.
class OperandMemory {
public:
  OperandMemory() : words(4 * operandBytes / 4) {}
  void set(unsigned operand, unsigned lane, unsigned bit, unsigned bits, uint64_t value) {
    for (unsigned i = 0; i < bits; ++i) {
      unsigned place = (operand * operandBytes + lane * laneBytes) * 8 + bit + i;
      words[place / 32] |= uint32_t(value >> i & 1) << place % 32;
    }
  }
  template <typename ValueAt>
  void fill(unsigned operand, const Table &table, MatrixType type, const Architecture &architecture, ValueAt valueAt) {
    for (unsigned lane = 0; lane < table.lanes; ++lane)
      for (unsigned slot = 0; slot < table.slots; ++slot)
        set(operand, lane, slot * table.stride, table.bits, encode(valueAt(table.at(lane, slot)), type, architecture));
  }
  std::vector<uint32_t> words;
};

std::string kernelOf(const Instruction &instruction) {
  std::string text = "%offset = mul i32 %t, 128\n%lane = zext i32 %offset to i64\n"
                     "%d = getelementptr i8, ptr addrspace(1) %out, i64 %lane\n";
  std::vector<std::string> operands;
  unsigned values = 0;
  for (auto [type, immediate] : llvm::zip_equal(instruction.arguments, instruction.immediates)) {
    if (immediate) {
      operands.push_back(type + " " + *immediate);
      continue;
    }
    // The scales of both factors lie beside each other.
    unsigned offset = values < 4 ? values * operandBytes : 3 * operandBytes + 4;
    text += llvm::formatv("%o{0} = add i64 %lane, {1}\n%p{0} = getelementptr i8, ptr addrspace(1) %in, i64 %o{0}\n"
                          "%v{0} = load {2}, ptr addrspace(1) %p{0}, align 4\n",
                          values, offset, type)
                .str();
    operands.push_back(type + " %v" + std::to_string(values++));
  }
  return text + "%r = call " + instruction.result + " @" + instruction.intrinsic + "(" + llvm::join(operands, ", ") +
         ")\nstore " + instruction.result + " %r, ptr addrspace(1) %d, align 4\nret void";
}

double valueOfA(const Coordinates &c) { return double((c[0] * 7 + c[1] * 3 + c[2] * 5) % 5) - 2; }
double valueOfB(const Coordinates &c) { return double((c[0] * 2 + c[1] * 11 + c[2] * 3) % 5) - 2; }
double valueOfC(const Coordinates &c) { return double((c[0] * 3 + c[1]) % 7) - 3; }
unsigned scaleOfA(unsigned row, unsigned block) { return 126 + (row + block) % 3; }
unsigned scaleOfB(unsigned column, unsigned block) { return 125 + (column + 2 * block) % 4; }

double expectedElement(const Instruction &instruction, const Coordinates &place) {
  double sum = valueOfC(place);
  for (unsigned k = 0; k < instruction.depth; ++k) {
    double product = valueOfA({place[0], k, place[2]}) * valueOfB({k, place[1], place[2]});
    if (instruction.isScaled())
      product = std::ldexp(product, int(scaleOfA(place[0], k / 32) + scaleOfB(place[1], k / 32)) - 254);
    sum += product;
  }
  return sum;
}

AmdgpuRun::Setup setupOf(const Instruction &instruction, OperandMemory memory) {
  bool isWide = instruction.wave == 64 && llvm::StringRef(instruction.processor).starts_with("gfx1");
  return {.processor = instruction.processor,
          .threads = instruction.wave,
          .words = unsigned(memory.words.size()),
          .features = isWide ? "+wavefrontsize64" : "",
          .input = std::move(memory.words)};
}

/// A lane has one scale, in byte 1 of a word for A and byte 2 of one for B, or on gfx1250 the four of its row.
void fillScales(OperandMemory &memory, const Instruction &instruction) {
  for (unsigned lane = 0; lane < instruction.wave; ++lane) {
    unsigned outer = lane % instruction.size, group = lane / instruction.size;
    if (!instruction.isDeep()) {
      memory.set(3, lane, 8, 8, scaleOfA(outer, group));
      memory.set(3, lane, 32 + 16, 8, scaleOfB(outer, group));
      continue;
    }
    for (unsigned block = 0; block < 4; ++block) {
      memory.set(3, lane, 8 * block, 8, scaleOfA(outer, block));
      memory.set(3, lane, 32 + 8 * block, 8, scaleOfB(outer, block));
    }
  }
}

OperandMemory operandsOf(const Instruction &instruction) {
  Architecture architecture = instruction.architecture();
  auto table = [&](unsigned i) -> const Table & { return tables().layouts[instruction.layouts[i]]; };
  OperandMemory memory;
  memory.fill(0, table(0), typeOf(instruction.types[0]), architecture, valueOfA);
  memory.fill(1, table(1), typeOf(instruction.types[1]), architecture, valueOfB);
  memory.fill(2, table(2), typeOf(instruction.types[2]), architecture, valueOfC);
  if (instruction.isScaled())
    fillScales(memory, instruction);
  return memory;
}

void expectExactProduct(const Instruction &instruction, OperandMemory memory) {
  AmdgpuRun run(kernelOf(instruction), setupOf(instruction, std::move(memory)));
  run.expectNoFindings();
  const Table &result = tables().layouts[instruction.layouts[2]];
  for (unsigned lane = 0; lane < result.lanes; ++lane)
    for (unsigned slot = 0; slot < result.slots; ++slot) {
      Coordinates place = result.at(lane, slot);
      uint64_t bits =
          encode(expectedElement(instruction, place), typeOf(instruction.types[2]), instruction.architecture());
      uint64_t actual = 0;
      std::memcpy(&actual, reinterpret_cast<const char *>(run.out.data()) + lane * laneBytes + slot * result.stride / 8,
                  result.bits / 8);
      ASSERT_EQ(actual, bits) << instruction.processor << " " << instruction.intrinsic << " lane " << lane << " slot "
                              << slot;
    }
}

TEST(AmdgpuMatrix, ProductsOfSmallIntegersAreExact) {
  for (const Instruction &instruction : tables().instructions) {
    expectExactProduct(instruction, operandsOf(instruction));
    if (instruction.isDeep() && instruction.isMixed())
      expectExactProduct(instruction.withScales(), operandsOf(instruction.withScales()));
  }
}

/// The other half of the lanes holds scales of 0.
TEST(AmdgpuMatrix, EitherHalfOfGfx1250GivesScales) {
  const Instruction &plain = *llvm::find_if(tables().instructions, [](const Instruction &instruction) {
    return instruction.isDeep() && instruction.isMixed();
  });
  for (unsigned half : {0u, 1u}) {
    Instruction scaled = plain.withScales();
    constexpr std::size_t halfOfA = 6, halfOfB = 9;
    scaled.immediates[halfOfA] = scaled.immediates[halfOfB] = std::to_string(half);
    OperandMemory memory = operandsOf(scaled);
    for (unsigned lane = 16 * (1 - half); lane < 16 * (2 - half); ++lane)
      for (unsigned bit = 0; bit < 64; bit += 8)
        memory.set(3, lane, bit, 8, 0);
    expectExactProduct(scaled, std::move(memory));
  }
}

//===--- Sums
//-------------------------------------------------------------------------------------------------------===//

const Instruction &find(llvm::StringRef processor, llvm::StringRef part, unsigned wave) {
  return *llvm::find_if(tables().instructions, [&](const Instruction &instruction) {
    return instruction.processor == processor && instruction.wave == wave &&
           llvm::StringRef(instruction.intrinsic).contains(part);
  });
}

/// The element (0, 0) of a product, of which the first row and column are given.
float multiplyFirst(const Instruction &instruction, std::vector<double> a, std::vector<double> b, float c) {
  Architecture architecture = instruction.architecture();
  auto table = [&](unsigned i) -> const Table & { return tables().layouts[instruction.layouts[i]]; };
  auto element = [](const std::vector<double> &values, unsigned outer, unsigned k, unsigned block) {
    return outer == 0 && block == 0 && k < values.size() ? values[k] : 0.0;
  };
  OperandMemory memory;
  memory.fill(0, table(0), typeOf(instruction.types[0]), architecture,
              [&](const Coordinates &at) { return element(a, at[0], at[1], at[2]); });
  memory.fill(1, table(1), typeOf(instruction.types[1]), architecture,
              [&](const Coordinates &at) { return element(b, at[1], at[0], at[2]); });
  memory.fill(2, table(2), typeOf(instruction.types[2]), architecture, [&](const Coordinates &) { return c; });
  AmdgpuRun run(kernelOf(instruction), setupOf(instruction, std::move(memory)));
  run.expectNoFindings();
  return bitCast<float>(run.out[0]); // lane 0 holds the element in its first slot
}

TEST(AmdgpuMatrix, SumsAreRoundedAsInHardware) {
  const Instruction &half942 = find("gfx942", "f32.16x16x16f16", 64), &half90a = find("gfx90a", "f32.16x16x16f16", 64),
                    &half1100 = find("gfx1100", "f32.16x16x16.f16", 32),
                    &byte942 = find("gfx942", "f32.16x16x32.fp8.fp8", 64), &xf32 = find("gfx942", "16x16x8.xf32", 64);
  // In a group of eight, what lies 25 binades below the largest product is cut off.
  std::vector<double> large{1, 0x1p-12}, small{1, 0x1p-13};
  EXPECT_EQ(multiplyFirst(half942, large, small, -1), 0.0f);
  EXPECT_EQ(multiplyFirst(half1100, large, small, 0), 1.0f);
  EXPECT_EQ(multiplyFirst(half90a, {1, 0, 0, 0, 0x1p-12}, {1, 0, 0, 0, 0x1p-13}, -1), 0x1p-25f);
  // The next group of eight is aligned anew.
  std::vector<double> apart(9), apartToo(9);
  apart[0] = apartToo[0] = 1;
  apart[8] = 0x1p-12;
  apartToo[8] = 0x1p-13;
  EXPECT_EQ(multiplyFirst(half942, apart, apartToo, -1), 0x1p-25f);
  // Subnormal numbers count on gfx942 and are zero on gfx90a.
  EXPECT_EQ(multiplyFirst(half942, {0x1p-20}, {1}, 0), 0x1p-20f);
  EXPECT_EQ(multiplyFirst(half90a, {0x1p-20}, {1}, 0), 0.0f);
  // An accumulator is rounded down to 24 bits of the larger exponent; the sum is then rounded to nearest.
  EXPECT_EQ(multiplyFirst(half942, {1}, {1}, -0x1p-30f), std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(multiplyFirst(half942, {1}, {1}, 0x1p-30f), 1.0f);
  // Of 8-bit floats, an accumulator that is small against the products is dropped.
  EXPECT_EQ(multiplyFirst(byte942, {16}, {16}, -0x1p-30f), 256.0f);
  EXPECT_EQ(multiplyFirst(xf32, {1 + 0x1p-11}, {1}, 0), 1.0f);
  EXPECT_TRUE(std::isnan(multiplyFirst(half942, {HUGE_VAL, HUGE_VAL}, {1, -1}, 0)));
  EXPECT_EQ(multiplyFirst(half942, {HUGE_VAL, 1}, {1, 1}, 0), HUGE_VALF);
  EXPECT_TRUE(std::isnan(multiplyFirst(half942, {HUGE_VAL, 1}, {0, 1}, 0)));
  // A product that f32 does not hold is infinite by itself, also if the sum would be small.
  const Instruction &wide942 = find("gfx942", "f32.16x16x16bf16", 64);
  EXPECT_TRUE(std::isnan(multiplyFirst(wide942, {0x1p64, 0x1p64}, {0x1p64, -0x1p64}, 0)));
  EXPECT_EQ(multiplyFirst(wide942, {0x1p63, 0x1p63}, {0x1p64, -0x1p64}, 1), 1.0f);
  EXPECT_EQ(multiplyFirst(wide942, {0x1p-100}, {0x1p-26}, 0), 0x1p-126f);
}

TEST(AmdgpuMatrix, BlocksOfAAndLanesOfBAreBroadcast) {
  // All four blocks use block 1 of A, and the lanes of B are those of the first half.
  auto run = [](llvm::StringRef immediates, llvm::StringRef b, auto expected) {
    AmdgpuRun(llvm::formatv(R"(
  %f = uitofp i32 %t to float
  %r = call <16 x float> @llvm.amdgcn.mfma.f32.16x16x1f32(float %f, float {0}, <16 x float> zeroinitializer, {1})
  %e = extractelement <16 x float> %r, i32 15
  %y = fptoui float %e to i32
  store i32 %y, ptr addrspace(1) %to
  ret void)",
                            b, immediates)
                  .str())
        .expectOut(expected);
  };
  // Element 15 is in block 3, row 4 * (lane / 16) + 3.
  run("i32 0, i32 0, i32 0", "1.0", [](unsigned lane) { return 48 + lane / 16 * 4 + 3; });
  run("i32 2, i32 1, i32 0", "1.0", [](unsigned lane) { return 16 + lane / 16 * 4 + 3; });
  run("i32 0, i32 0, i32 1", "%f", [](unsigned lane) { return (48 + lane / 16 * 4 + 3) * (16 + lane % 16); });
}

TEST(AmdgpuMatrix, AllLanesMustTakePart) {
  AmdgpuRun run(R"(
  %some = icmp ult i32 %t, 32
  br i1 %some, label %few, label %end
few:
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float 1.0, float 1.0, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %e = extractelement <4 x float> %r, i32 0
  store float %e, ptr addrspace(1) %to
  br label %end
end:
  ret void)");
  run.expect(FindingKind::PartialWarp, "32 of the 64 lanes are here");
}

TEST(AmdgpuMatrix, CopiesOfAnOperandMustAgree) {
  auto run = [](llvm::StringRef mask) {
    return AmdgpuRun(llvm::formatv(R"(
  %row = and i32 %t, {0}
  %h = uitofp i32 %row to half
  %v0 = insertelement <16 x half> zeroinitializer, half %h, i32 0
  %r = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half> %v0, <16 x half> %v0, <8 x float> zeroinitializer)
  %e = extractelement <8 x float> %r, i32 0
  %y = fptoui float %e to i32
  store i32 %y, ptr addrspace(1) %to
  ret void)",
                                   mask)
                         .str(),
                     {.processor = "gfx1100", .threads = 32});
  };
  run("15").expectOut([](unsigned lane) { return lane / 16 * (lane % 16); });
  run("31").expect(FindingKind::DifferentCopies, "lane 16 holds other elements than lane 0");
}

TEST(AmdgpuMatrix, ProcessorsHaveTheirOwnForms) {
  auto refuses = [](llvm::StringRef processor, llvm::StringRef call) {
    return !AmdgpuRun::refusal((call + "\nret void").str(), {.processor = processor}).empty();
  };
  constexpr llvm::StringLiteral xf32 = "%r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x8.xf32(<2 x float> "
                                       "zeroinitializer, <2 x float> zeroinitializer, <4 x float> zeroinitializer, "
                                       "i32 0, i32 0, i32 0)";
  EXPECT_FALSE(refuses("gfx942", xf32));
  EXPECT_TRUE(refuses("gfx950", xf32));
  EXPECT_TRUE(refuses("gfx90a", xf32));
  EXPECT_TRUE(refuses("gfx1100", xf32));
}

//===--- Narrow floats
//----------------------------------------------------------------------------------------------===//

TEST(AmdgpuNarrowFloats, EveryValueSurvives) {
  for (NarrowFormat format : {NarrowFormat::E4M3, NarrowFormat::E5M2, NarrowFormat::E4M3Fnuz, NarrowFormat::E5M2Fnuz,
                              NarrowFormat::E2M3, NarrowFormat::E3M2, NarrowFormat::E2M1})
    for (uint32_t bits = 0; bits < uint32_t(1) << amdgpu::bitsOf(format); ++bits) {
      float value = widen(bits, format);
      if (value == value)
        EXPECT_EQ(narrow(value, format), bits) << unsigned(format);
    }
}

TEST(AmdgpuNarrowFloats, KnownValues) {
  EXPECT_EQ(widen(0x7e, NarrowFormat::E4M3), 448.0f);
  EXPECT_EQ(widen(0x7f, NarrowFormat::E4M3Fnuz), 240.0f);
  EXPECT_EQ(widen(0x38, NarrowFormat::E4M3), 1.0f);
  EXPECT_EQ(widen(0x40, NarrowFormat::E4M3Fnuz), 1.0f);
  EXPECT_EQ(widen(0x7b, NarrowFormat::E5M2), 57344.0f);
  EXPECT_EQ(widen(0x7f, NarrowFormat::E5M2Fnuz), 57344.0f);
  EXPECT_EQ(widen(0x01, NarrowFormat::E4M3Fnuz), 0x1p-10f);
  EXPECT_EQ(widen(0x7, NarrowFormat::E2M1), 6.0f);
  EXPECT_EQ(widen(0x1f, NarrowFormat::E2M3), 7.5f);
  EXPECT_EQ(widen(0x1f, NarrowFormat::E3M2), 28.0f);
  EXPECT_TRUE(std::isnan(widen(0x80, NarrowFormat::E4M3Fnuz)));
  EXPECT_TRUE(std::isnan(widen(0xff, NarrowFormat::E4M3)));
  EXPECT_EQ(narrow(-0.0, NarrowFormat::E4M3Fnuz), 0u);
  EXPECT_EQ(narrow(1000, NarrowFormat::E4M3Fnuz), 0x80u);
  EXPECT_EQ(narrow(1000, NarrowFormat::E4M3), 0x7fu);
  EXPECT_EQ(narrow(-1e6, NarrowFormat::E5M2), 0xfcu);
  EXPECT_EQ(narrow(-100, NarrowFormat::E2M1), 0xfu);
  EXPECT_EQ(narrow(2.5, NarrowFormat::E2M1), 4u);
}

TEST(AmdgpuNarrowFloats, Conversions) {
  auto run = [](llvm::StringRef processor, llvm::StringRef code, auto expected) {
    AmdgpuRun::Setup setup{.processor = processor};
    std::string body = "%f = uitofp i32 %t to float\n" + code.str() + "\nstore i32 %y, ptr addrspace(1) %to\nret void";
    AmdgpuRun(body, setup).expectOut(expected);
  };
  constexpr llvm::StringLiteral pack =
      "%y = call i32 @llvm.amdgcn.cvt.pk.fp8.f32(float %f, float 2.0, i32 43981, i1 true)";
  run("gfx942", pack, [](unsigned i) { return 0xabcd | narrow(i, NarrowFormat::E4M3Fnuz) << 16 | 0x48u << 24; });
  run("gfx950", pack, [](unsigned i) { return 0xabcd | narrow(i, NarrowFormat::E4M3) << 16 | 0x40u << 24; });
  run("gfx942",
      "%p = call i32 @llvm.amdgcn.cvt.pk.bf8.f32(float 3.0, float %f, i32 0, i1 false)\n"
      "%s = call float @llvm.amdgcn.cvt.f32.bf8(i32 %p, i32 1)\n%y = fptoui float %s to i32",
      [](unsigned i) { return uint32_t(widen(narrow(i, NarrowFormat::E5M2), NarrowFormat::E5M2)); });
  run("gfx942",
      "%p = call <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 1212153856, i1 true)\n" // 48 40 00 00
      "%e = extractelement <2 x float> %p, i32 1\n%s = fadd float %e, %f\n%y = fptoui float %s to i32",
      [](unsigned i) { return i + 2; });
  run("gfx942", "%y = call i32 @llvm.amdgcn.cvt.sr.fp8.f32(float 1.0625, i32 -2147483648, i32 0, i32 2)",
      [](unsigned) { return 0x41u << 16; });
  run("gfx942", "%y = call i32 @llvm.amdgcn.cvt.sr.fp8.f32(float 1.0625, i32 2147483647, i32 0, i32 2)",
      [](unsigned) { return 0x40u << 16; });
  run("gfx950",
      "%p = call i32 @llvm.amdgcn.cvt.scalef32.pk.fp4.f32(i32 0, float %f, float 8.0, float 4.0, i32 1)\n"
      "%h = call <2 x half> @llvm.amdgcn.cvt.scalef32.pk.f16.fp4(i32 %p, float 2.0, i32 1)\n"
      "%a = extractelement <2 x half> %h, i32 0\n%b = extractelement <2 x half> %h, i32 1\n"
      "%ia = fptoui half %a to i32\n%ib = fptoui half %b to i32\n%s = shl i32 %ib, 16\n%y = or i32 %ia, %s",
      [](unsigned i) {
        return uint32_t(2 * widen(narrow(i / 4.0, NarrowFormat::E2M1), NarrowFormat::E2M1)) | 4u << 16;
      });
  run("gfx942",
      "%p = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %f, float 2.9990234375)\n%y = bitcast <2 x half> %p to i32",
      [](unsigned i) { return halfFromFloat(float(i)) | 0x41ffu << 16; });
  EXPECT_NE(AmdgpuRun::refusal((pack + "\nret void").str(), {.processor = "gfx90a"}), "");
}

} // namespace
} // namespace triton::simulator
