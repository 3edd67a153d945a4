// Passes over LLVM IR on the command line of triton-opt.
#pragma once

#include <optional>
#include <string>

/// Runs the passes over LLVM IR that the arguments name, in their order, and prints the module. Returns the exit
/// status, or nothing if the arguments name none.
std::optional<int> runLlvmPasses(int argc, char **argv);

/// Their flags with what they do, a line each.
std::string listLlvmPasses();
