// Converts the exceptions of the rooms to triton::Error.
#pragma once

#include "triton/triton.h"

#include "base/Diagnostics.h"
#include "compiler/Compiler.h"

namespace triton::api {

[[noreturn]] inline void throwLaunchError(const std::string &message) {
  throw Error(Error::Kind::Launch, "error: " + message, message);
}

inline Error toError(const base::DiagnosticError &error) {
  const base::Diagnostic &first = error.first();
  base::Location place = first.source ? first.source->location(first.range) : base::Location();
  return Error(Error::Kind::Source, error.str(), first.message, place.line, place.column);
}

/// Runs `body`; what the frontend and the compiler throw becomes triton::Error.
template <typename Body> auto translateErrors(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const base::DiagnosticError &error) {
    throw toError(error);
  } catch (const base::CompilationError &error) {
    throw Error(Error::Kind::Compile, error.what(), error.message, error.line, error.column);
  } catch (const base::CompilationAbandoned &) {
    throw Error(Error::Kind::Run, "error: the compilation was given up because the process ends",
                "the compilation was given up because the process ends");
  } catch (const base::InternalError &error) {
    throw Error(Error::Kind::Internal, error.what(), error.what());
  } catch (const base::LaunchError &error) {
    throw Error(Error::Kind::Run, std::string("error: ") + error.what(), error.what());
  }
}

} // namespace triton::api
