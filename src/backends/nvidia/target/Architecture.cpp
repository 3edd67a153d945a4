#include "backends/nvidia/target/Architecture.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::nvidia {

namespace {
/// Sizes are from the CUDA programming guide, rates and devices from NVIDIA's data sheets; the rate of mma.sync on 90
/// was measured. From 100 to 110 it is not the fastest unit, and the rate is assumed to be that of 80.
constexpr ArchitectureFacts table[] = {
    // oldest PTX; shared bytes of a program, of a multiprocessor; warps, programs; flops; device
    {75, 63, 65536, 65536, 32, 16, 1024, 0, "T4", 40, 1590, 320},
    {80, 70, 166912, 167936, 64, 32, 2048, 128, "A100", 108, 1410, 2039},
    {86, 71, 101376, 102400, 48, 16, 1024, 4, "A10", 72, 1695, 600},
    {87, 74, 166912, 167936, 48, 16, 2048, 4, "Jetson AGX Orin", 16, 1300, 205},
    {89, 78, 101376, 102400, 48, 24, 1024, 4, "L40S", 142, 2490, 864},
    {90, 80, 232448, 233472, 64, 32, 2640, 256, "H200", 132, 1830, 4800},
    {100, 86, 232448, 233472, 64, 32, 2048, 128, "B200", 148, 1850, 8000},
    {103, 88, 232448, 233472, 64, 32, 2048, 4, "B300", 160, 1900, 8000},
    {110, 90, 232448, 233472, 48, 24, 2048, 4, "Jetson Thor", 20, 1575, 273},
    {120, 87, 101376, 102400, 48, 24, 1024, 4, "RTX PRO 6000", 188, 2617, 1792},
    {121, 88, 101376, 102400, 48, 24, 1024, 4, "GB10", 48, 2418, 273},
};
} // namespace

llvm::Expected<Architecture> parseArchitecture(llvm::StringRef arch) {
  int capability = 0;
  if (!arch.getAsInteger(10, capability))
    for (const ArchitectureFacts &row : table)
      if (row.capability == capability)
        return Architecture{row, "sm_" + std::to_string(capability) +
                                     (isForOneArchitecture(unsigned(capability)) ? "a" : "")};
  std::string known;
  for (const ArchitectureFacts &row : table)
    known += (known.empty() ? "" : ", ") + std::to_string(row.capability);
  return llvm::createStringError(
      ("`" + arch + "` is not a compute capability of a cuda target; there are " + known).str());
}

} // namespace triton::nvidia
