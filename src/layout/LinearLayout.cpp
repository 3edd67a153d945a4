// Linear layouts: construction, parts, flattening, printing. Algebra.cpp contains the algebra.
#include "layout/LinearLayout.h"

#include "layout/Elimination.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace triton::layout {

unsigned Output::bits() const { return llvm::Log2_32(size); }

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// Whether the constructor's conditions hold. They are only asserted, because layouts come from the compiler itself.
[[maybe_unused]] static bool isWellFormed(ArrayRef<Input> inputs, ArrayRef<Output> outputs) {
  unsigned inputBits = 0, outputBits = 0;
  for (const Output &output : outputs) {
    if (output.size <= 0 || !llvm::isPowerOf2_32(output.size))
      return false;
    outputBits += output.bits();
    if (llvm::count_if(outputs, [&](const Output &other) { return other.name == output.name; }) != 1)
      return false;
  }
  for (const Input &input : inputs) {
    inputBits += input.bits();
    if (llvm::count_if(inputs, [&](const Input &other) { return other.name == input.name; }) != 1)
      return false;
    for (const Basis &basis : input.bases) {
      if (basis.size() != outputs.size())
        return false;
      for (auto [component, output] : llvm::zip_equal(basis, outputs))
        if (component < 0 || component >= output.size)
          return false;
    }
  }
  return inputBits <= 62 && outputBits <= 62;
}

LinearLayout::LinearLayout(ArrayRef<Input> inputs, ArrayRef<Output> outputs)
    : inputList(inputs.begin(), inputs.end()), outputList(outputs.begin(), outputs.end()) {
  assert(isWellFormed(inputs, outputs) &&
         "names repeat, a basis does not fit its outputs, or a size is not a power of two");
}

LinearLayout LinearLayout::identity(int32_t size, StringRef input, StringRef output) {
  Input in{input.str(), {}};
  for (int32_t bit = 1; bit < size; bit *= 2)
    in.bases.push_back({bit});
  return LinearLayout({in}, {Output{output.str(), size}});
}

LinearLayout LinearLayout::zeros(int32_t size, StringRef input, StringRef output, int32_t outputSize) {
  Input in{input.str(), {}};
  in.bases.assign(llvm::Log2_32(size), Basis{0});
  return LinearLayout({in}, {Output{output.str(), outputSize}});
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

template <typename List> static auto findByName(const List &list, StringRef name) -> decltype(list.begin()) {
  auto *found = llvm::find_if(list, [&](const auto &element) { return element.name == name; });
  return found == list.end() ? nullptr : found;
}

const Input *LinearLayout::findInput(StringRef name) const { return findByName(inputList, name); }
const Output *LinearLayout::findOutput(StringRef name) const { return findByName(outputList, name); }

int32_t LinearLayout::inputSize(StringRef name) const {
  const Input *input = findInput(name);
  return input ? input->size() : 1;
}

int32_t LinearLayout::outputSize(StringRef name) const {
  const Output *output = findOutput(name);
  return output ? output->size : 1;
}

unsigned LinearLayout::inputBits() const {
  unsigned bits = 0;
  for (const Input &input : inputList)
    bits += input.bits();
  return bits;
}

unsigned LinearLayout::outputBits() const {
  unsigned bits = 0;
  for (const Output &output : outputList)
    bits += output.bits();
  return bits;
}

Point LinearLayout::apply(const Point &point) const {
  Basis value(outputList.size(), 0);
  for (const auto &[name, index] : point) {
    const Input *input = findInput(name);
    if (!input) {
      assert(index == 0 && "no input of this name");
      continue;
    }
    assert(index >= 0 && index < input->size() && "the index is out of range");
    for (auto [bit, basis] : llvm::enumerate(input->bases))
      if (index >> bit & 1)
        for (auto [sum, component] : llvm::zip_equal(value, basis))
          sum ^= component;
  }
  Point result;
  for (auto [output, component] : llvm::zip_equal(outputList, value))
    result.emplace_back(output.name, component);
  return result;
}

unsigned LinearLayout::rank() const { return Span(columns()).rank(); }

Point LinearLayout::freeVariables() const {
  uint64_t free = Span(columns()).freeColumns();
  Point result;
  for (const Input &input : inputList) {
    result.emplace_back(input.name, int32_t(free & (uint64_t(input.size()) - 1)));
    free >>= input.bits();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Flattening
//===----------------------------------------------------------------------===//

SmallVector<uint64_t> LinearLayout::columns() const {
  SmallVector<uint64_t> result;
  for (const Input &input : inputList) {
    for (const Basis &basis : input.bases) {
      uint64_t column = 0;
      unsigned shift = 0;
      for (auto [output, component] : llvm::zip_equal(outputList, basis)) {
        column |= uint64_t(component) << shift;
        shift += output.bits();
      }
      result.push_back(column);
    }
  }
  return result;
}

/// The parts of a flattened coordinate.
static Basis unpack(uint64_t value, ArrayRef<Output> outputs) {
  Basis basis;
  for (const Output &output : outputs) {
    basis.push_back(int32_t(value & (uint64_t(output.size) - 1)));
    value >>= output.bits();
  }
  return basis;
}

LinearLayout LinearLayout::flattenInputs(StringRef name) const {
  return reshapeInputs({{name.str(), int32_t(1) << inputBits()}});
}

LinearLayout LinearLayout::flattenOutputs(StringRef name) const {
  return reshapeOutputs({Output{name.str(), int32_t(1) << outputBits()}});
}

LinearLayout LinearLayout::reshapeInputs(ArrayRef<std::pair<std::string, int32_t>> sizes) const {
  SmallVector<Basis> all;
  for (const Input &input : inputList)
    llvm::append_range(all, input.bases);
  ArrayRef<Basis> rest = all;
  SmallVector<Input> inputs;
  for (const auto &[name, size] : sizes) {
    unsigned bits = llvm::Log2_32(size);
    assert(bits <= rest.size() && "more bits than there are");
    inputs.push_back(Input{name, {rest.begin(), rest.begin() + bits}});
    rest = rest.drop_front(bits);
  }
  assert(rest.empty() && "fewer bits than there are");
  return LinearLayout(inputs, outputList);
}

LinearLayout LinearLayout::reshapeOutputs(ArrayRef<Output> outputs) const {
  SmallVector<uint64_t> flat = columns();
  SmallVector<Input> inputs(inputList.begin(), inputList.end());
  auto *column = flat.begin();
  for (Input &input : inputs)
    for (Basis &basis : input.bases)
      basis = unpack(*column++, outputs);
  LinearLayout result(inputs, outputs);
  assert(result.outputBits() == outputBits() && "the numbers of bits differ");
  return result;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::orderInputs(ArrayRef<StringRef> names) const {
  assert(names.size() == inputList.size() && "every input has its place");
  SmallVector<StringRef> outputNames =
      llvm::map_to_vector(outputList, [](const Output &o) { return StringRef(o.name); });
  return sublayout(names, outputNames);
}

LinearLayout LinearLayout::orderOutputs(ArrayRef<StringRef> names) const {
  assert(names.size() == outputList.size() && "every output has its place");
  SmallVector<StringRef> inputNames = llvm::map_to_vector(inputList, [](const Input &i) { return StringRef(i.name); });
  return sublayout(inputNames, names);
}

LinearLayout LinearLayout::sublayout(ArrayRef<StringRef> inputNames, ArrayRef<StringRef> outputNames) const {
  SmallVector<unsigned> places;
  SmallVector<Output> outputs;
  for (StringRef name : outputNames) {
    const Output *output = findOutput(name);
    assert(output && "no output of this name");
    places.push_back(output - outputList.begin());
    outputs.push_back(*output);
  }
  SmallVector<Input> inputs;
  for (StringRef name : inputNames) {
    const Input *input = findInput(name);
    assert(input && "no input of this name");
    Input part{input->name, {}};
    for (const Basis &basis : input->bases)
      part.bases.push_back(Basis(llvm::map_range(places, [&](unsigned place) { return basis[place]; })));
    inputs.push_back(std::move(part));
  }
  return LinearLayout(inputs, outputs);
}

bool LinearLayout::sublayoutIsZero(ArrayRef<StringRef> inputNames, ArrayRef<StringRef> outputNames) const {
  return llvm::all_of(sublayout(inputNames, outputNames).columns(), [](uint64_t column) { return column == 0; });
}

LinearLayout LinearLayout::removeZeroBases(StringRef name) const {
  SmallVector<Input> inputs(inputList.begin(), inputList.end());
  for (Input &input : inputs)
    if (input.name == name)
      llvm::erase_if(input.bases, [](const Basis &basis) { return llvm::all_of(basis, [](int32_t c) { return !c; }); });
  return LinearLayout(inputs, outputList);
}

LinearLayout LinearLayout::mapBases(llvm::function_ref<Basis(const Input &, unsigned)> transform) const {
  SmallVector<Input> inputs(inputList.begin(), inputList.end());
  for (auto [input, old] : llvm::zip_equal(inputs, inputList))
    for (unsigned bit = 0; bit < old.bits(); ++bit)
      input.bases[bit] = transform(old, bit);
  return LinearLayout(inputs, outputList);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const Input &input : inputList) {
    stream << input.name << ":";
    for (const Basis &basis : input.bases) {
      stream << " (";
      llvm::interleaveComma(basis, stream);
      stream << ")";
    }
    stream << "\n";
  }
  stream << "outputs:";
  for (const Output &output : outputList)
    stream << " " << output.name << " " << output.size;
  stream << "\n";
  return text;
}

/// The parts of a flattened index as `r3:l1`, by the first letters of the names.
static std::string describeIndex(uint64_t index, ArrayRef<Input> inputs) {
  std::string text;
  for (const Input &input : inputs) {
    text += (text.empty() ? "" : ":") + input.name.substr(0, 1) + std::to_string(index & (uint64_t(input.size()) - 1));
    index >>= input.bits();
  }
  return text;
}

std::string LinearLayout::table() const {
  // Elements in row-major order: the outputs are stored as dim0, dim1, ... and the last one runs along a line.
  SmallVector<std::string> cells(size_t(1) << outputBits());
  SmallVector<uint64_t> bases = columns();
  for (uint64_t index = 0; index < uint64_t(1) << inputBits(); ++index) {
    uint64_t flat = 0;
    for (auto [bit, column] : llvm::enumerate(bases))
      if (index >> bit & 1)
        flat ^= column;
    uint64_t cell = 0;
    for (auto [output, coordinate] : llvm::zip_equal(outputList, unpack(flat, outputList)))
      cell = cell * output.size + coordinate;
    cells[cell] += (cells[cell].empty() ? "" : "|") + describeIndex(index, inputList);
  }
  std::string text;
  int32_t lineLength = outputList.empty() ? 1 : outputList.back().size;
  for (auto [place, cell] : llvm::enumerate(cells)) {
    text += cell.empty() ? "-" : cell;
    text += (place + 1) % lineLength == 0 ? "\n" : ", ";
  }
  return text;
}

} // namespace triton::layout
