#include "backends/amd/lowering/Architecture.h"

namespace triton::amd {

namespace {
/// Sizes and lane counts are those that LLVM accepts and the ISA documents give, rates and devices AMD's data sheets'.
constexpr Architecture table[] = {
    // generation, lanes, LDS, banks; lane swaps, transposing reads, wide copies; device
    {"gfx90a", MatrixFamily::Mfma, 9, 64, 65536, 32, false, false, false, "MI250X (one die)", 110, 1700, 1638},
    {"gfx942", MatrixFamily::Mfma, 9, 64, 65536, 32, false, false, false, "MI300X", 304, 2100, 5325},
    {"gfx950", MatrixFamily::Mfma, 9, 64, 163840, 64, true, true, true, "MI355X", 256, 2400, 8000},
    {"gfx1100", MatrixFamily::Wmma, 11, 32, 65536, 32, false, false, false, "RX 7900 XTX", 96, 2500, 960},
    {"gfx1101", MatrixFamily::Wmma, 11, 32, 65536, 32, false, false, false, "RX 7800 XT", 60, 2430, 624},
    {"gfx1102", MatrixFamily::Wmma, 11, 32, 65536, 32, false, false, false, "RX 7600", 32, 2655, 288},
    {"gfx1151", MatrixFamily::Wmma, 11, 32, 65536, 32, false, false, false, "Radeon 8060S", 40, 2900, 256},
    {"gfx1200", MatrixFamily::Wmma, 12, 32, 65536, 32, false, false, false, "RX 9060 XT", 32, 3130, 320},
    {"gfx1201", MatrixFamily::Wmma, 12, 32, 65536, 32, false, false, false, "RX 9070 XT", 64, 2970, 640},
    // AMD has not said which devices there will be.
    {"gfx1250", MatrixFamily::Wmma, 12, 32, 327680, 64, false, true, false, "", 0, 0, 0},
};
} // namespace

llvm::Expected<Architecture> parseArchitecture(llvm::StringRef processor) {
  std::string known;
  for (const Architecture &row : table) {
    if (processor == row.processor)
      return row;
    known += (known.empty() ? "" : ", ") + std::string(row.processor);
  }
  return llvm::createStringError(
      ("`" + processor + "` is not an architecture of a hip target; there are " + known).str());
}

} // namespace triton::amd
