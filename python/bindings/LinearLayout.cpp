// `triton.tools.LinearLayout` offers src/layout to Python programs. What the C++ class only asserts is checked here.
#include "layout/LinearLayout.h"
#include "Bindings.h"
#include "layout/Drawing.h"
#include "layout/Views.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace triton::layout;

namespace {

using NamedBases = std::vector<std::pair<std::string, std::vector<std::vector<int64_t>>>>;

template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << parts);
  throw nb::value_error(text.c_str());
}

void checkSize(int64_t size, const std::string &name) {
  if (size <= 0 || size > (int64_t(1) << 30) || !llvm::isPowerOf2_64(size))
    fail("the size of `", name, "` is ", size, "; it must be a power of two, at most 2^30");
}

template <typename List> std::vector<std::string> namesOf(const List &list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const auto &element : list)
    names.push_back(element.name);
  return names;
}

template <typename List> void checkNames(const List &list, const char *what) {
  std::vector<std::string> names = namesOf(list);
  llvm::sort(names);
  if (auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    fail("the layout has two ", what, " named `", *twice, "`");
}

void checkBits(uint64_t bits, const char *what) {
  if (bits > 62)
    fail("the ", what, " of the layout have ", bits, " bits; they may have at most 62");
}

/// Checks that both sides have the same names, in any order.
template <typename Left, typename Right> void checkSameNames(const Left &left, const Right &right, const char *what) {
  std::vector<std::string> leftNames = namesOf(left), rightNames = namesOf(right);
  if (!std::is_permutation(leftNames.begin(), leftNames.end(), rightNames.begin(), rightNames.end()))
    fail(what, ": [", llvm::join(leftNames, ", "), "] and [", llvm::join(rightNames, ", "), "] are not the same names");
}

std::string show(const LinearLayout &layout) {
  std::string text = "\n";
  llvm::raw_string_ostream stream(text);
  if (layout.inputs().empty()) {
    stream << "(empty layout";
  } else {
    for (const Input &input : layout.inputs()) {
      if (input.bases.empty())
        stream << " - " << input.name << " is a size 1 dimension\n";
      for (auto [bit, basis] : llvm::enumerate(input.bases)) {
        stream << (bit ? "   " : " - ") << input.name << "=" << (int64_t(1) << bit) << " -> (";
        llvm::interleaveComma(basis, stream);
        stream << ")\n";
      }
    }
  }
  if (!layout.outputs().empty()) {
    stream << (layout.inputs().empty() ? " with out-dims [" : "where out dims are: [");
    llvm::interleaveComma(layout.outputs(), stream,
                          [&](const Output &output) { stream << output.name << " (size " << output.size << ")"; });
    stream << "]";
  }
  return text + (layout.inputs().empty() ? ")" : "");
}

LinearLayout strided1d(int64_t size, int64_t stride, const std::string &in, const std::string &out) {
  checkSize(size, in);
  checkSize(stride, "the stride");
  checkSize(size * stride, out);
  Input input{in, {}};
  for (int32_t bit = 1; bit < size; bit *= 2)
    input.bases.push_back({int32_t(bit * stride)});
  return LinearLayout({input}, {Output{out, int32_t(size * stride)}});
}

LinearLayout zeros1d(int64_t size, const std::string &in, const std::string &out, int64_t outSize) {
  checkSize(size, in);
  checkSize(outSize, out);
  return LinearLayout::zeros(int32_t(size), in, out, int32_t(outSize));
}

/// The outputs of the given sizes, or the smallest that hold all bases.
std::vector<Output> makeOutputs(const NamedBases &bases, const std::vector<std::string> &names,
                                const std::optional<std::vector<int64_t>> &sizes) {
  if (sizes && sizes->size() != names.size())
    fail("there are ", sizes->size(), " sizes for ", names.size(), " outputs");
  std::vector<Output> outputs;
  uint64_t bits = 0;
  for (auto [index, name] : llvm::enumerate(names)) {
    int64_t largest = 0;
    for (const auto &[inputName, list] : bases)
      for (const std::vector<int64_t> &basis : list) {
        if (basis.size() != names.size())
          fail("a basis of `", inputName, "` has ", basis.size(), " components for ", names.size(), " outputs");
        if (basis[index] < 0)
          fail("a basis of `", inputName, "` has the negative component ", basis[index]);
        largest = std::max(largest, basis[index]);
      }
    int64_t size = sizes ? (*sizes)[index] : int64_t(llvm::PowerOf2Ceil(uint64_t(largest) + 1));
    checkSize(size, name);
    if (largest >= size)
      fail("a basis has the component ", largest, " in `", name, "`, which has the size ", size);
    outputs.push_back(Output{name, int32_t(size)});
    bits += outputs.back().bits();
  }
  checkBits(bits, "outputs");
  return outputs;
}

LinearLayout fromBases(const NamedBases &bases, const std::vector<std::string> &outNames,
                       const std::optional<std::vector<int64_t>> &outSizes, bool requireSurjective) {
  std::vector<Output> outputs = makeOutputs(bases, outNames, outSizes);
  std::vector<Input> inputs;
  uint64_t bits = 0;
  for (const auto &[name, list] : bases) {
    Input input{name, {}};
    for (const std::vector<int64_t> &basis : list)
      input.bases.push_back(Basis(basis.begin(), basis.end()));
    bits += list.size();
    inputs.push_back(std::move(input));
  }
  checkBits(bits, "inputs");
  checkNames(inputs, "inputs");
  checkNames(outputs, "outputs");
  LinearLayout layout(inputs, outputs);
  if (requireSurjective && !layout.isSurjective())
    fail("the layout does not reach every element:", show(layout));
  return layout;
}

LinearLayout multiply(const LinearLayout &left, const LinearLayout &right) {
  checkBits(left.inputBits() + right.inputBits(), "inputs");
  checkBits(left.outputBits() + right.outputBits(), "outputs");
  return left * right;
}

LinearLayout compose(const LinearLayout &inner, const LinearLayout &outer) {
  checkSameNames(inner.outputs(), outer.inputs(), "the outputs of the layout and the inputs of the other");
  for (const Output &output : inner.outputs())
    if (output.size > outer.inputSize(output.name))
      fail("the output `", output.name, "` has the size ", output.size, "; the other layout takes only ",
           outer.inputSize(output.name));
  return inner.compose(outer);
}

LinearLayout invert(const LinearLayout &layout) {
  std::optional<LinearLayout> inverse = layout.inverse();
  if (!inverse)
    fail("the layout cannot be inverted, because it is not one-to-one:", show(layout));
  return *inverse;
}

LinearLayout pseudoinvert(const LinearLayout &layout) {
  std::optional<LinearLayout> inverse = layout.pseudoInverse();
  if (!inverse)
    fail("the layout has no inverse, because it does not reach every element:", show(layout));
  return *inverse;
}

/// The map from the inputs of `layout` to those of `outer` that leads to the same element. An input with the same bases
/// in both goes to itself.
LinearLayout invertAndCompose(const LinearLayout &layout, const LinearLayout &outer) {
  checkSameNames(layout.outputs(), outer.outputs(), "the outputs of the layout and of the other");
  llvm::SmallVector<llvm::StringRef> order;
  for (const Output &output : layout.outputs()) {
    order.push_back(output.name);
    if (output.size > outer.outputSize(output.name))
      fail("the output `", output.name, "` has the size ", output.size, "; that of the other layout has only ",
           outer.outputSize(output.name));
  }
  LinearLayout ordered = outer.orderOutputs(order);
  std::optional<LinearLayout> solution = ordered.solve(layout);
  if (!solution)
    fail("the other layout does not hold every element that this one holds:", show(outer));
  return solution->mapBases([&](const Input &input, unsigned bit) {
    const Input *same = ordered.findInput(input.name);
    Basis basis = solution->findInput(input.name)->bases[bit];
    if (!same || same->bases != layout.findInput(input.name)->bases)
      return basis;
    for (auto [component, output] : llvm::zip_equal(basis, solution->outputs()))
      component = output.name == input.name ? int32_t(1) << bit : 0;
    return basis;
  });
}

nb::dict apply(const LinearLayout &layout, const nb::dict &given) {
  Point point;
  for (auto [key, value] : given) {
    std::string name = nb::cast<std::string>(key);
    int64_t index = nb::cast<int64_t>(value);
    const Input *input = layout.findInput(name);
    if (!input)
      fail("the layout has no input `", name, "`; it has [", llvm::join(namesOf(layout.inputs()), ", "), "]");
    if (index < 0 || index >= input->size())
      fail("the index ", index, " of `", name, "` is not below its size ", input->size());
    point.emplace_back(name, int32_t(index));
  }
  if (point.size() != layout.inputs().size())
    fail("an index is missing; the inputs are [", llvm::join(namesOf(layout.inputs()), ", "), "]");
  nb::dict result;
  for (const auto &[name, component] : layout.apply(point))
    result[name.c_str()] = component;
  return result;
}

/// A row for each bit of the outputs, a column for each bit of the inputs.
std::vector<std::vector<int>> matrixOf(const LinearLayout &layout) {
  std::vector<std::vector<int>> rows(layout.outputBits());
  for (uint64_t column : layout.columns())
    for (auto [bit, row] : llvm::enumerate(rows))
      row.push_back(int(column >> bit & 1));
  return rows;
}

NamedBases basesOf(const LinearLayout &layout) {
  NamedBases result;
  for (const Input &input : layout.inputs()) {
    std::vector<std::vector<int64_t>> bases;
    bases.reserve(input.bases.size());
    for (const Basis &basis : input.bases)
      bases.emplace_back(basis.begin(), basis.end());
    result.emplace_back(input.name, std::move(bases));
  }
  return result;
}

std::vector<std::pair<std::string, int32_t>> outputsOf(const LinearLayout &layout) {
  std::vector<std::pair<std::string, int32_t>> result;
  for (const Output &output : layout.outputs())
    result.emplace_back(output.name, output.size);
  return result;
}

std::string view(const LinearLayout &layout, bool wantsShared, bool useHWPointOfView) {
  if (!hasViews(layout) || wantsShared != (layout.findInput("offset") != nullptr))
    fail("this view needs the inputs [", wantsShared ? "offset, block" : "register, lane, warp, block",
         "] and at most 16384 places; the layout has [", llvm::join(namesOf(layout.inputs()), ", "), "]");
  return useHWPointOfView ? hardwareView(layout) : tensorView(layout);
}

/// The picture of a layout that has one, for notebooks; None otherwise, so that they show the text.
std::optional<std::string> picture(const LinearLayout &layout) {
  bool isShared = layout.findInput("offset");
  if (!hasViews(layout) || layout.outputs().empty() || countElements(layout) > largestDrawing)
    return std::nullopt;
  return drawSvg({layout, isShared ? "shared memory: places by bank" : "elements by warp and lane"});
}

} // namespace

void triton::python::registerLinearLayout(nb::module_ &module) {
  nb::class_<LinearLayout>(module, "LinearLayout", "A linear map from named indices to the coordinates of a tensor.")
      .def(nb::init<>())
      .def_static(
          "identity_1d",
          [](int64_t size, const std::string &in, const std::string &out) { return strided1d(size, 1, in, out); },
          nb::arg("size"), nb::arg("inDim"), nb::arg("outDim"))
      .def_static("strided_1d", &strided1d, nb::arg("size"), nb::arg("stride"), nb::arg("inDim"), nb::arg("outDim"))
      .def_static("zeros_1d", &zeros1d, nb::arg("size"), nb::arg("inDim"), nb::arg("outDim"), nb::arg("outDimSize") = 1)
      .def_static("from_bases", &fromBases, nb::arg("bases"), nb::arg("out_dim_names"),
                  nb::arg("out_dim_sizes").none() = nb::none(), nb::arg("require_surjective") = true)
      .def("apply", &apply, nb::arg("inputs"))
      .def("compose", &compose)
      .def("invert", &invert)
      .def("invert_and_compose", &invertAndCompose)
      .def("pseudoinvert", &pseudoinvert)
      .def("is_injective", &LinearLayout::isInjective)
      .def("is_surjective", &LinearLayout::isSurjective)
      .def("is_invertible", &LinearLayout::isInvertible)
      .def("get_in_dim_names", [](const LinearLayout &layout) { return namesOf(layout.inputs()); })
      .def("get_out_dim_names", [](const LinearLayout &layout) { return namesOf(layout.outputs()); })
      .def("get_matrix_view", &matrixOf)
      .def("get_shared_view", [](const LinearLayout &layout, bool hardware) { return view(layout, true, hardware); })
      .def("get_distributed_view",
           [](const LinearLayout &layout, bool hardware) { return view(layout, false, hardware); })
      .def_prop_ro("bases", &basesOf)
      .def_prop_ro("out_dims", &outputsOf)
      .def_prop_ro("num_in_dims", [](const LinearLayout &layout) { return layout.inputs().size(); })
      .def_prop_ro("num_out_dims", [](const LinearLayout &layout) { return layout.outputs().size(); })
      .def("__mul__", &multiply, nb::is_operator())
      .def("__imul__", &multiply, nb::is_operator())
      .def(nb::self == nb::self)
      .def(nb::self != nb::self)
      .def("__hash__", [](const LinearLayout &layout) { return nb::hash(nb::str(show(layout).c_str())); })
      .def("_repr_svg_", &picture)
      .def("__repr__", &show);
}
