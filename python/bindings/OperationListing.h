// A kernel's operations as Python sees them.
#pragma once

#include "compiler/OperationListing.h"

#include <memory>

namespace triton::python {

struct ListedModule {
  std::shared_ptr<const compiler::OperationListing> listing;
};

} // namespace triton::python
