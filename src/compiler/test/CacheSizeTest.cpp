#include "compiler/CacheSize.h"
#include "CompileFixture.h"
#include "compiler/Cache.h"

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace triton::compiler;

namespace {

class CacheSizeTest : public CompileFixture {
protected:
  std::string cache() const { return directory + "/cache"; }
  static std::string hash(char digit) { return std::string(64, digit); }

  /// Writes a kernel of about `size` bytes that was last used `hours` ago.
  void write(char digit, std::size_t size, int hours) {
    writeCacheEntry(cache(), hash(digit), "kernel", {{"json", "{}"}, {"o", std::string(size, digit)}});
    age(digit, hours);
  }
  void age(char digit, int hours) {
    auto time = std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours);
    for (const auto &file : std::filesystem::directory_iterator(cache() + "/" + cacheFolderName(hash(digit))))
      std::filesystem::last_write_time(file.path(), time);
  }
  bool has(char digit) { return std::filesystem::exists(cache() + "/" + cacheFolderName(hash(digit))); }
};

} // namespace

TEST_F(CacheSizeTest, SizesOfTheEnvironment) {
  EXPECT_EQ(parseCacheSize(""), 16ull << 30);
  EXPECT_EQ(parseCacheSize("0"), 0u);
  EXPECT_EQ(parseCacheSize("1234"), 1234u);
  EXPECT_EQ(parseCacheSize("500M"), 500ull << 20);
  EXPECT_EQ(parseCacheSize("3g"), 3ull << 30);
  for (const char *wrong : {"M", "-1", "1.5G", "lots", "99999999999999T"})
    EXPECT_FALSE(parseCacheSize(wrong)) << wrong;
}

TEST_F(CacheSizeTest, ListsFoldersByLastUse) {
  write('1', 1000, 3);
  write('2', 2000, 1);
  write('3', 3000, 2);
  std::filesystem::create_directories(cache() + "/something else");
  std::vector<CacheFolder> folders = listCacheFolders(cache());
  ASSERT_EQ(folders.size(), 3u);
  EXPECT_TRUE(llvm::StringRef(folders[0].path).ends_with(cacheFolderName(hash('2'))));
  EXPECT_TRUE(llvm::StringRef(folders[2].path).ends_with(cacheFolderName(hash('1'))));
  EXPECT_EQ(folders[0].names, std::vector<std::string>{"kernel"});
  EXPECT_GT(folders[0].size, 2000u);
  EXPECT_LT(totalSize(folders), 8000u);
}

TEST_F(CacheSizeTest, WhatWasNotUsedLongestGoesFirst) {
  write('1', 10000, 5);
  write('2', 10000, 4);
  write('3', 10000, 3);
  ASSERT_TRUE(readCacheEntry(cache(), hash('1'), "kernel")); // a use
  std::optional<PruneResult> result = pruneCache(cache(), 25000);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->removedFolders, 1u);
  EXPECT_TRUE(has('1') && !has('2') && has('3'));
  EXPECT_LT(result->size, 25000u);
  EXPECT_EQ(pruneCache(cache(), 25000)->removedFolders, 0u);
  EXPECT_EQ(pruneCache(cache(), 0)->removedFolders, 2u);
  EXPECT_TRUE(listCacheFolders(cache()).empty());
}

TEST_F(CacheSizeTest, AbandonedFoldersGo) {
  write('1', 100, 0);
  std::filesystem::create_directories(cache() + "/tmp.pid_1_AB/x");
  std::filesystem::create_directories(cache() + "/tmp.pid_2_CD");
  std::filesystem::last_write_time(cache() + "/tmp.pid_1_AB",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(pruneCache(cache(), 1 << 20));
  EXPECT_FALSE(std::filesystem::exists(cache() + "/tmp.pid_1_AB"));
  EXPECT_TRUE(std::filesystem::exists(cache() + "/tmp.pid_2_CD")) << "somebody writes there now";
}

TEST_F(CacheSizeTest, WritersKeepToTheLimit) {
  set("TRITON_CACHE_SIZE_LIMIT", "100K");
  const std::string digits = "0123456789abcdef";
  for (char digit : digits) {
    write(digit, 20000, 16);
    EXPECT_LE(totalSize(listCacheFolders(cache())), 100u << 10);
  }
  EXPECT_TRUE(has('f')) << "what was written last stays";
  EXPECT_FALSE(has('0'));
}

TEST_F(CacheSizeTest, ProcessesWriteReadAndPruneAtOnce) {
  set("TRITON_CACHE_SIZE_LIMIT", "64K");
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    pid_t child = fork();
    if (child == 0) {
      bool isIntact = true;
      for (int round = 0; round < 60; ++round) {
        char digit = "0123456789abcdef"[(round * 7 + process * 3) % 16];
        CacheEntry entry = {{"json", "{}"}, {"o", std::string(8000, digit)}};
        writeCacheEntry(cache(), hash(digit), "kernel", entry);
        std::optional<CacheEntry> found = readCacheEntry(cache(), hash(digit), "kernel");
        isIntact &= !found || *found == entry;
      }
      _exit(isIntact ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "a reader saw a part of a kernel";
  }
  pruneCache(cache(), 64 << 10);
  EXPECT_LE(totalSize(listCacheFolders(cache())), 64u << 10);
  for (const auto &entry : std::filesystem::directory_iterator(cache()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("tmp.removed")) << entry.path();
}
