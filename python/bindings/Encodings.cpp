// What the interpreter of kernels in Gluon asks about layouts, which it writes as the encodings of TTGIR.
#include "Bindings.h"

#include "gpu/ir/BufferViews.h"
#include "gpu/ir/NamedValues.h"
#include "ir/EncodingInference.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

namespace {

using Shape = std::vector<int64_t>;

/// Reads encodings; ValueError with what the parser says.
class EncodingReader {
public:
  EncodingReader() { ttg::loadTextDialects(context); }

  mlir::Attribute read(const std::string &text) {
    std::string message;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (message.empty())
        message = diagnostic.str();
    });
    mlir::Attribute encoding = mlir::parseAttribute(text, &context);
    if (!encoding)
      throw nb::value_error(message.c_str());
    return encoding;
  }
  mlir::Attribute read(const std::string &text, const Shape &shape) {
    mlir::Attribute encoding = read(text);
    if (ttg::getEncodingRank(encoding) > shape.size())
      throw nb::value_error(("the layout is for " + std::to_string(ttg::getEncodingRank(encoding)) +
                             " dimensions, and there are " + std::to_string(shape.size()))
                                .c_str());
    return encoding;
  }
  ttg::MemDescType buffer(const std::string &text, const Shape &shape) {
    mlir::Attribute encoding = read(text, shape);
    return ttg::MemDescType::get(&context, shape, mlir::Builder(&context).getI8Type(), encoding,
                                 ttg::SharedMemorySpaceAttr::get(&context), true);
  }

private:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

std::optional<std::string> encodingText(mlir::Attribute encoding) {
  if (!encoding)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << encoding;
  return text;
}

layout::LinearLayout encodingLayout(const std::string &text, const Shape &shape) {
  EncodingReader reader;
  return ttg::toLinearLayout(shape, reader.read(text, shape));
}

bool areEquivalent(const std::string &left, const std::string &right, const Shape &shape) {
  EncodingReader reader;
  return ttg::areLayoutsEquivalent(shape, reader.read(left, shape), reader.read(right, shape));
}

/// The encoding of a block of `shape` after an operation that moves no elements; None if it moves some.
std::optional<std::string> encodingAfter(const std::string &operation, const std::string &text, const Shape &shape,
                                         const Shape &numbers) {
  EncodingReader reader;
  mlir::Attribute encoding = reader.read(text, shape);
  auto *infer = encoding.getDialect().getRegisteredInterface<tt::EncodingInferenceInterface>();
  if (operation == "expand_dims")
    return encodingText(infer->expandDims(shape, encoding, unsigned(numbers.at(0))));
  if (operation == "transpose")
    return encodingText(infer->transpose(shape, encoding, llvm::SmallVector<int32_t>(numbers.begin(), numbers.end())));
  if (operation == "reshape")
    return encodingText(infer->reshape(shape, encoding, numbers));
  if (operation == "join")
    return encodingText(infer->join(shape, encoding));
  if (operation == "split")
    return encodingText(infer->split(shape, encoding));
  throw nb::value_error(("`" + operation + "` is not an operation that changes encodings").c_str());
}

/// The encoding of the view of a buffer with its dimensions in another order; None if there is none.
std::optional<std::string> permutedBuffer(const std::string &text, const Shape &shape,
                                          const std::vector<int32_t> &order) {
  EncodingReader reader;
  return encodingText(ttg::getPermutedEncoding(reader.buffer(text, shape), order));
}

/// The same for a view with another shape.
std::optional<std::string> reshapedBuffer(const std::string &text, const Shape &shape, const Shape &reshaped) {
  EncodingReader reader;
  return encodingText(ttg::getReshapedEncoding(reader.buffer(text, shape), reshaped));
}

} // namespace

void registerEncodings(nb::module_ &module) {
  module.def("encoding_layout", &encodingLayout, nb::arg("encoding"), nb::arg("shape"));
  module.def("are_encodings_equivalent", &areEquivalent, nb::arg("left"), nb::arg("right"), nb::arg("shape"));
  module.def("encoding_after", &encodingAfter, nb::arg("operation"), nb::arg("encoding"), nb::arg("shape"),
             nb::arg("numbers"));
  module.def("permuted_buffer_encoding", &permutedBuffer, nb::arg("encoding"), nb::arg("shape"), nb::arg("order"));
  module.def("reshaped_buffer_encoding", &reshapedBuffer, nb::arg("encoding"), nb::arg("shape"), nb::arg("reshaped"));
}

} // namespace triton::python
