#include "backends/amd/target/AmdTarget.h"

#include "backends/amd/lowering/AmdEmitter.h"
#include "backends/amd/lowering/Architecture.h"
#include "backends/amd/lowering/MatrixInstructions.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// `copies`: whether tiles go to shared memory without registers where the hardware can do that.
/// A multiprocessor is a compute unit; on RDNA, a work-group processor is two of these.
gpu::Machine machineOf(const Architecture &architecture, bool copies) {
  bool isRdna = architecture.isRdna();
  gpu::Machine machine;
  machine.name = std::string("hip:") + architecture.processor;
  machine.family = "AMD GPUs";
  machine.lanes = architecture.lanes;
  machine.schedulers = isRdna && !architecture.hasDeepProducts() ? 2 : 4;
  // Each scheduler has 512 registers of 64 lanes, or 1536 of 32. CDNA calls half of those of a thread accumulators.
  // On gfx1250 there are 1024, of which instructions reach 256 by themselves.
  bool isDeep = architecture.hasDeepProducts();
  machine.registers = isDeep ? 4 * 1024 * 32 : isRdna ? 2 * 1536 * 32 : 4 * 512 * 64;
  machine.registersOfThread = isRdna ? 256 : 512;
  machine.accessBytes = 16;
  machine.sharedBytes = architecture.sharedBytes;
  machine.banks = architecture.banks;
  machine.bankBytes = 4;
  machine.fewestTransposedBits = architecture.fewestTransposedBits();
  machine.exchangeClocks = 128;
  machine.conversionClocks = 2; // These four are what NVIDIA's units take.
  machine.quotientClocks = 4;
  machine.functionClocks = 8;
  machine.exactQuotientClocks = 20;
  // Copies of 4 bytes a lane would be four times as many instructions as the loads that they replace.
  machine.fewestAsyncBytes = copies && architecture.hasWideCopies ? machine.accessBytes : 0;
  machine.copiesInLaneOrder = true;
  machine.countsLoads = true;
  machine.sectorBytes = 64;
  machine.lineBytes = 128;
  machine.warpsOfMultiprocessor = isDeep ? 64 : 32;
  machine.programsOfMultiprocessor = 32;
  machine.sharedOfMultiprocessor = architecture.sharedBytes;
  machine.reservedShared = 0;
  machine.sharedGranule = 512;
  machine.registerGranule = isDeep ? 16 : isRdna ? 24 : 8;
  machine.device = {architecture.device, architecture.computeUnits, architecture.megahertz * 1e6,
                    architecture.gigabytesPerSecond * 1e9};
  return machine;
}

class AmdTarget final : public gpu::TargetInfo {
public:
  /// `matrixExtent`: rows and columns of matrix instructions, 0 for any.
  AmdTarget(const Architecture &architecture, unsigned matrixExtent, bool copies)
      : TargetInfo(machineOf(architecture, copies)), facts(architecture), matrixExtent(matrixExtent) {}

  SmallVector<gpu::MatrixUnit> findMatrixUnits(const gpu::ProductTypes &types) const override {
    if (!types.left || !types.right) // formats of scaled products that are not element types
      return {};
    if (types.isScaled)
      return findScaledUnits(types);
    bool isTf32 = types.precision == tt::InputPrecision::TF32;
    auto isByteFloat = [](Type type) { return type.isFloat(8); };
    bool isNarrow = isByteFloat(types.left) && isByteFloat(types.right);
    if ((types.left != types.right && !isNarrow) || !isSum(types.accumulator, types.left))
      return {};
    Type element = types.left;
    bool isNative = findMatrixElement(facts, types.left, isTf32) && findMatrixElement(facts, types.right, isTf32);
    if (isNarrow && !isNative) // f16 represents them exactly.
      element = Float16Type::get(element.getContext());
    std::optional<MatrixElement> known = findMatrixElement(facts, element, isTf32);
    if (!known)
      return {};
    SmallVector<gpu::MatrixUnit> units;
    for (const MatrixInstruction &instruction : inOrder(findMatrixInstructions(facts, *known)))
      addUnits(units, instruction, element);
    return units;
  }

  Attribute getMatrixEncoding(MLIRContext *context, const gpu::MatrixUnit &unit, llvm::ArrayRef<unsigned> warps,
                              int64_t) const override {
    unsigned shape[] = {unsigned(unit.rows), unsigned(unit.columns), unsigned(unit.depth)};
    if (facts.isRdna())
      return ttg::AmdWmmaEncodingAttr::get(context, facts.generation - 10, /*isTransposed=*/true, warps, shape);
    unsigned width = unit.operand.isF64() ? 64 : 32;
    return ttg::AmdMfmaEncodingAttr::get(context, mfmaVersion(), warps, shape, /*isTransposed=*/true, width);
  }

  std::unique_ptr<gpu::TargetEmitter> createEmitter(const gpu::EmitterOptions &options) const override {
    return createAmdEmitter(facts, options);
  }

private:
  /// Those that may be used, large results first: they are half as many for the same work, and leave the time between
  /// them to other instructions.
  SmallVector<MatrixInstruction> inOrder(llvm::ArrayRef<MatrixInstruction> instructions) const {
    llvm::SmallSetVector<unsigned, 2> extents;
    for (const MatrixInstruction &instruction : instructions)
      if (matrixExtent == 0 || instruction.extent == matrixExtent)
        extents.insert(instruction.extent);
    SmallVector<unsigned> descending = extents.takeVector();
    llvm::sort(descending, std::greater<>());
    SmallVector<MatrixInstruction> ordered;
    for (unsigned extent : descending)
      llvm::copy_if(instructions, std::back_inserter(ordered),
                    [&](const MatrixInstruction &instruction) { return instruction.extent == extent; });
    return ordered;
  }

  /// A thread holds 16 bytes of neighbours of an operand, which are 16 or 32 elements. Only where both have 4 bits is
  /// the unit twice as fast.
  SmallVector<gpu::MatrixUnit> findScaledUnits(const gpu::ProductTypes &types) const {
    bool isNarrow = types.left.isFloat(4) && types.right.isFloat(4);
    SmallVector<gpu::MatrixUnit> units;
    for (const MatrixInstruction &instruction : inOrder(findScaledInstructions(facts))) {
      addUnits(units, instruction, Float8E4M3FNType::get(types.left.getContext()));
      units.back().operand = types.left.isFloat(4) ? types.right : types.left;
      units.back().flops *= isNarrow ? 2 : 1;
    }
    return units;
  }

  unsigned mfmaVersion() const {
    llvm::StringRef processor = facts.processor;
    return processor == "gfx90a" ? 2 : processor == "gfx942" ? 3 : 4;
  }

  /// Whether sums of products of such elements may have the type. f16 and bf16 are summed in f32.
  static bool isSum(Type sum, Type element) {
    if (element.isInteger(8))
      return sum.isInteger(32);
    if (element.isF64())
      return sum.isF64();
    return sum.isF32() || (sum == element && (sum.isF16() || sum.isBF16()));
  }

  /// Threads hold 16 bytes of neighbours along K, which shared memory gives at once, for several instructions. With
  /// fewer, smaller operands are enough, and results of one product can become operands of the next.
  void addUnits(SmallVectorImpl<gpu::MatrixUnit> &units, const MatrixInstruction &instruction, Type element) const {
    unsigned bytes = element.getIntOrFloatBitWidth() / 8, least = instruction.run();
    for (unsigned width = std::max(least, machine().accessBytes / bytes); width >= least; width /= 2) {
      gpu::MatrixUnit &unit = units.emplace_back(
          gpu::MatrixUnit{instruction.extent, instruction.extent, instruction.depth, element, width});
      unit.operandDepth = std::max(width * instruction.groups(), instruction.depth);
      unit.resultWidth = facts.isRdna() ? (facts.generation == 11 ? 1 : 8) : element.isF64() ? 1 : 4;
      unit.keepsOperands = element.isFloat(8);
      unit.instruction = facts.isRdna() ? "v_wmma" : "v_mfma";
      unit.flops = instruction.flops(machine().schedulers);
    }
  }

  Architecture facts;
  unsigned matrixExtent;
};

struct Family {
  static constexpr llvm::StringLiteral name{"hip"};
  static llvm::Expected<std::unique_ptr<gpu::TargetInfo>> create(llvm::StringRef name) {
    auto [processor, options] = name.split(':');
    llvm::Expected<Architecture> parsed = parseArchitecture(processor);
    if (!parsed)
      return parsed.takeError();
    unsigned matrixExtent = 0;
    bool copies = true;
    for (llvm::StringRef option : llvm::split(options, ',')) {
      llvm::StringRef value = option;
      if (option == "copies=0")
        copies = false;
      else if (!option.empty() && (!value.consume_front("matrix=") || value.getAsInteger(10, matrixExtent)))
        return llvm::createStringError(
            ("`" + option + "` is not an option of a hip target; there are matrix=N and copies=0").str());
    }
    return std::make_unique<AmdTarget>(*parsed, matrixExtent, copies);
  }
};

} // namespace

void registerAmdTargets(DialectRegistry &registry) { gpu::registerTargets<Family>(registry); }

} // namespace triton::amd
