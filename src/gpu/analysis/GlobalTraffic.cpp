#include "gpu/analysis/GlobalTraffic.h"

#include <map>
#include <set>

using namespace mlir;

namespace triton::analysis {

namespace {

/// Where the elements of a request lie: runs in memory, and the bytes in each.
class Places {
public:
  Places(const AxisInfo &info, unsigned elementBytes) : info(info), bytes(elementBytes) {
    for (auto [dimension, facts] : llvm::enumerate(info.axes))
      if (facts.contiguity > info.axes[fastest].contiguity)
        fastest = unsigned(dimension);
  }

  void add(llvm::ArrayRef<int64_t> coordinates) {
    SmallVector<int64_t> run;
    for (auto [dimension, coordinate] : llvm::enumerate(coordinates)) {
      const AxisFacts &facts = info.axes[dimension];
      run.push_back(dimension == fastest && facts.contiguity > 1 ? coordinate / facts.contiguity
                                                                 : coordinate / std::max<int64_t>(1, facts.constancy));
    }
    const AxisFacts &facts = info.axes[fastest];
    runs[run].insert(facts.contiguity > 1 ? coordinates[fastest] % facts.contiguity * bytes : 0);
  }

  /// Runs that are known to begin at multiples of an access begin sectors, as arrays do. Others begin late in one.
  unsigned countSectors(int64_t sectorBytes, int64_t accessBytes) const {
    int64_t divisibility = info.axes[fastest].divisibility;
    int64_t start = divisibility >= accessBytes ? 0 : sectorBytes - divisibility;
    unsigned count = 0;
    for (const auto &[run, offsets] : runs) {
      std::set<int64_t> sectors;
      for (int64_t offset : offsets) {
        sectors.insert((start + offset) / sectorBytes);
        sectors.insert((start + offset + bytes - 1) / sectorBytes);
      }
      count += sectors.size();
    }
    return count;
  }

  /// If all elements lay side by side.
  unsigned countLeastSectors(int64_t sectorBytes) const {
    int64_t elements = 0;
    for (const auto &[run, offsets] : runs)
      elements += int64_t(offsets.size());
    return unsigned(llvm::divideCeil(elements * bytes, sectorBytes));
  }

private:
  const AxisInfo &info;
  int64_t bytes;
  unsigned fastest = 0;
  std::map<SmallVector<int64_t>, std::set<int64_t>> runs; ///< with the offsets of their elements
};

} // namespace

/// The coordinates of element `reg` of lane `lane` of the first warp.
static SmallVector<int64_t> locate(const layout::LinearLayout &layout, unsigned reg, unsigned lane) {
  SmallVector<int64_t> coordinates(layout.outputs().size(), 0);
  auto add = [&](llvm::StringRef input, unsigned index) {
    for (auto [bit, basis] : llvm::enumerate(layout.findInput(input)->bases))
      if (index >> bit & 1)
        for (auto [coordinate, component] : llvm::zip_equal(coordinates, basis))
          coordinate ^= component;
  };
  add("register", reg);
  add("lane", lane);
  return coordinates;
}

GlobalTraffic findGlobalTraffic(const AxisInfoAnalysis &axisInfo, Value pointers, Value mask,
                                const gpu::Machine &machine) {
  auto type = cast<RankedTensorType>(pointers.getType());
  GlobalTraffic traffic;
  traffic.width = findAccessWidth(axisInfo, pointers, mask, machine.accessBytes);
  traffic.elementBytes = getPointeeBytes(type);
  layout::LinearLayout layout = ttg::toLinearLayout(type);
  traffic.requests = unsigned(layout.inputSize("register") * layout.inputSize("warp")) / traffic.width.elements;
  AxisInfo info = axisInfo.getAxisInfo(pointers);
  Places places(info, traffic.elementBytes);
  for (unsigned lane = 0; lane < machine.lanes; ++lane)
    for (unsigned element = 0; element < traffic.width.elements; ++element)
      places.add(locate(layout, element, lane));
  traffic.sectors = places.countSectors(machine.sectorBytes, machine.accessBytes);
  traffic.leastSectors = places.countLeastSectors(machine.sectorBytes);
  return traffic;
}

} // namespace triton::analysis
