// Reads arguments in the spelling of the command line.
#pragma once

#include "triton/triton.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tritonc {

/// The items of a signature or of a list of arguments, none of them empty.
llvm::SmallVector<llvm::StringRef> splitItems(llvm::StringRef signature);

/// An array that `run` makes for an argument.
struct Array {
  std::string name;
  triton::DataType dtype;
  std::vector<int64_t> shape;
  std::vector<char> bytes; ///< with room to align
  void *data = nullptr;    ///< 64-byte aligned, within `bytes`
  int64_t elementCount = 0;
  std::optional<triton::DeviceBuffer> device; ///< its copy on a GPU
};

/// A list of arguments together with what they point to.
class ArgumentList {
public:
  /// With `onDevice`, arrays are copied to the current GPU. The contents of random arrays follow from `seed`
  /// and their names.
  explicit ArgumentList(triton::Module module, bool onDevice = false, uint64_t seed = 0)
      : module(std::move(module)), onDevice(onDevice), seed(seed) {}

  /// Adds the items of a signature: `TYPE`, `TYPE:16`, `TYPE:1`, a constant, or `name=constant`. Constants are
  /// Python's: 64, 0.5, True, None, "text", tl.float16, the name of a kernel in the file, or an expression over its
  /// names.
  void addSignature(const std::string &signature);
  /// Adds `name=value`: a number, another constant, or an array as `FILL:TYPE[N, M]` with FILL one of rand, randn,
  /// zeros, ones, arange, empty (holding NaN or -1), a number, or `@` and a file that holds the elements. TYPE may be a
  /// descriptor, as in `x=rand:tensordesc<fp16[64, 64]>[256, 128]`, of an array that lies in memory row by row.
  void addValue(const std::string &argument);

  const std::vector<triton::Argument> &arguments() const { return list; }
  const std::deque<Array> &arrays() const { return arrayStore; }
  /// Copies the arrays back if they are on a device.
  void download();

private:
  void addConstant(const std::string &name, const std::string &text);
  void addArray(const std::string &name, const std::string &fill, const std::string &type);

  triton::Module module;
  bool onDevice;
  uint64_t seed;
  std::vector<triton::Argument> list;
  std::deque<std::string> texts; // deques, because arguments point into them
  std::deque<triton::Constant> constants;
  std::deque<triton::TypeOnly> types;
  std::deque<triton::TensorDescriptor> descriptors;
  std::deque<Array> arrayStore;
};

/// The elements of an array.
std::string_view bytesOf(const Array &array);
/// One element of an array as a number.
double readElement(const Array &array, int64_t index);
/// "fp32", ...
std::string typeName(triton::DataType dtype);

} // namespace tritonc
