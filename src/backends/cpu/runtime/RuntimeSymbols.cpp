#include "backends/cpu/runtime/RuntimeSymbols.h"

#include <map>
#include <mutex>
#include <string>

namespace triton::cpu {
namespace {

struct SymbolTable {
  std::mutex mutex;
  std::map<std::string, void *, std::less<>> addresses;
};

SymbolTable &symbolTable() {
  static SymbolTable table;
  return table;
}

} // namespace

void registerRuntimeSymbol(std::string_view name, void *address) {
  SymbolTable &table = symbolTable();
  std::lock_guard lock(table.mutex);
  table.addresses.insert_or_assign(std::string(name), address);
}

void *findRuntimeSymbol(std::string_view name) {
  SymbolTable &table = symbolTable();
  std::lock_guard lock(table.mutex);
  auto found = table.addresses.find(name);
  return found == table.addresses.end() ? nullptr : found->second;
}

} // namespace triton::cpu
