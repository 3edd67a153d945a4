#include "backends/amd/target/AmdTarget.h"

#include "backends/amd/lowering/AmdEmitter.h"
#include "backends/amd/lowering/Architecture.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// A multiprocessor is a compute unit; on RDNA, a work-group processor is two of these.
gpu::Machine machineOf(const Architecture &architecture) {
  bool isRdna = architecture.isRdna();
  gpu::Machine machine;
  machine.name = std::string("hip:") + architecture.processor;
  machine.family = "AMD GPUs";
  machine.lanes = architecture.lanes;
  machine.schedulers = isRdna ? 2 : 4;
  // Each scheduler has 512 registers of 64 lanes, or 1536 of 32. CDNA calls half of those of a thread accumulators.
  machine.registers = isRdna ? 2 * 1536 * 32 : 4 * 512 * 64;
  machine.registersOfThread = isRdna ? 256 : 512;
  machine.accessBytes = 16;
  machine.sharedBytes = architecture.sharedBytes;
  machine.banks = architecture.banks;
  machine.bankBytes = 4;
  machine.exchangeClocks = 128;
  machine.fewestAsyncBytes = 0;
  machine.sectorBytes = 64;
  machine.warpsOfMultiprocessor = 32;
  machine.programsOfMultiprocessor = 32;
  machine.sharedOfMultiprocessor = architecture.sharedBytes;
  machine.reservedShared = 0;
  machine.sharedGranule = 512;
  machine.registerGranule = isRdna ? 24 : 8;
  machine.device = {architecture.device, architecture.computeUnits, architecture.megahertz * 1e6,
                    architecture.gigabytesPerSecond * 1e9};
  return machine;
}

class AmdTarget final : public gpu::TargetInfo {
public:
  explicit AmdTarget(const Architecture &architecture) : TargetInfo(machineOf(architecture)), facts(architecture) {}

  llvm::Expected<std::unique_ptr<gpu::TargetEmitter>>
  createEmitter(llvm::ArrayRef<std::string> options) const override {
    return createAmdEmitter(facts, options);
  }

private:
  Architecture facts;
};

struct Family {
  static constexpr llvm::StringLiteral name{"hip"};
  static llvm::Expected<std::unique_ptr<gpu::TargetInfo>> create(llvm::StringRef processor) {
    llvm::Expected<Architecture> parsed = parseArchitecture(processor);
    if (!parsed)
      return parsed.takeError();
    return std::make_unique<AmdTarget>(*parsed);
  }
};

} // namespace

void registerAmdTargets(DialectRegistry &registry) { gpu::registerTargets<Family>(registry); }

} // namespace triton::amd
