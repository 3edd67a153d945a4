// The text of encodings, <{name = value, ...}>, and helpers that several encodings share.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/IR/DialectImplementation.h"

namespace triton::ttg {

/// Reads the fields of one encoding. The first error is kept and reported at the encoding.
class FieldReader {
public:
  using Part = llvm::function_ref<mlir::ParseResult()>;

  explicit FieldReader(mlir::AsmParser &parser) : FieldReader(parser, nothing) {}
  /// With text `before` and `after` the fields.
  FieldReader(mlir::AsmParser &parser, Part before, Part after = nothing);
  /// Without braces, `<name = value, ...>`, where there may be no field at all.
  static FieldReader withoutBraces(mlir::AsmParser &parser);

  unsigned integer(llvm::StringRef name);
  bool boolean(llvm::StringRef name);
  llvm::SmallVector<unsigned> integers(llvm::StringRef name);
  /// The number of coordinates of a basis. The list must not be empty.
  std::size_t rankOfBases(llvm::StringRef name);
  /// A list of lists of `rank` integers, as one sequence.
  llvm::SmallVector<int32_t> bases(llvm::StringRef name, std::size_t rank);
  /// How the blocks of a cluster share tensors of `rank`, in either form; empty for a single block.
  llvm::SmallVector<int32_t> blockBases(std::size_t rank);
  /// What stands in the braces of a field.
  FieldReader inner(llvm::StringRef name);
  mlir::Attribute attribute(llvm::StringRef name) { return field<mlir::Attribute>(name, "an attribute"); }
  bool has(llvm::StringRef name) const { return !failed && fields.get(name); }
  void fail(llvm::StringRef name, llvm::StringRef expected);
  explicit operator bool() const { return !failed; }

private:
  FieldReader(mlir::AsmParser &parser, llvm::SMLoc start) : parser(parser), start(start), failed(false) {}

  static mlir::ParseResult nothing() { return mlir::success(); }

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

/// What follows `#ttg.amd_rotating_shared`, Triton's name for rows that are swizzled once more in each group of rows.
mlir::Attribute parseRotatingShared(mlir::AsmParser &parser);

void printList(mlir::AsmPrinter &printer, llvm::StringRef name, llvm::ArrayRef<unsigned> values);
/// `name = [[...], ...]` with `rank` integers in each list.
void printBases(mlir::AsmPrinter &printer, llvm::StringRef name, llvm::ArrayRef<int32_t> bases, std::size_t rank);
/// `, CGALayout = ...`, or nothing for a single block.
void printBlockBases(mlir::AsmPrinter &printer, llvm::ArrayRef<int32_t> bases, std::size_t rank);

bool isPermutation(llvm::ArrayRef<unsigned> order);

/// Checks that each dimension is divided into a power of two of parts, and that every part belongs to a block.
llvm::LogicalResult verifyBlockBases(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                     llvm::ArrayRef<int32_t> bases, std::size_t rank);

/// The same for permuted dimensions: the new dimension i is the old dimension `order[i]`.
llvm::SmallVector<int32_t> permuteBlockBases(llvm::ArrayRef<int32_t> bases, llvm::ArrayRef<int32_t> order);

/// Where the registers and warps of a matrix unit's results are, in tiles; bases have `rank` numbers each.
layout::LinearLayout layoutOfTiles(unsigned rank, llvm::ArrayRef<int32_t> registerBases,
                                   llvm::ArrayRef<int32_t> warpBases);

/// `layout` with new outputs of the same total size, where elements keep their position in row-major order.
layout::LinearLayout reshapeRowMajor(const layout::LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

} // namespace triton::ttg
