// The bytes of a bundle.
#pragma once

#include "triton/bundle.h"

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace triton::aot {

/// Collects the tables of a bundle. The bytes follow from what is added and its order.
class BundleFormat {
public:
  BundleFormat() { text(""); }

  /// The place of a text, each of which is there once.
  uint32_t text(const std::string &value);
  /// The place of code, which `finish` makes that of the file.
  uint64_t code(const std::string &bytes);

  /// The whole file.
  std::string finish() const;

  std::vector<triton_bundle_file_entry> entries;
  std::vector<triton_bundle_file_parameter> parameters;
  std::vector<triton_bundle_file_signature> signatures;
  std::vector<int64_t> words; ///< of tensor maps
  std::vector<uint32_t> arguments;
  std::vector<triton_bundle_condition> conditions;

private:
  std::string texts, codes;
  llvm::StringMap<uint32_t> places;
};

} // namespace triton::aot
