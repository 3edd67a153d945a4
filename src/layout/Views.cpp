#include "layout/Views.h"

#include "layout/Drawing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using llvm::SmallVector;
using llvm::StringRef;

namespace triton::layout {

bool hasViews(const LinearLayout &layout) {
  SmallVector<StringRef> wanted{"register", "lane", "warp", "block"};
  if (isShared(layout))
    wanted = {"offset", "block"};
  return !layout.outputs().empty() && layout.inputs().size() == wanted.size() &&
         llvm::all_of(wanted, [&](StringRef name) { return layout.findInput(name); }) &&
         (uint64_t(1) << layout.inputBits()) <= largestDrawing && countElements(layout) <= largestDrawing;
}

static std::string padded(std::string text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + std::move(text);
}

/// Each component is as wide as the largest number in its dimension.
static std::string showCoordinates(const LinearLayout &layout, llvm::ArrayRef<int32_t> coordinates, char separator) {
  std::string text = "(";
  for (auto [index, output] : llvm::enumerate(layout.outputs())) {
    if (index)
      text += separator;
    text += padded(std::to_string(coordinates[index]), std::to_string(output.size - 1).size());
  }
  return text + ")";
}

/// Row-major: the last output is the fastest.
static uint64_t flatten(const LinearLayout &layout, const Point &point) {
  uint64_t flat = 0;
  for (auto [output, component] : llvm::zip_equal(layout.outputs(), point))
    flat = flat * output.size + component.second;
  return flat;
}

static SmallVector<int32_t> unflatten(const LinearLayout &layout, uint64_t flat) {
  SmallVector<int32_t> coordinates(layout.outputs().size());
  for (std::size_t i = coordinates.size(); i-- > 0; flat /= layout.outputs()[i].size)
    coordinates[i] = flat % layout.outputs()[i].size;
  return coordinates;
}

/// The labels of each element's holders, in the order of the elements. They are joined and padded to the same width.
static std::vector<std::string> labelDistributed(const LinearLayout &layout) {
  std::vector<std::vector<std::string>> holders(countElements(layout));
  std::size_t width = 0;
  int32_t lanes = layout.inputSize("lane"), blocks = layout.inputSize("block");
  for (int32_t block = 0; block < blocks; ++block)
    for (int32_t thread = 0; thread < layout.inputSize("warp") * lanes; ++thread)
      for (int32_t reg = 0; reg < layout.inputSize("register"); ++reg) {
        Point element =
            layout.apply({{"register", reg}, {"lane", thread % lanes}, {"warp", thread / lanes}, {"block", block}});
        std::string label = (blocks > 1 ? "B" + std::to_string(block) + ":" : "") + "T" + std::to_string(thread) + ":" +
                            std::to_string(reg);
        width = std::max(width, label.size());
        holders[flatten(layout, element)].push_back(std::move(label));
      }
  std::vector<std::string> labels;
  labels.reserve(holders.size());
  for (const std::vector<std::string> &list : holders)
    labels.push_back(
        llvm::join(llvm::map_range(list, [&](const std::string &label) { return padded(label, width); }), "|"));
  return labels;
}

static std::vector<std::string> labelShared(const LinearLayout &layout) {
  std::vector<std::string> labels(countElements(layout));
  int32_t offsets = layout.inputSize("offset");
  for (int32_t place = 0; place < offsets * layout.inputSize("block"); ++place) {
    Point element = layout.apply({{"offset", place % offsets}, {"block", place / offsets}});
    std::string &label = labels[flatten(layout, element)];
    if (label.empty())
      label = showCoordinates(layout, unflatten(layout, place), ':');
  }
  return labels;
}

std::string tensorView(const LinearLayout &layout) {
  std::vector<std::string> labels = isShared(layout) ? labelShared(layout) : labelDistributed(layout);
  std::size_t rank = layout.outputs().size();
  uint64_t columns = layout.outputs().back().size;
  std::string text;
  // A bracket opens (closes) for each dimension that begins (ends) with this row.
  auto countEdges = [&](uint64_t element) {
    std::size_t edges = 0;
    uint64_t extent = 1;
    for (const Output &output : llvm::reverse(layout.outputs()))
      edges += element % (extent *= output.size) == 0;
    return edges;
  };
  for (uint64_t first = 0; first < labels.size(); first += columns) {
    std::size_t opened = countEdges(first);
    text += std::string(opened, '[') + std::string(rank - opened, ' ');
    llvm::ArrayRef<std::string> row = llvm::ArrayRef(labels).slice(first, columns);
    text += llvm::join(row, isShared(layout) ? "," : ", ");
    text += std::string(countEdges(first + columns), ']') + "\n";
  }
  return text;
}

static void showPlace(llvm::raw_ostream &stream, const LinearLayout &layout, const Point &place) {
  SmallVector<int32_t> coordinates;
  for (const auto &[name, component] : layout.apply(place))
    coordinates.push_back(component);
  stream << showCoordinates(layout, coordinates, ',');
}

static void showWarp(llvm::raw_ostream &stream, const LinearLayout &layout, int32_t block, int32_t warp) {
  stream << "Warp" << warp << ":\n";
  for (int32_t reg = 0; reg < layout.inputSize("register"); ++reg) {
    for (int32_t lane = 0; lane < layout.inputSize("lane"); ++lane) {
      stream << (lane ? ", " : "");
      showPlace(stream, layout, {{"register", reg}, {"lane", lane}, {"warp", warp}, {"block", block}});
    }
    stream << "\n";
  }
}

std::string hardwareView(const LinearLayout &layout) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  int32_t blocks = layout.inputSize("block");
  for (int32_t block = 0; block < blocks; ++block) {
    if (!isShared(layout)) {
      if (blocks > 1)
        stream << "Block" << block << ":\n";
      for (int32_t warp = 0; warp < layout.inputSize("warp"); ++warp)
        showWarp(stream, layout, block, warp);
      continue;
    }
    stream << "Block: " << block << ":\n";
    for (int32_t offset = 0; offset < layout.inputSize("offset"); ++offset) {
      stream << "Offset: " << offset << " -> ";
      showPlace(stream, layout, {{"offset", offset}, {"block", block}});
      stream << "\n";
    }
  }
  return text;
}

} // namespace triton::layout
