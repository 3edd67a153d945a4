#include "TileEmulation.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <ucontext.h>

namespace triton::cpu::test {
namespace {

constexpr int rowBytes = 64, rowCount = 16, tileCount = 8;

struct Tile {
  uint8_t rows[rowCount][rowBytes];
};

struct State {
  uint8_t form[64];
  Tile tiles[tileCount];
  unsigned long products = 0;
  bool isFormed = false;

  int rowsOf(int tile) const { return form[48 + tile]; }
  int bytesOf(int tile) const { return form[16 + 2 * tile] | form[17 + 2 * tile] << 8; }
};
thread_local State state;

/// The general registers in the order of the processor's encoding.
constexpr int registers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                             REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/// An instruction with a VEX prefix of three bytes.
struct Instruction {
  int prefix, opcode, mod, reg, rm, second; ///< `second` is the register in the prefix
  uint8_t *address = nullptr;               ///< of a memory operand
  int64_t stride = 0;                       ///< its index register
  int length = 5;
};

void decodeAddress(Instruction &op, const uint8_t *code, const greg_t *values, bool extendIndex, bool extendBase) {
  const uint8_t *next = code + 5;
  int64_t base = 0;
  int rm = code[4] & 7;
  bool hasDisplacement = op.mod == 2;
  if (rm == 4) {
    uint8_t sib = *next++;
    int index = (sib >> 3 & 7) | extendIndex << 3;
    op.stride = index == 4 ? 0 : values[registers[index]] << (sib >> 6);
    hasDisplacement |= (sib & 7) == 5 && op.mod == 0;
    base = (sib & 7) == 5 && op.mod == 0 ? 0 : values[registers[(sib & 7) | extendBase << 3]];
  } else if (rm == 5 && op.mod == 0) {
    base = int64_t(next + 4);
    hasDisplacement = true;
  } else {
    base = values[registers[rm | extendBase << 3]];
  }
  int32_t displacement = 0;
  if (hasDisplacement)
    std::memcpy(&displacement, next, 4);
  else if (op.mod == 1)
    displacement = (int32_t(*next) ^ 0x80) - 0x80; // with its sign
  next += hasDisplacement ? 4 : op.mod == 1;
  op.address = reinterpret_cast<uint8_t *>(base + displacement);
  op.length = int(next - code);
}

std::optional<Instruction> decode(const uint8_t *code, const greg_t *values) {
  if (code[0] != 0xc4 || (code[1] & 0x1f) != 2 || (code[2] & 0x84) != 0)
    return std::nullopt;
  Instruction op{code[2] & 3, code[3], code[4] >> 6, code[4] >> 3 & 7, code[4] & 7, ~(code[2] >> 3) & 15};
  if (op.mod != 3)
    decodeAddress(op, code, values, !(code[1] & 0x40), !(code[1] & 0x20));
  return op;
}

float halfToFloat(uint16_t code) {
  llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, code));
  bool ignored;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &ignored);
  return value.convertToFloat();
}
float bfloatToFloat(uint16_t code) { return llvm::bit_cast<float>(uint32_t(code) << 16); }

/// c[m][n] += the sum over a row of A and the groups of B that belong to it.
template <typename Sum, typename Element, typename Convert> void multiply(const Instruction &op, Convert convert) {
  constexpr int group = 4 / sizeof(Element);
  for (int m = 0; m < state.rowsOf(op.reg); ++m)
    for (int n = 0; n < state.bytesOf(op.reg) / 4; ++n) {
      Sum sum;
      std::memcpy(&sum, &state.tiles[op.reg].rows[m][n * 4], 4);
      for (int k = 0; k < state.bytesOf(op.rm) / 4; ++k) {
        Element a[group], b[group];
        std::memcpy(a, &state.tiles[op.rm].rows[m][k * 4], 4);
        std::memcpy(b, &state.tiles[op.second].rows[k][n * 4], 4);
        for (int i = 0; i < group; ++i)
          sum += convert(a[i]) * convert(b[i]);
      }
      std::memcpy(&state.tiles[op.reg].rows[m][n * 4], &sum, 4);
    }
  ++state.products;
}

void move(const Instruction &op, bool isStore) {
  for (int row = 0; row < state.rowsOf(op.reg); ++row) {
    uint8_t *memory = op.address + row * op.stride, *tile = state.tiles[op.reg].rows[row];
    isStore ? std::memcpy(memory, tile, rowBytes) : std::memcpy(tile, memory, rowBytes);
  }
}

/// False for what is not an instruction of AMX, or is used without a form.
bool execute(const Instruction &op) {
  enum { None, P66, PF3, PF2 };
  bool inMemory = op.mod != 3;
  if (op.opcode == 0x49 && op.prefix == None) {
    state.isFormed = inMemory;
    if (inMemory)
      std::memcpy(state.form, op.address, sizeof state.form);
    return true;
  }
  if (!state.isFormed)
    return false;
  if (op.opcode == 0x4b && inMemory && (op.prefix == PF2 || op.prefix == PF3)) {
    move(op, /*isStore=*/op.prefix == PF3);
    return true;
  }
  if (op.opcode == 0x5c && op.prefix == PF3)
    multiply<float, uint16_t>(op, bfloatToFloat);
  else if (op.opcode == 0x5c && op.prefix == PF2)
    multiply<float, uint16_t>(op, halfToFloat);
  else if (op.opcode == 0x5e && op.prefix == PF2)
    multiply<int32_t, int8_t>(op, [](int8_t value) { return int32_t(value); });
  else
    return false;
  return true;
}

void handleIllegalInstruction(int, siginfo_t *, void *context) {
  greg_t *values = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  std::optional<Instruction> op = decode(reinterpret_cast<const uint8_t *>(values[REG_RIP]), values);
  if (op && execute(*op))
    values[REG_RIP] += op->length;
  else
    std::signal(SIGILL, SIG_DFL); // The instruction then ends the process.
}

} // namespace

TileEmulation::TileEmulation() {
  state.products = 0;
  struct sigaction action = {};
  action.sa_sigaction = handleIllegalInstruction;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, &before);
}

TileEmulation::~TileEmulation() { sigaction(SIGILL, &before, nullptr); }

unsigned long TileEmulation::products() { return state.products; }

} // namespace triton::cpu::test
