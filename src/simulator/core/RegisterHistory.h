// What asynchronous matrix products of a warp have to do with its registers: which of them they still write, and which
// were written by other instructions since the last fence that orders the two.
#pragma once

#include "simulator/core/Program.h"

#include "llvm/ADT/DenseMap.h"

namespace triton::simulator {

class RegisterHistory {
public:
  struct Record {
    uint32_t group = 0;    ///< of products, to which the last that writes the register belongs; 0: another instruction
    uint32_t shape = 0;    ///< of that product
    uint32_t location = 0; ///< and its place
    uint32_t fences = 0;   ///< how many fences had been executed before the register was written
  };

  /// The record of a register, if it is known when it was written. Constants have none.
  const Record *find(RegisterOffset offset) const {
    auto found = records.find(offset);
    return found == records.end() ? nullptr : &found->second;
  }
  void set(RegisterOffset offset, const Record &record) { records[offset] = record; }
  /// Registers that receive the values of others, all at once: they are the same to products.
  void copy(llvm::ArrayRef<std::pair<RegisterOffset, RegisterOffset>> toFrom) {
    llvm::SmallVector<std::optional<Record>, 8> copied;
    for (auto [to, from] : toFrom) {
      const Record *record = find(from);
      copied.push_back(record ? std::optional(*record) : std::nullopt);
    }
    for (auto [pair, record] : llvm::zip_equal(toFrom, copied)) {
      if (record)
        records[pair.first] = *record;
      else
        records.erase(pair.first);
    }
  }

private:
  llvm::DenseMap<RegisterOffset, Record> records;
};

/// The asynchronous products of a warp. They are done in groups, one after the other, as the work of its warp group.
struct AsynchronousProducts {
  /// The group that the warp adds products to. Its number is the time of the agent.
  uint32_t openGroup() const { return committed + 1; }
  /// Whether a product may still write the register.
  bool isInFlight(const RegisterHistory::Record &record) const { return record.group > settled; }

  uint32_t committed = 0, settled = 0; ///< groups: closed by a commit, and waited for
  uint32_t fences = 0;                 ///< that order registers before products
  RegisterHistory registers;
};

} // namespace triton::simulator
