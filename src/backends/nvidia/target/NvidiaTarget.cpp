#include "backends/nvidia/target/NvidiaTarget.h"

#include "backends/nvidia/lowering/NvidiaEmitter.h"
#include "backends/nvidia/target/Architecture.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

gpu::Machine machineOf(const Architecture &architecture) {
  gpu::Machine machine;
  machine.name = "cuda:" + std::to_string(architecture.capability);
  machine.family = "NVIDIA GPUs";
  machine.lanes = 32;
  machine.schedulers = 4;
  machine.registers = 65536;
  machine.registersOfThread = 255;
  machine.accessBytes = 16;
  machine.sharedBytes = architecture.maxSharedBytes;
  machine.banks = 32;
  machine.bankBytes = 4;
  machine.exchangeClocks = 90;
  machine.fewestAsyncBytes = architecture.capability >= 80 ? 4 : 0;
  return machine;
}

class NvidiaTarget final : public gpu::TargetInfo {
public:
  explicit NvidiaTarget(const Architecture &architecture)
      : TargetInfo(machineOf(architecture)), capability(unsigned(architecture.capability)) {}

  /// The tiles of mma.sync, 16 x 8. A thread holds 32 bits of consecutive elements along K, in each of two groups of
  /// four threads.
  std::optional<gpu::MatrixUnit> findMatrixUnit(Type left, Type right, Type accumulator,
                                                tt::InputPrecision precision) const override {
    auto isByteFloat = [](Type type) { return type.isFloat(8); };
    bool isNarrow = isByteFloat(left) && isByteFloat(right);
    // Eight-bit floats go through f16, which holds them exactly: only some machines multiply them.
    Type element = isNarrow ? Type(Float16Type::get(left.getContext())) : left;
    bool isMixed = left != right && !(isNarrow && accumulator.isF32());
    if (isMixed || !multiplies(element, accumulator, precision) || (capability < 80 && !element.isF16()))
      return std::nullopt;
    unsigned kWidth = std::max(1u, 32 / element.getIntOrFloatBitWidth());
    return gpu::MatrixUnit{16, 8, int64_t(8) * kWidth, element, kWidth};
  }

  Attribute getMatrixEncoding(MLIRContext *context, const gpu::MatrixUnit &unit,
                              llvm::ArrayRef<unsigned> warps) const override {
    SmallVector<unsigned> tile(warps.size(), 1);
    tile[tile.size() - 2] = unsigned(unit.rows);
    tile[tile.size() - 1] = unsigned(unit.columns);
    return ttg::NvidiaMmaEncodingAttr::get(context, 2, 0, warps, tile);
  }

  llvm::Expected<std::unique_ptr<gpu::TargetEmitter>>
  createEmitter(llvm::ArrayRef<std::string> options) const override {
    return createNvidiaEmitter(capability, options);
  }

private:
  static bool multiplies(Type element, Type accumulator, tt::InputPrecision precision) {
    bool isTf32 = element.isF32() && precision == tt::InputPrecision::TF32;
    bool toSingle = accumulator.isF32() && (element.isF16() || element.isBF16() || isTf32);
    bool isSame = accumulator == element && (element.isF16() || element.isF64());
    return toSingle || isSame || (element.isInteger(8) && accumulator.isInteger(32));
  }

  unsigned capability;
};

struct Family {
  static constexpr llvm::StringLiteral name{"cuda"};
  static llvm::Expected<std::unique_ptr<gpu::TargetInfo>> create(llvm::StringRef architecture) {
    llvm::Expected<Architecture> parsed = parseArchitecture(architecture);
    if (!parsed)
      return parsed.takeError();
    return std::make_unique<NvidiaTarget>(*parsed);
  }
};

} // namespace

void registerNvidiaTargets(DialectRegistry &registry) { gpu::registerTargets<Family>(registry); }

} // namespace triton::nvidia
