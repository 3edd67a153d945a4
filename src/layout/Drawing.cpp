// Draws layouts as tables and as pictures.
#include "layout/Drawing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace triton::layout {

uint64_t countElements(const LinearLayout &layout) { return uint64_t(1) << layout.outputBits(); }

static bool hasBlocks(const LinearLayout &layout) { return layout.inputSize("block") > 1; }

namespace {

/// The holder of an element, or its place in memory.
struct Cell {
  int32_t block = 0, warp = 0, lane = 0, reg = 0; ///< of the smallest holder
  uint64_t offset = 0;                            ///< in elements, in the block's memory
  unsigned bank = 0;
  uint64_t holders = 0;
};

/// The cells of a layout in row-major order, and the shape of one table.
struct Grid {
  std::vector<Cell> cells;
  int32_t rows = 1, columns = 1, tables = 1;
  int32_t rowStep = 1; ///< what a row adds to its number, because a single long dimension is cut into rows
  llvm::SmallVector<int32_t> leading; ///< extents of the dimensions before the last two

  const Cell &at(int32_t table, int32_t row, int32_t column) const {
    return cells[(std::size_t(table) * rows + row) * columns + column];
  }
  /// The coordinates of the dimensions before the last two.
  llvm::SmallVector<int32_t> indicesOf(int32_t table) const {
    llvm::SmallVector<int32_t> indices(leading.size());
    for (std::size_t i = leading.size(); i-- > 0; table /= leading[i])
      indices[i] = table % leading[i];
    return indices;
  }
};

} // namespace

static Grid makeGrid(const Drawing &drawing) {
  const LinearLayout &layout = drawing.layout;
  Grid grid;
  llvm::ArrayRef<Output> outputs = layout.outputs();
  constexpr int32_t longestRow = 32;
  grid.columns = outputs.back().size;
  if (outputs.size() > 1) {
    grid.rows = outputs[outputs.size() - 2].size;
  } else if (grid.columns > longestRow) {
    grid.rows = grid.columns / longestRow;
    grid.columns = grid.rowStep = longestRow;
  }
  for (const Output &output : outputs.drop_back(std::min<std::size_t>(2, outputs.size()))) {
    grid.leading.push_back(output.size);
    grid.tables *= output.size;
  }
  grid.cells.resize(countElements(layout));

  llvm::SmallVector<uint64_t> bases = layout.columns();
  for (uint64_t index = 0; index < uint64_t(1) << layout.inputBits(); ++index) {
    uint64_t flat = 0, rest = index;
    for (auto [bit, column] : llvm::enumerate(bases))
      flat ^= index >> bit & 1 ? column : 0;
    uint64_t place = 0;
    for (const Output &output : outputs) { // the first output is the lowest when flattened, but in cells it is the last
      place = place * output.size + flat % output.size;
      flat /= output.size;
    }
    Cell &cell = grid.cells[place];
    if (cell.holders++ != 0)
      continue;
    for (const Input &input : layout.inputs()) {
      auto value = int32_t(rest % input.size());
      rest /= input.size();
      if (input.name == "register")
        cell.reg = value;
      else if (input.name == "lane")
        cell.lane = value;
      else if (input.name == "warp")
        cell.warp = value;
      else if (input.name == "block")
        cell.block = value;
      else
        cell.offset = uint64_t(value);
    }
    cell.bank = unsigned(cell.offset * drawing.elementBits / 32 % 32);
  }
  return grid;
}

static std::string describe(const Cell &cell, const LinearLayout &layout) {
  if (cell.holders == 0)
    return "-";
  std::string text = hasBlocks(layout) ? std::to_string(cell.block) + ":" : "";
  if (isShared(layout))
    return text + llvm::formatv("{0} b{1}", cell.offset, cell.bank).str();
  text += llvm::formatv("{0}:{1}:{2}", cell.warp, cell.lane, cell.reg).str();
  return cell.holders > 1 ? text + "+" + std::to_string(cell.holders - 1) : text;
}

static std::string describeTable(const Grid &grid, int32_t table) {
  std::string text = "[";
  for (int32_t index : grid.indicesOf(table))
    text += std::to_string(index) + ", ";
  return text + ":, :]";
}

std::string drawText(const Drawing &drawing) {
  Grid grid = makeGrid(drawing);
  std::size_t width = std::to_string(grid.columns - 1).size();
  for (const Cell &cell : grid.cells)
    width = std::max(width, describe(cell, drawing.layout).size());
  std::size_t margin = std::to_string((grid.rows - 1) * grid.rowStep).size();
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto pad = [&](const std::string &cell, std::size_t to) {
    stream.indent(unsigned(to - std::min(to, cell.size()))) << cell;
  };
  stream << drawing.title << "\neach cell: " << (hasBlocks(drawing.layout) ? "block:" : "")
         << (isShared(drawing.layout) ? "offset in elements, bank" : "warp:lane:register, +n for n copies") << "\n";
  for (int32_t table = 0; table < grid.tables; ++table) {
    if (!grid.leading.empty())
      stream << "\n" << describeTable(grid, table) << "\n";
    stream.indent(unsigned(margin));
    for (int32_t column = 0; column < grid.columns; ++column)
      pad(std::to_string(column), width + 1);
    stream << "\n";
    for (int32_t row = 0; row < grid.rows; ++row) {
      pad(std::to_string(row * grid.rowStep), margin);
      for (int32_t column = 0; column < grid.columns; ++column)
        pad(describe(grid.at(table, row, column), drawing.layout), width + 1);
      stream << "\n";
    }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

namespace {

constexpr int cellWidth = 38, cellHeight = 26, border = 28, titleHeight = 16, headline = 30, tableGap = 34;
constexpr int legendHeight = 54, legendWidth = 78, legendWarps = 16;

/// Hues that are as different as possible for the first few warps, and that look equally strong.
constexpr int warpHues[] = {212, 28, 145, 348, 268, 50, 185, 310};

/// A color by hue in degrees, saturation and lightness. It is written as #rrggbb, which every renderer knows.
struct Color {
  double hue, saturation, lightness;
  std::string str() const {
    auto channel = [&](double shift) {
      double k = std::fmod(shift + hue / 30, 12);
      double amplitude = saturation * std::min(lightness, 1 - lightness);
      return int(std::lround(255 * (lightness - amplitude * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
    };
    return llvm::formatv("#{0:x-2}{1:x-2}{2:x-2}", channel(0), channel(8), channel(4)).str();
  }
};

} // namespace

static Color warpColor(int32_t warp, int32_t lane, int32_t lanes) {
  int32_t round = warp / int32_t(std::size(warpHues));
  int hue = (warpHues[std::size_t(warp) % std::size(warpHues)] + 17 * round) % 360;
  return {double(hue), 0.72, 0.64 + 0.27 * lane / std::max(1, lanes - 1)};
}

static Color bankColor(unsigned bank) { return {bank * 360.0 / 32, 0.65, bank % 2 ? 0.86 : 0.76}; }

static void drawRectangle(llvm::raw_ostream &stream, int x, int y, int width, int height, const Color &color) {
  stream << llvm::formatv("<rect class=\"c\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"{4}\"/>\n", x, y,
                          width, height, color.str());
}

static void drawFrame(llvm::raw_ostream &stream, int x, int y) {
  stream << llvm::formatv("<rect class=\"m\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\"/>\n", x + 1, y + 1,
                          cellWidth - 2, cellHeight - 2);
}

static void drawLabel(llvm::raw_ostream &stream, llvm::StringRef style, int x, int y, llvm::StringRef text) {
  stream << llvm::formatv("<text class=\"{0}\" x=\"{1}\" y=\"{2}\">{3}</text>\n", style, x, y, text);
}

static std::string escapeText(llvm::StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return escaped;
}

static Point pointOf(const LinearLayout &layout, const Grid &grid, int32_t table, int32_t row, int32_t column) {
  llvm::ArrayRef<Output> outputs = layout.outputs();
  if (outputs.size() == 1)
    return {{outputs.front().name, row * grid.rowStep + column}};
  Point point;
  for (int32_t index : grid.indicesOf(table))
    point.emplace_back(outputs[point.size()].name, index);
  point.emplace_back(outputs[point.size()].name, row);
  point.emplace_back(outputs.back().name, column);
  return point;
}

/// One table with its coordinates; `marked` frames cells.
static void drawTable(llvm::raw_ostream &stream, const Drawing &drawing, const Grid &grid, int32_t table, int top,
                      llvm::function_ref<bool(const Point &)> marked) {
  bool shared = isShared(drawing.layout);
  int32_t lanes = drawing.layout.inputSize("lane"), warps = drawing.layout.inputSize("warp");
  for (int32_t column = 0; column < grid.columns; ++column)
    drawLabel(stream, "i", border + column * cellWidth + cellWidth / 2, top - 5, std::to_string(column));
  for (int32_t row = 0; row < grid.rows; ++row) {
    int y = top + row * cellHeight;
    drawLabel(stream, "i", border - 14, y + cellHeight / 2 + 3, std::to_string(row * grid.rowStep));
    for (int32_t column = 0; column < grid.columns; ++column) {
      const Cell &cell = grid.at(table, row, column);
      int x = border + column * cellWidth;
      drawRectangle(stream, x, y, cellWidth, cellHeight,
                    shared ? bankColor(cell.bank) : warpColor(cell.block * warps + cell.warp, cell.lane, lanes));
      if (marked && marked(pointOf(drawing.layout, grid, table, row, column)))
        drawFrame(stream, x, y);
      std::string first = shared ? std::to_string(cell.offset) : "T" + std::to_string(cell.lane);
      std::string second = shared ? "bank " + std::to_string(cell.bank) : "r" + std::to_string(cell.reg);
      if (!shared && cell.holders > 1)
        second += " +" + std::to_string(cell.holders - 1);
      drawLabel(stream, "t", x + cellWidth / 2, y + 12, first);
      drawLabel(stream, "s", x + cellWidth / 2, y + 22, second);
    }
  }
}

/// The number of warps of all blocks, or as many as there is room for.
static int32_t countLegend(const LinearLayout &layout) {
  return isShared(layout) ? 0 : std::min(layout.inputSize("block") * layout.inputSize("warp"), legendWarps);
}

/// Says which color belongs to which warp, and what the words in a cell mean.
static void drawLegend(llvm::raw_ostream &stream, const LinearLayout &layout, int y, bool framed) {
  if (isShared(layout)) {
    drawLabel(stream, "l", border, y + 11,
              framed ? "offset in elements, and bank; framed: what one wavefront moves"
                     : "offset in elements, and bank");
    return;
  }
  int32_t warps = layout.inputSize("warp"), lanes = layout.inputSize("lane");
  for (int32_t warp = 0; warp < countLegend(layout); ++warp) {
    int x = border + warp * legendWidth;
    drawRectangle(stream, x, y, 18, 14, warpColor(warp, lanes / 2, lanes));
    std::string name = hasBlocks(layout) ? std::to_string(warp / warps) + ":" : "";
    drawLabel(stream, "l", x + 24, y + 11, "warp " + name + std::to_string(warp % warps));
  }
  drawLabel(stream, "l", border, y + 30,
            hasBlocks(layout) ? "warp b:w: of block b; T: lane of the warp, r: register, +n: further holders"
                              : "T: lane of the warp, r: register, +n: further holders");
}

/// The title in lines of at most `width` characters, cut after commas.
static std::vector<std::string> wrapTitle(llvm::StringRef title, std::size_t width) {
  std::vector<std::string> lines;
  for (llvm::StringRef part : llvm::split(title, ", ")) {
    if (lines.empty())
      lines.push_back(part.str());
    else if (lines.back().size() + part.size() + 3 <= width)
      lines.back() += ", " + part.str();
    else {
      lines.back() += ",";
      lines.push_back(part.str());
    }
  }
  return lines;
}

std::string drawSvg(const Drawing &drawing, llvm::function_ref<bool(const Point &)> marked) {
  constexpr int narrowest = 460, characterWidth = 8;
  Grid grid = makeGrid(drawing);
  int warps = countLegend(drawing.layout);
  int width = std::max({grid.columns * cellWidth, warps * legendWidth, narrowest}) + 2 * border;
  std::vector<std::string> title = wrapTitle(drawing.title, (width - 2 * border) / characterWidth);
  int tableHeight = grid.rows * cellHeight + tableGap;
  int firstTable = int(title.size()) * titleHeight + headline;
  int height = firstTable + grid.tables * tableHeight - tableGap + legendHeight;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
                          "{1}\">\n",
                          width, height);
  stream << "<style>text{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1d2733}"
            ".h{font-size:12px;font-weight:600}.i{font-size:9px;fill:#7a8794;text-anchor:middle}"
            ".t{font-size:10px;text-anchor:middle}.s{font-size:8px;text-anchor:middle;fill:#44505c}"
            ".l{font-size:10px}.c{stroke:#fff;stroke-width:1}.m{fill:none;stroke:#101820;stroke-width:2}</style>\n"
         << llvm::formatv("<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n", width, height);
  for (auto [line, words] : llvm::enumerate(title))
    drawLabel(stream, "h", border, int(line + 1) * titleHeight + 2, escapeText(words));
  for (int32_t table = 0; table < grid.tables; ++table) {
    int top = firstTable + table * tableHeight;
    if (!grid.leading.empty())
      drawLabel(stream, "l", border, top - 16, describeTable(grid, table));
    drawTable(stream, drawing, grid, table, top, marked);
  }
  drawLegend(stream, drawing.layout, height - legendHeight + 14, bool(marked));
  stream << "</svg>\n";
  return text;
}

} // namespace triton::layout
