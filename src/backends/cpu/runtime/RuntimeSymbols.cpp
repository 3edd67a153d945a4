#include "backends/cpu/runtime/RuntimeSymbols.h"

#include "base/ForkSafeMutex.h"

#include <map>
#include <string>

namespace triton::cpu {
namespace {

base::ForkSafeMutex tableMutex;

struct SymbolTable {
  std::map<std::string, void *, std::less<>> addresses;
};

SymbolTable &symbolTable() {
  static SymbolTable table;
  return table;
}

} // namespace

void registerRuntimeSymbol(std::string_view name, void *address) {
  SymbolTable &table = symbolTable();
  std::lock_guard lock(tableMutex);
  table.addresses.insert_or_assign(std::string(name), address);
}

void *findRuntimeSymbol(std::string_view name) {
  SymbolTable &table = symbolTable();
  std::lock_guard lock(tableMutex);
  auto found = table.addresses.find(name);
  return found == table.addresses.end() ? nullptr : found->second;
}

} // namespace triton::cpu
