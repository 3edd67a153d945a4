// From the exceptions of the rooms to triton::Error.
#pragma once

#include "triton/triton.h"

#include "compiler/Compiler.h"
#include "frontend/Diagnostics.h"

namespace triton::api {

[[noreturn]] inline void throwLaunchError(const std::string &message) {
  throw Error(Error::Kind::Launch, "error: " + message, message);
}

inline Error toError(const frontend::DiagnosticError &error) {
  const frontend::Diagnostic &first = error.first();
  frontend::Location place = first.source ? first.source->location(first.range) : frontend::Location();
  return Error(Error::Kind::Source, error.str(), first.message, place.line, place.column);
}

/// Runs `body`; what the frontend and the compiler throw becomes triton::Error.
template <typename Body> auto translateErrors(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const frontend::DiagnosticError &error) {
    throw toError(error);
  } catch (const compiler::CompilationError &error) {
    throw Error(Error::Kind::Compile, error.what(), error.message, error.line, error.column);
  } catch (const compiler::InternalError &error) {
    throw Error(Error::Kind::Internal, error.what(), error.what());
  } catch (const compiler::LaunchError &error) {
    throw Error(Error::Kind::Run, std::string("error: ") + error.what(), error.what());
  }
}

} // namespace triton::api
