// The text of encodings, <{name = value, ...}>, and what several of them share.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/IR/DialectImplementation.h"

namespace triton::ttg {

/// Reads the fields of one encoding; the first error sticks and is reported at the encoding.
class FieldReader {
public:
  explicit FieldReader(mlir::AsmParser &parser);

  unsigned integer(llvm::StringRef name);
  bool boolean(llvm::StringRef name);
  llvm::SmallVector<unsigned> integers(llvm::StringRef name);
  /// How many coordinates a basis has; the list must not be empty.
  std::size_t rankOfBases(llvm::StringRef name);
  /// A list of lists of `rank` integers, one after the other.
  llvm::SmallVector<int32_t> bases(llvm::StringRef name, std::size_t rank);
  /// How the blocks of a cluster share tensors of `rank`, in either form; none for one block.
  llvm::SmallVector<int32_t> blockBases(std::size_t rank);
  mlir::Attribute attribute(llvm::StringRef name) { return field<mlir::Attribute>(name, "an attribute"); }
  bool has(llvm::StringRef name) const { return !failed && fields.get(name); }
  void fail(llvm::StringRef name, llvm::StringRef expected);
  explicit operator bool() const { return !failed; }

private:
  template <typename T> T field(llvm::StringRef name, llvm::StringRef expected) {
    if (failed)
      return {};
    auto value = mlir::dyn_cast_or_null<T>(fields.get(name));
    if (!value)
      fail(name, expected);
    return value;
  }

  mlir::AsmParser &parser;
  llvm::SMLoc start;
  mlir::DictionaryAttr fields;
  bool failed;
};

void printList(mlir::AsmPrinter &printer, llvm::StringRef name, llvm::ArrayRef<unsigned> values);
/// `name = [[...], ...]` with `rank` integers in each list.
void printBases(mlir::AsmPrinter &printer, llvm::StringRef name, llvm::ArrayRef<int32_t> bases, std::size_t rank);
/// `, CGALayout = ...`, or nothing for one block.
void printBlockBases(mlir::AsmPrinter &printer, llvm::ArrayRef<int32_t> bases, std::size_t rank);

bool isPermutation(llvm::ArrayRef<unsigned> order);

/// Each dimension is cut into a power of two of parts, and all of them are given away.
llvm::LogicalResult verifyBlockBases(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                     llvm::ArrayRef<int32_t> bases, std::size_t rank);

/// The same for dimensions of which number i was number `order[i]`.
llvm::SmallVector<int32_t> permuteBlockBases(llvm::ArrayRef<int32_t> bases, llvm::ArrayRef<int32_t> order);

} // namespace triton::ttg
