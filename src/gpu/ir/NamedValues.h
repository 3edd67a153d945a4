// The values of a text of TTGIR that have layouts, by the names that the text gives them.
#pragma once

#include "gpu/ir/Dialect.h"

#include <optional>
#include <string>
#include <vector>

namespace triton::ttg {

/// A tensor or buffer type with a layout.
struct LaidOutType {
  mlir::Type type;

  /// The encoding of a tensor or buffer; null for all other types, which have no layout.
  static mlir::Attribute encodingOf(mlir::Type type);

  mlir::Attribute encoding() const { return encodingOf(type); }
  /// The shape of one buffer, if there are several, one after another.
  llvm::ArrayRef<int64_t> shape() const {
    return llvm::cast<mlir::ShapedType>(type).getShape().take_back(getEncodingRank(encoding()));
  }
  mlir::Type element() const { return llvm::cast<mlir::ShapedType>(type).getElementType(); }
  /// Pointers have 64 bits.
  unsigned elementBits() const { return element().isIntOrFloat() ? element().getIntOrFloatBitWidth() : 64; }
  layout::LinearLayout linear() const { return toLinearLayout(shape(), encoding()); }
};

struct NamedValue {
  std::string name; ///< such as "%acc", or "%acc#1" for one of several results
  LaidOutType type;
};

/// Loads what a text of TTGIR is parsed with.
void loadTextDialects(mlir::MLIRContext &context);

/// In the order of the text: arguments of blocks first, then results. Nothing when the text does not parse, which is an
/// error of `context`. The context has the dialects of `loadTextDialects`.
std::optional<std::vector<NamedValue>> parseNamedValues(llvm::StringRef text, mlir::MLIRContext &context);

} // namespace triton::ttg
