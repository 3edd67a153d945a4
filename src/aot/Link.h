// Joins variants of kernels, which are compiled ahead of time, into functions that choose one at each call.
#pragma once

#include "aot/Generate.h"

namespace triton::aot {

/// The text of a variant's header, and its name in messages.
struct HeaderText {
  std::string path, text;
};

/// ".h" and ".c": a function for each algorithm (values of constants, `num_warps` and `num_stages`) that takes the
/// first variant whose hints hold, those with more hints first; and functions that choose an algorithm. Throws Error,
/// which names file and line, for headers that are damaged or do not fit together.
std::vector<GeneratedFile> linkHeaders(const std::vector<HeaderText> &headers);

/// Reads the headers, except for results of linking, and writes `out` with these extensions; returns the paths. Throws
/// Error and then writes nothing.
std::vector<std::string> linkFiles(const std::vector<std::string> &headers, const std::string &out);

} // namespace triton::aot
