// How encodings follow from the operations of dialect tt. The dialect that defines the encodings implements the
// interface. For a tensor without an encoding, results have none either.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"

namespace triton::tt {

/// Each method returns the encoding of the result of an operation on a tensor of `shape` with `encoding`, such that no
/// data moves. Null when there is no such encoding.
class EncodingInferenceInterface : public mlir::DialectInterface::Base<EncodingInferenceInterface> {
public:
  EncodingInferenceInterface(mlir::Dialect *dialect) : Base(dialect) {}

  virtual mlir::Attribute reduce(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding, unsigned axis) const = 0;
  virtual mlir::Attribute expandDims(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding, unsigned axis) const = 0;
  virtual mlir::Attribute transpose(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding,
                                    llvm::ArrayRef<int32_t> order) const = 0;
  virtual mlir::Attribute reshape(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding,
                                  llvm::ArrayRef<int64_t> newShape) const = 0;
  virtual mlir::Attribute join(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding) const = 0;
  virtual mlir::Attribute split(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding) const = 0;

  /// Whether both encodings of a tensor of `shape` place its elements in the same way.
  virtual bool areEquivalent(llvm::ArrayRef<int64_t> shape, mlir::Attribute left, mlir::Attribute right) const = 0;
};

/// A tensor of `shape` with the elements of `like`. `infer` derives its encoding from that of `like`.
inline mlir::RankedTensorType
inferTensorType(mlir::RankedTensorType like, llvm::ArrayRef<int64_t> shape,
                llvm::function_ref<mlir::Attribute(const EncodingInferenceInterface &)> infer) {
  mlir::Attribute encoding = like.getEncoding();
  if (encoding)
    encoding = infer(*encoding.getDialect().getRegisteredInterface<EncodingInferenceInterface>());
  return mlir::RankedTensorType::get(shape, like.getElementType(), encoding);
}

} // namespace triton::tt
