#include "backends/cpu/codegen/Lanes.h"

#include "ir/UserNames.h"

using namespace mlir;

namespace triton::cpu {

void reportUnsupported(Operation *op) {
  op->emitError() << "not supported on cpu yet: " << tt::describeUnsupported(op);
}

} // namespace triton::cpu
