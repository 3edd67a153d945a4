// Launches that TRITON_RECORD has written, as the page of `tritonc explore` asks for them.
#pragma once

#include "Commands.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"

namespace tritonc {

/// The launches of files. Python reads them (python/triton/tools/recorded_launches.py), and writes the contents of
/// their arrays into a folder that lives as long as this object.
class RecordedLaunches {
public:
  /// Throws UsageError where a file is not one of a launch, or Python does not answer.
  RecordedLaunches(const std::vector<std::string> &files, const KernelOptions &options);
  ~RecordedLaunches();
  RecordedLaunches(const RecordedLaunches &) = delete;
  RecordedLaunches &operator=(const RecordedLaunches &) = delete;

  /// The arrays' files, which the destructor removes, too.
  void removeFiles() const;

  /// {"text", "values", "num_warps", "num_stages", "grid", "arguments"} for each launch of a kernel; of any for an
  /// empty name.
  llvm::json::Array of(llvm::StringRef kernel) const;

private:
  void read(const std::vector<std::string> &files, const KernelOptions &options);

  llvm::SmallString<128> folder; ///< empty: there are no files
  llvm::json::Array launches;
};

} // namespace tritonc
