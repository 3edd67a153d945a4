// Hears what passes say about the speed of a kernel (ir/Remarks.h).
#pragma once

#include "base/StageError.h"

#include "llvm/Support/JSON.h"

#include <functional>

namespace triton::compiler {

struct OptimizationRemark {
  enum class Kind : uint8_t { Decided, Missed, Found };
  Kind kind;
  std::string name, category;
  std::string text, reason, suggestion; ///< sentences; may be empty
  base::SourcePlace place;
  std::vector<base::SourcePlace> callers;
  base::SourcePlace cause;       ///< where the reason lies; line 0: at the place
  llvm::json::Object facts = {}; ///< by name

  /// As it is printed.
  base::StageMessage message() const;
};

/// The JSON of a place: its file, line and column.
llvm::json::Object toJson(const base::SourcePlace &place);

/// While alive, gets the remarks of a context.
class RemarkListener {
public:
  using Handler = std::function<void(OptimizationRemark)>;

  /// With `missedOnly`, others are not made.
  RemarkListener(mlir::MLIRContext &context, bool missedOnly, Handler handler);
  ~RemarkListener();
  RemarkListener(const RemarkListener &) = delete;
  RemarkListener &operator=(const RemarkListener &) = delete;

private:
  mlir::MLIRContext &context;
};

} // namespace triton::compiler
