// Tensor maps that a launch makes for descriptors of a kernel.
#pragma once

#include "analysis/AxisInfo.h"
#include "ir/Dialect.h"

#include <optional>

namespace triton::ttg {

/// What a launch needs to know to make a map for `descriptor`, as `tt.mapped_load` describes it, and the argument of
/// the kernel that the base derives from.
struct DescriptorMap {
  mlir::DictionaryAttr map;
  mlir::BlockArgument base;
  bool hasWholePieces; ///< rows are known to end at a multiple of 16 bytes
};

/// Whether the array of a descriptor begins at multiples of 16 bytes, and so do its rows.
enum class MapAlignment {
  Analyzed, ///< if that follows from what is known of the arguments
  Promised, ///< as the kernel says by making a map itself; the launch refuses other addresses, and strides that it
            ///< computes
};

/// None, and why in `obstacle`, where the launch cannot compute it, or the map would break the rules of bulk copies.
std::optional<DescriptorMap> describeMap(tt::MakeTensorDescOp descriptor, MapAlignment alignment,
                                         llvm::StringRef &obstacle);

/// Whether a block of `descriptor` that begins at `indices` begins at a multiple of 16 bytes of its rows: copies fault
/// where it does not.
bool beginsAligned(mlir::Value descriptor, mlir::ValueRange indices, const analysis::AxisInfoAnalysis &axisInfo);

/// Whether blocks of `descriptor` are matrices like `tensor`, perhaps with dimensions of extent 1 before, that lie in
/// shared memory as bulk copies move them.
bool hasCopiedShape(mlir::Value descriptor, mlir::RankedTensorType tensor);

/// Says why `access` of a descriptor is not a bulk copy, and where `cause` is, which may be null.
void reportPointers(mlir::Operation *access, llvm::StringRef obstacle, mlir::Operation *cause);

} // namespace triton::ttg
