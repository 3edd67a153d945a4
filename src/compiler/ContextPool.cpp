#include "compiler/ContextPool.h"

#include "frontend/lowering/LowerKernel.h"
#include "gpu/ir/Dialect.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

using namespace triton;
using namespace triton::compiler;

/// A context keeps every type, attribute and location that was made in it until it is destroyed.
static constexpr unsigned mostUses = 32;
/// More are there only while many threads compile.
static constexpr std::size_t mostWaiting = 4;

namespace {

struct Pool {
  mlir::DialectRegistry registry; ///< filling one costs more than making a context
  std::vector<std::pair<std::unique_ptr<mlir::MLIRContext>, unsigned>> waiting; ///< each with how often it was used
};

struct Pools {
  std::mutex mutex;
  std::map<const backends::Backend *, Pool> pools;
};

} // namespace

/// Never destroyed, because threads may outlive main.
static Pools &allPools() {
  static auto *pools = new Pools;
  return *pools;
}

/// The caller holds the mutex.
static Pool &poolOf(const backends::Backend &backend) {
  auto [it, isNew] = allPools().pools.try_emplace(&backend);
  if (isNew) {
    mlir::DialectRegistry &registry = it->second.registry;
    frontend::registerFrontendDialects(registry);
    registry.insert<ttg::TritonGPUDialect>(); // Triton's TTIR contains barriers of this dialect, whatever its target.
    backend.registerDialects(registry);
  }
  return it->second;
}

BorrowedContext::BorrowedContext(const backends::Backend &backend) : backend(backend) {
  const mlir::DialectRegistry *registry = nullptr;
  {
    std::lock_guard lock(allPools().mutex);
    Pool &pool = poolOf(backend);
    registry = &pool.registry;
    if (!pool.waiting.empty()) {
      std::tie(context, uses) = std::move(pool.waiting.back());
      pool.waiting.pop_back();
      return;
    }
  }
  context = std::make_unique<mlir::MLIRContext>(*registry, mlir::MLIRContext::Threading::DISABLED);
  uses = 0;
}

BorrowedContext::~BorrowedContext() {
  if (!isGivenBack || ++uses == mostUses)
    return;
  std::lock_guard lock(allPools().mutex);
  Pool &pool = poolOf(backend);
  if (pool.waiting.size() < mostWaiting)
    pool.waiting.emplace_back(std::move(context), uses);
}
