// How asynchronous matrix products of a warp affect its registers: which registers they still write, and which
// registers other instructions have written since the last fence that orders the two.
#pragma once

#include "simulator/core/Program.h"

#include <optional>
#include <vector>

namespace triton::simulator {

class RegisterHistory {
public:
  struct Record {
    uint32_t group = 0;    ///< the group of the last product that writes the register; 0: another instruction
    uint32_t shape = 0;    ///< of that product
    uint32_t location = 0; ///< the place of that product
    uint32_t fences = 0;   ///< how many fences were executed before the register was written
    bool isKnown = false;  ///< set by the history
  };

  /// The record of a register, or null if it is not known when the register was written. Constants have none.
  const Record *find(RegisterOffset offset) const {
    std::size_t number = offset / registerAlignment;
    return number < records.size() && records[number].isKnown ? &records[number] : nullptr;
  }
  void set(RegisterOffset offset, Record record) {
    if (offset & constantBit)
      return;
    std::size_t number = offset / registerAlignment;
    if (number >= records.size())
      records.resize(number + 1);
    record.isKnown = true;
    records[number] = record;
  }
  /// Registers that receive the values of others, all at once. For products they are the same registers.
  void copy(llvm::ArrayRef<std::pair<RegisterOffset, RegisterOffset>> toFrom) {
    llvm::SmallVector<std::optional<Record>, 8> copied;
    for (auto [to, from] : toFrom) {
      const Record *record = find(from);
      copied.push_back(record ? std::optional(*record) : std::nullopt);
    }
    for (auto [pair, record] : llvm::zip_equal(toFrom, copied)) {
      if (record)
        set(pair.first, *record);
      else if (std::size_t number = pair.first / registerAlignment; number < records.size())
        records[number].isKnown = false;
    }
  }

private:
  std::vector<Record> records; ///< by the number of the register: its offset in units of its alignment
};

/// The asynchronous products of a warp. Its warp group does them in groups, one after another.
struct AsynchronousProducts {
  /// The group to which the warp adds products. Its number is the time of the agent.
  uint32_t openGroup() const { return committed + 1; }
  /// Whether a product may still write the register.
  bool isInFlight(const RegisterHistory::Record &record) const { return record.group > settled; }

  uint32_t committed = 0, settled = 0; ///< groups that a commit closed, and groups that the warp waited for
  uint32_t fences = 0;                 ///< those that order registers before products
  RegisterHistory registers;
};

} // namespace triton::simulator
