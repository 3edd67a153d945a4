// The bytes of a bundle.
#pragma once

#include "triton/bundle.h"

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace triton::aot {

/// Collects the tables of a bundle. The bytes follow from what is added and its order.
class BundleFormat {
public:
  BundleFormat() { text(""); }

  /// The place of a text, each of which is there once.
  uint32_t text(const std::string &value);
  /// Adds the code to a signature.
  void addCode(triton_bundle_file_signature &signature, const std::string &bytes);
  /// Bytes with a name, which no other item has.
  void addItem(const std::string &name, const std::string &bytes);

  /// The whole file, signed by the key unless that is empty.
  std::string finish(llvm::StringRef key = "") const;

  std::vector<triton_bundle_file_entry> entries;
  std::vector<triton_bundle_file_parameter> parameters;
  std::vector<triton_bundle_file_signature> signatures;
  std::vector<int64_t> words; ///< of tensor maps
  std::vector<uint32_t> arguments;
  std::vector<triton_bundle_condition> conditions;

private:
  /// Adds bytes behind the tables; their place there.
  uint64_t place(const std::string &bytes);

  std::string texts, codes;
  llvm::StringMap<uint32_t> places;
  std::map<std::string, triton_bundle_file_item> items; ///< by name, in the order of its bytes
};

} // namespace triton::aot
