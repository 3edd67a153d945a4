// Watches a lowering, as editors need it: which values names have, and every error rather than the first.
#pragma once

#include "base/Diagnostics.h"
#include "base/Source.h"
#include "frontend/Object.h"

namespace triton::frontend {

class Value;

/// A lowering with an observer does not end at an error. It reports the error here, leaves the statement out, and
/// treats the names that the statement assigns as unknown: statements that read them are left out in silence. The
/// module that results is of no use.
class LoweringObserver {
public:
  virtual ~LoweringObserver() = default;

  /// The expression at `range`, or the name that is assigned there, has this value. Repeated for each specialization
  /// of a function and for each repetition of a loop's body.
  virtual void onValue(const base::Source &source, base::SourceRange range, const Value &value) = 0;
  /// An error or a warning.
  virtual void onDiagnostic(const base::Diagnostic &diagnostic) = 0;
  /// The construct at `range` was left out because it reads an unknown name.
  virtual void onLeftOut(const base::Source &source, base::SourceRange range) = 0;
};

} // namespace triton::frontend
