#include "backends/nvidia/target/Architecture.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::nvidia {

namespace {
struct Row {
  int capability;
  unsigned maxSharedBytes;
};
constexpr Row table[] = {
    {75, 65536},   {80, 166912},  {86, 101376},  {87, 166912},  {89, 101376},  {90, 232448},
    {100, 232448}, {103, 232448}, {110, 232448}, {120, 101376}, {121, 101376},
};
} // namespace

llvm::Expected<Architecture> parseArchitecture(llvm::StringRef arch) {
  int capability = 0;
  if (!arch.getAsInteger(10, capability))
    for (const Row &row : table)
      if (row.capability == capability)
        return Architecture{capability, "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : ""),
                            row.maxSharedBytes};
  std::string known;
  for (const Row &row : table)
    known += (known.empty() ? "" : ", ") + std::to_string(row.capability);
  return llvm::createStringError(
      ("`" + arch + "` is not a compute capability of a cuda target; there are " + known).str());
}

} // namespace triton::nvidia
