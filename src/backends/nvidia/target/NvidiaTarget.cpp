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
  machine.fewestTransposedBits = 8; // ldmatrix
  machine.readsMatrices = architecture.capability >= 75;
  machine.writesMatrices = architecture.capability >= 90; // stmatrix
  machine.shiftsLanes = true;                             // shfl.sync.up and .down
  machine.addsHalves = true;                              // red.f16x2
  machine.addsBFloats = architecture.capability >= 90;
  machine.addedBytes = architecture.capability >= 90 ? 16 : 0; // red.v4.f32
  machine.exchangeClocks = 90;
  machine.conversionClocks = 2;
  machine.quotientClocks = 4;
  machine.functionClocks = 8;
  machine.exactQuotientClocks = 20;
  machine.fewestAsyncBytes = hasAsyncCopies(unsigned(architecture.capability)) ? 4 : 0;
  machine.sectorBytes = 32;
  machine.lineBytes = 128;
  machine.warpsOfMultiprocessor = architecture.mostWarps;
  machine.programsOfMultiprocessor = architecture.mostPrograms;
  machine.sharedOfMultiprocessor = architecture.sharedBytes;
  machine.reservedShared = architecture.capability >= 80 ? 1024 : 0;
  machine.sharedGranule = architecture.capability >= 80 ? 128 : 256;
  machine.registerGranule = 8;
  machine.device = {architecture.device, architecture.multiprocessors, architecture.megahertz * 1e6,
                    architecture.gigabytesPerSecond * 1e9};
  return machine;
}

class NvidiaTarget final : public gpu::TargetInfo {
public:
  explicit NvidiaTarget(const Architecture &architecture)
      : TargetInfo(machineOf(architecture)), facts(architecture), capability(unsigned(architecture.capability)) {}

  SmallVector<gpu::MatrixUnit> findMatrixUnits(const gpu::ProductTypes &types) const override {
    SmallVector<gpu::MatrixUnit> units;
    if (!types.left || !types.right) // formats of scaled products that are not element types
      return units;
    for (const std::optional<gpu::MatrixUnit> &unit : {findWarpGroupUnit(types), findWarpUnit(types)})
      if (unit)
        units.push_back(*unit);
    return units;
  }

  llvm::StringRef explainMissingUnit(const gpu::ProductTypes &types) const override {
    if (!findWarpUnit(types) || findWarpGroupUnit(types))
      return {};
    if (capability >= 100 && capability < 120)
      return "tcgen05, the fastest unit of this target, is used by kernels in Gluon alone yet";
    if (!hasWarpGroupProducts(capability))
      return {};
    return "wgmma does not multiply these element types";
  }

  int64_t getInstructionColumns(const gpu::MatrixUnit &unit, Attribute encoding) const override {
    return unit.groupWarps == 1 ? unit.columns : cast<ttg::NvidiaMmaEncodingAttr>(encoding).getInstrShape()[1];
  }

  Attribute getMatrixEncoding(MLIRContext *context, const gpu::MatrixUnit &unit, llvm::ArrayRef<unsigned> warps,
                              int64_t columns) const override {
    if (unit.groupWarps != 1)
      return ttg::NvidiaMmaEncodingAttr::get(context, 3, 0, warps, {16u, unsigned(columns), unsigned(unit.depth)});
    SmallVector<unsigned> tile(warps.size(), 1);
    tile[tile.size() - 2] = unsigned(unit.rows);
    tile[tile.size() - 1] = unsigned(unit.columns);
    return ttg::NvidiaMmaEncodingAttr::get(context, 2, 0, warps, tile);
  }

  std::unique_ptr<gpu::TargetEmitter> createEmitter(const gpu::EmitterOptions &options) const override {
    return createNvidiaEmitter(capability, options);
  }

private:
  /// The tiles of mma.sync, 16 x 8. In each of two groups of four threads, a thread holds 32 bits of consecutive
  /// elements along K.
  std::optional<gpu::MatrixUnit> findWarpUnit(const gpu::ProductTypes &types) const {
    auto isByteFloat = [](Type type) { return type.isFloat(8); };
    bool isNarrow = isByteFloat(types.left) && isByteFloat(types.right);
    // Eight-bit floats are converted to f16, which represents them exactly, because only some machines multiply them.
    Type element = isNarrow ? Type(Float16Type::get(types.left.getContext())) : types.left;
    bool isMixed = types.left != types.right && !(isNarrow && types.accumulator.isF32());
    if (isMixed || !multiplies(element, types.accumulator, types.precision) || (capability < 80 && !element.isF16()))
      return std::nullopt;
    unsigned kWidth = std::max(1u, 32 / element.getIntOrFloatBitWidth());
    gpu::MatrixUnit unit{16, 8, int64_t(8) * kWidth, element, kWidth};
    unit.instruction = "mma.sync";
    unit.flops = flopsOf(element, facts.halfFlops);
    return unit;
  }

  /// wgmma: four warps compute 64 rows and from 8 to 256 columns, 32 bytes deep.
  std::optional<gpu::MatrixUnit> findWarpGroupUnit(const gpu::ProductTypes &types) const {
    auto isByteFloat = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
    bool isNarrow = isByteFloat(types.left) && isByteFloat(types.right) && types.accumulator.isF32();
    bool isKnown = isNarrow || (types.left == types.right && types.left.getIntOrFloatBitWidth() <= 32 &&
                                !types.left.isFloat(8) && multiplies(types.left, types.accumulator, types.precision));
    if (!hasWarpGroupProducts(capability) || !isKnown)
      return std::nullopt;
    unsigned bits = types.left.getIntOrFloatBitWidth();
    gpu::MatrixUnit unit{64, 8, int64_t(256 / bits), types.left, std::max(1u, 32 / bits)};
    unit.mostColumns = 256;
    unit.groupWarps = 4;
    unit.readsShared = true;
    unit.needsContiguousDepth = bits != 16;
    unit.takesLeftFromThreads = bits == 32; // A register holds one element, so that no order is better than another.
    unit.instruction = "wgmma";
    constexpr double halfFlops = 4096;
    unit.flops = flopsOf(types.left, halfFlops);
    return unit;
  }

  /// Units move as many bits of operands in a clock, whatever the elements.
  double flopsOf(Type element, double halfFlops) const {
    return element.isF64() ? facts.doubleFlops : halfFlops * 16 / element.getIntOrFloatBitWidth();
  }

  static bool multiplies(Type element, Type accumulator, tt::InputPrecision precision) {
    bool isTf32 = element.isF32() && precision == tt::InputPrecision::TF32;
    bool toSingle = accumulator.isF32() && (element.isF16() || element.isBF16() || isTf32);
    bool isSame = accumulator == element && (element.isF16() || element.isF64());
    return toSingle || isSame || (element.isInteger(8) && accumulator.isInteger(32));
  }

  ArchitectureFacts facts;
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
