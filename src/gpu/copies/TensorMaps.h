// Tensor maps of a function: arguments behind its own, which the launch passes.
#pragma once

#include "gpu/ir/Dialect.h"

#include "llvm/ADT/DenseMap.h"

namespace triton::ttg {

class TensorMaps {
public:
  explicit TensorMaps(tt::FuncOp function) : function(function) {}

  /// The map through which blocks that `map` describes, as `tt.mapped_load` does, are copied to and from buffers like
  /// `buffer`, which may hold a part of the columns or rows. So many `blocks` of a cluster each copy a part of it.
  mlir::Value get(mlir::DictionaryAttr map, MemDescType buffer, mlir::Location loc, unsigned blocks = 1);

  /// The same for boxes that are described as `map["block"]` is, of elements of this type.
  mlir::Value get(mlir::DictionaryAttr map, mlir::RankedTensorType box, NvmmaSharedEncodingAttr encoding,
                  mlir::Location loc);

  /// Whether a buffer has a part for each of them.
  static bool canShare(MemDescType buffer, unsigned blocks);

private:
  tt::FuncOp function;
  llvm::DenseMap<std::pair<mlir::Type, mlir::Attribute>, mlir::Value> maps;
};

} // namespace triton::ttg
