#include "compiler/ContextPool.h"
#include "compiler/BackendRegistry.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace triton;
using namespace triton::compiler;

namespace {

/// Whether a context is an earlier one shows a setting that a new one does not have.
class ContextPoolTest : public testing::Test {
protected:
  static const backends::Backend &backend() { return *findBackend("cpu"); }

  /// Borrows a context. Returns whether it is marked, and marks it.
  static bool borrow(bool givesBack) {
    BorrowedContext borrowed(backend());
    bool wasMarked = borrowed.get().allowsUnregisteredDialects();
    borrowed.get().allowUnregisteredDialects(true);
    if (givesBack)
      borrowed.giveBack();
    return wasMarked;
  }

  using Many = std::vector<std::unique_ptr<BorrowedContext>>;
  static constexpr int moreThanWait = 10;

  static Many borrowMany() {
    Many all;
    for (int i = 0; i < moreThanWait; ++i)
      all.push_back(std::make_unique<BorrowedContext>(backend()));
    return all;
  }

  /// Takes what other tests have left, and keeps it.
  void SetUp() override { borrowMany(); }
};

TEST_F(ContextPoolTest, UsesAgainWhatIsGivenBack) {
  EXPECT_FALSE(borrow(/*givesBack=*/true));
  EXPECT_TRUE(borrow(/*givesBack=*/true));
}

TEST_F(ContextPoolTest, ForgetsTheContextOfAFailure) {
  EXPECT_FALSE(borrow(/*givesBack=*/false));
  EXPECT_FALSE(borrow(/*givesBack=*/true));
}

TEST_F(ContextPoolTest, LendsAContextToOneAtATime) {
  EXPECT_FALSE(borrow(/*givesBack=*/true));
  BorrowedContext first(backend()), second(backend());
  EXPECT_TRUE(first.get().allowsUnregisteredDialects());
  EXPECT_FALSE(second.get().allowsUnregisteredDialects());
}

TEST_F(ContextPoolTest, DestroysAContextAfterManyUses) {
  int uses = 1;
  EXPECT_FALSE(borrow(/*givesBack=*/true));
  while (uses < 1000 && borrow(/*givesBack=*/true))
    ++uses;
  EXPECT_EQ(uses, 32);
}

TEST_F(ContextPoolTest, KeepsFewContextsWaiting) {
  for (std::unique_ptr<BorrowedContext> &borrowed : borrowMany()) {
    borrowed->get().allowUnregisteredDialects(true);
    borrowed->giveBack();
  }
  int waiting = 0;
  while (waiting < moreThanWait && borrow(/*givesBack=*/false))
    ++waiting;
  EXPECT_EQ(waiting, 4);
}

} // namespace
