// tritonc layout: shows which thread holds which element of a tensor, and where shared memory keeps it.
#include "KernelInput.h"

#include "base/Files.h"
#include "gpu/ir/NamedValues.h"
#include "layout/Drawing.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;
namespace layout = triton::layout;
namespace ttg = triton::ttg;

namespace {

/// Parses with the dialects of TTGIR. An error of the parser becomes a UsageError that quotes `text`.
class Reader {
public:
  Reader() { ttg::loadTextDialects(context); }

  template <typename Parse> auto checked(const std::string &text, Parse parse) {
    std::string message;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (message.empty())
        message = diagnostic.str();
    });
    auto result = parse();
    if (!result)
      throw UsageError("`" + text + "`: " + message);
    return result;
  }

  mlir::Attribute encoding(const std::string &text) {
    return checked(text, [&] { return mlir::parseAttribute(text, &context); });
  }
  /// Reads the text of the type, whose parser checks that the encoding fits the shape.
  mlir::RankedTensorType tensor(const std::string &shape, const std::string &encoding) {
    std::string text = "tensor<" + shape + ", " + encoding + ">";
    return llvm::cast<mlir::RankedTensorType>(checked(text, [&] { return mlir::parseType(text, &context); }));
  }
  ttg::MemDescType buffer(const std::string &shape, const std::string &encoding) {
    std::string text = "!ttg.memdesc<" + shape + ", " + encoding + ", #ttg.shared_memory>";
    return llvm::cast<ttg::MemDescType>(checked(text, [&] { return mlir::parseType(text, &context); }));
  }
  /// Throws a UsageError unless `text` has the form 64x32xf16.
  void checkShape(llvm::StringRef text) {
    llvm::StringRef rest = text;
    uint64_t extent = 0;
    unsigned rank = 0;
    while (!rest.consumeInteger(10, extent) && rest.consume_front("x"))
      ++rank;
    mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) {});
    if (rank == 0 || rest.empty() || !mlir::parseType(rest, &context))
      throw UsageError("`" + text.str() + "` is not a shape with an element type; write one like 64x32xf16");
  }
  /// The values of a file by their names in the text, such as "%acc".
  std::vector<ttg::NamedValue> values(const std::string &path) {
    std::string text = readFile(path);
    return *checked(path, [&] { return ttg::parseNamedValues(text, context); });
  }

private:
  mlir::MLIRContext context;
};

} // namespace

/// "64x32xf16".
static std::string shapeText(const ttg::LaidOutType &laidOut) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t extent : laidOut.shape())
    stream << extent << "x";
  stream << laidOut.element();
  return text;
}

static std::string describe(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// One line for each layout of a file, with the values that have it.
static void listLayouts(llvm::ArrayRef<ttg::NamedValue> values, const std::string &path) {
  llvm::MapVector<mlir::Type, std::vector<std::string>> byType;
  for (const ttg::NamedValue &value : values)
    byType[value.type.type].push_back(value.name);
  if (byType.empty())
    throw UsageError("`" + path + "` has no value with a layout; tensors have layouts from the stage ttgir on");
  for (const auto &[type, names] : byType) {
    constexpr std::size_t shown = 6;
    llvm::outs() << describe(type) << "\n    " << llvm::join(llvm::ArrayRef(names).take_front(shown), " ")
                 << (names.size() > shown ? " ..." : "") << "\n";
  }
  llvm::outs() << "choose one with --value\n";
}

static void writeSvg(const std::string &path, const std::string &picture) {
  if (std::error_code error = triton::base::writeWholeFile(path, picture))
    throw UsageError("cannot write `" + path + "`: " + error.message());
}

/// How the threads that hold `tensor` access the buffer.
static layout::SharedAccess describeAccess(mlir::RankedTensorType tensor, const layout::Drawing &drawing) {
  auto access = layout::analyzeSharedAccess(ttg::toLinearLayout(tensor), drawing.layout, drawing.elementBits);
  llvm::outs() << llvm::formatv("\neach lane moves {0} x {1} bytes; a wavefront serves {2} lanes; bank-conflict degree "
                                "{3}{4}\n",
                                access.vectorsPerLane, access.vectorBytes, access.lanes, access.degree,
                                access.degree == 1 ? " (no conflict)" : "");
  return access;
}

static void draw(const LayoutCommand &command, Reader &reader, const ttg::LaidOutType &laidOut) {
  layout::Drawing drawing{laidOut.linear(), describe(laidOut.type), laidOut.elementBits()};
  if (layout::countElements(drawing.layout) > layout::largestDrawing)
    throw UsageError(llvm::formatv("{0} elements are too many to draw; give --shape with at most {1}, which shows the "
                                   "pattern",
                                   layout::countElements(drawing.layout), layout::largestDrawing));
  if (command.access.empty()) {
    llvm::outs() << layout::drawText(drawing);
    if (!command.svg.empty())
      writeSvg(command.svg, layout::drawSvg(drawing));
    return;
  }
  if (!llvm::isa<ttg::MemDescType>(laidOut.type))
    throw UsageError("--access belongs to shared encodings; this layout is one of a distributed tensor");
  mlir::RankedTensorType tensor = reader.tensor(shapeText(laidOut), command.access);
  llvm::outs() << layout::drawText(drawing);
  std::vector<layout::Point> moved = describeAccess(tensor, drawing).elements;
  if (!command.svg.empty())
    writeSvg(command.svg,
             layout::drawSvg(drawing, [&](const layout::Point &point) { return llvm::is_contained(moved, point); }));
}

void tritonc::drawLayout(const LayoutCommand &command) {
  Reader reader;
  if (llvm::StringRef(command.input).starts_with("#")) {
    if (command.shape.empty())
      throw UsageError("an encoding needs a shape, such as --shape 64x32xf16");
    mlir::Attribute encoding = reader.encoding(command.input);
    if (ttg::getEncodingRank(encoding) == 0)
      throw UsageError("`" + command.input + "` is not an encoding of the dialect ttg");
    if (!command.value.empty())
      throw UsageError("--value selects a value of a file, but the input is an encoding");
    reader.checkShape(command.shape);
    if (llvm::isa<ttg::SharedEncodingInterface>(encoding))
      return draw(command, reader, {reader.buffer(command.shape, command.input)});
    return draw(command, reader, {reader.tensor(command.shape, command.input)});
  }
  if (command.input.empty())
    throw UsageError("give an encoding such as '#ttg.blocked<{...}>', or a file of TTGIR");
  auto values = reader.values(command.input);
  if (command.value.empty())
    return listLayouts(values, command.input);
  auto found = llvm::find_if(values, [&](const auto &value) { return value.name == command.value; });
  if (found == values.end())
    throw UsageError("`" + command.input + "` has no value `" + command.value + "` with a layout");
  draw(command, reader, found->type);
}
