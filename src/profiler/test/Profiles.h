// Reads profiles in tests.
#pragma once

#include "llvm/Support/JSON.h"

#include <initializer_list>
#include <string>

namespace triton::profiling {

/// The metrics below these names in the tree, as text; "absent".
inline std::string metricsAt(const std::string &text, std::initializer_list<const char *> path) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  const llvm::json::Object *node = (*value.getAsArray())[0].getAsObject();
  for (const char *name : path) {
    const llvm::json::Object *found = nullptr;
    for (const llvm::json::Value &child : *node->getArray("children"))
      if (child.getAsObject()->getObject("frame")->getString("name") == name)
        found = child.getAsObject();
    if (!found)
      return "absent";
    node = found;
  }
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << llvm::json::Value(llvm::json::Object(*node->getObject("metrics")));
  return result;
}

} // namespace triton::profiling
