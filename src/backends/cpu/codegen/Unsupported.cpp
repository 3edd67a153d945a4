#include "backends/cpu/codegen/Lanes.h"

#include "ir/Dialect.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace triton::cpu {

/// What the user wrote for an operation of the dialect tt.
static llvm::StringRef userName(llvm::StringRef operation) {
  return llvm::StringSwitch<llvm::StringRef>(operation)
      .Case("tt.dot_scaled", "tl.dot_scaled")
      .Case("tt.elementwise_inline_asm", "tl.inline_asm_elementwise")
      .Case("tt.extern_elementwise", "tl.extra.libdevice")
      .Case("tt.map_elementwise", "tl.map_elementwise")
      .Case("tt.call", "a call of a `noinline` function")
      .Cases({"tt.descriptor_load", "tt.descriptor_gather"}, "tl.load_tensor_descriptor")
      .Cases({"tt.descriptor_store", "tt.descriptor_scatter"}, "tl.store_tensor_descriptor")
      .Case("tt.descriptor_reduce", "tl.tensor_descriptor.atomic_add")
      .Case("tt.make_tensor_descriptor", "tl.make_tensor_descriptor")
      .Case("tt.make_tensor_ptr", "tl.make_block_ptr")
      .Case("tt.advance", "tl.advance")
      .Default(operation);
}

void reportUnsupported(Operation *op) {
  op->emitError() << "not supported on cpu yet: `" << userName(op->getName().getStringRef()) << "`";
}

} // namespace triton::cpu
