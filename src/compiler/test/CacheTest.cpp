#include "compiler/Cache.h"
#include "CompileFixture.h"
#include "base/FileStem.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace triton::compiler;

namespace {

class CacheTest : public CompileFixture {
protected:
  std::string cache() const { return directory + "/cache"; }
  std::string file(const char *extension) {
    for (const std::string &path : filesBelow(cache()))
      if (llvm::StringRef(path).ends_with(std::string("/kernel.") + extension))
        return path;
    ADD_FAILURE() << "no file of the extension " << extension;
    return "";
  }
};

const std::string hash(64, '5');

} // namespace

TEST_F(CacheTest, FolderNameIsUnpaddedBase32) {
  // RFC 4648's "foobar".
  EXPECT_EQ(cacheFolderName("666f6f626172"), "MZXW6YTBOI");
  EXPECT_EQ(cacheFolderName("66"), "MY");
  EXPECT_EQ(cacheFolderName(hash).size(), 52u);
}

TEST_F(CacheTest, EntriesReadBackAsWritten) {
  CacheEntry entry = {{"json", "{}"}, {"o", std::string("\0\x7f\xff binary", 10)}, {"ttir", "module {}\n"}};
  writeCacheEntry(cache(), hash, "kernel", entry);
  EXPECT_EQ(readCacheEntry(cache(), hash, "kernel"), entry);
  EXPECT_FALSE(readCacheEntry(cache(), std::string(64, '6'), "kernel"));
  EXPECT_FALSE(readCacheEntry(cache(), hash, "other"));
  EXPECT_EQ(filesBelow(cache()).size(), 4u) << "no temporary file may stay";
}

TEST_F(CacheTest, DirectoriesAreTheUsersAlone) {
  writeCacheEntry(cache(), hash, "kernel", {{"json", "{}"}});
  struct stat status;
  ASSERT_EQ(stat((cache() + "/" + cacheFolderName(hash)).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(cache().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(CacheTest, NamesCannotLeaveTheFolder) {
  EXPECT_EQ(fileStem("../../etc/passwd").find('/'), std::string::npos);
  EXPECT_EQ(fileStem(std::string(500, 'k')).size(), 150u);
}

TEST_F(CacheTest, DamageOfAnyFileIsAMiss) {
  CacheEntry entry = {{"json", "{\"a\": 1}"}, {"o", "0123456789"}};
  for (const char *victim : {"kernel.o", "kernel.json", "__grp__kernel.json"}) {
    for (int damage = 0; damage < 4; ++damage) {
      writeCacheEntry(cache(), hash, "kernel", entry);
      ASSERT_TRUE(readCacheEntry(cache(), hash, "kernel"));
      std::string path = cache() + "/" + cacheFolderName(hash) + "/" + victim;
      std::string bytes = read(path);
      if (damage == 0)
        write(path, bytes.substr(0, bytes.size() / 2));
      else if (damage == 1)
        write(path, "");
      else if (damage == 2)
        write(path, std::string("\0garbage", 8) + bytes);
      else
        llvm::sys::fs::remove(path);
      EXPECT_FALSE(readCacheEntry(cache(), hash, "kernel")) << victim << ", damage " << damage;
    }
  }
}

TEST_F(CacheTest, AGroupFileCannotNameForeignFiles) {
  writeCacheEntry(cache(), hash, "kernel", {{"json", "{}"}});
  write(directory + "/secret", "secret");
  write(cache() + "/" + cacheFolderName(hash) + "/__grp__kernel.json",
        R"({"checksums": {"kernel./../../../secret": "0"}})");
  EXPECT_FALSE(readCacheEntry(cache(), hash, "kernel"));
}

/// Whether the entry of `hash` is read back from a cache in which `change` was made after it was written.
#define EXPECT_NOT_READ_AFTER(change)                                                                                  \
  do {                                                                                                                 \
    CacheEntry entry = {{"json", "{}"}, {"o", "code"}};                                                                \
    writeCacheEntry(cache(), hash, "kernel", entry);                                                                   \
    ASSERT_EQ(readCacheEntry(cache(), hash, "kernel"), entry);                                                         \
    change;                                                                                                            \
    EXPECT_FALSE(readCacheEntry(cache(), hash, "kernel")) << #change;                                                  \
    llvm::sys::fs::remove_directories(cache());                                                                        \
  } while (false)

TEST_F(CacheTest, FoldersAndFilesThatOthersCanWriteAreNotRead) {
  std::string folder = cache() + "/" + cacheFolderName(hash), object = folder + "/kernel.o";
  EXPECT_NOT_READ_AFTER(chmod(cache().c_str(), 0777));
  EXPECT_NOT_READ_AFTER(chmod(cache().c_str(), 01777));
  EXPECT_NOT_READ_AFTER(chmod(cache().c_str(), 0770));
  EXPECT_NOT_READ_AFTER(chmod(folder.c_str(), 0722));
  EXPECT_NOT_READ_AFTER(chmod(object.c_str(), 0662));
  EXPECT_NOT_READ_AFTER(chmod(directory.c_str(), 0777)); // the parent
  chmod(directory.c_str(), 0700);
  if (geteuid() != 0) // Only the superuser can give files away.
    return;
  constexpr uid_t nobody = 65534;
  EXPECT_NOT_READ_AFTER(EXPECT_EQ(chown(cache().c_str(), nobody, nobody), 0));
  EXPECT_NOT_READ_AFTER(EXPECT_EQ(chown(folder.c_str(), nobody, nobody), 0));
  EXPECT_NOT_READ_AFTER(EXPECT_EQ(chown(object.c_str(), nobody, nobody), 0));
  EXPECT_NOT_READ_AFTER(EXPECT_EQ(chown(directory.c_str(), nobody, nobody), 0));
  EXPECT_EQ(chown(directory.c_str(), 0, 0), 0);
}

TEST_F(CacheTest, OnlyRegularFilesAreRead) {
  std::string folder = cache() + "/" + cacheFolderName(hash), object = folder + "/kernel.o";
  auto replace = [&](auto make) {
    llvm::sys::fs::rename(object, directory + "/kernel.o");
    EXPECT_EQ(make(), 0);
  };
  // A pipe has no writer, so that opening it for reading would wait for ever.
  EXPECT_NOT_READ_AFTER(replace([&] { return mkfifo(object.c_str(), 0600); }));
  EXPECT_NOT_READ_AFTER(replace([&] { return symlink("/dev/zero", object.c_str()); }));
  EXPECT_NOT_READ_AFTER(replace([&] { return symlink((directory + "/kernel.o").c_str(), object.c_str()); }));
  EXPECT_NOT_READ_AFTER(replace([&] { return mkdir(object.c_str(), 0700); }));
}

TEST_F(CacheTest, AnEntryWithAPipeIsRepaired) {
  compile(addRequest());
  std::string object = file("o");
  llvm::sys::fs::remove(object);
  ASSERT_EQ(mkfifo(object.c_str(), 0600), 0);
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  EXPECT_TRUE(llvm::sys::fs::is_regular_file(object));
}

TEST_F(CacheTest, AFolderOfOthersIsNamedOnceAndNotUsed) {
  llvm::sys::fs::create_directory(directory + "/shared");
  chmod((directory + "/shared").c_str(), 0777);
  set("TRITON_CACHE_DIR", directory + "/shared/cache");
  testing::internal::CaptureStderr();
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  EXPECT_EQ(runOnZeros(*compile(addRequest("2.0"))), 2.0f);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_LE(llvm::StringRef(text).count("warning"), 1u) << text;
  // Another test of this process may have been the first to warn.
  if (!text.empty()) {
    EXPECT_NE(text.find("other users can write to `" + directory + "/shared`"), std::string::npos) << text;
    EXPECT_NE(text.find("chmod go-w " + directory + "/shared"), std::string::npos) << text;
    EXPECT_NE(text.find("TRITON_CACHE_DIR"), std::string::npos) << text;
  }
  EXPECT_TRUE(filesBelow(directory + "/shared").empty());
}

TEST_F(CacheTest, ALinkToAFolderOfOursIsFollowed) {
  llvm::sys::fs::create_directory(directory + "/real");
  chmod((directory + "/real").c_str(), 0700);
  ASSERT_EQ(symlink((directory + "/real").c_str(), cache().c_str()), 0);
  compile(addRequest());
  EXPECT_FALSE(filesBelow(directory + "/real").empty());
  EXPECT_TRUE(compile(addRequest())->isFromCache);
}

TEST_F(CacheTest, DumpsAndOverridesKnowOnlyRegularFiles) {
  std::string folder = directory + "/dump/key";
  writeFolderFile(directory + "/dump", "key", "a.ttir", "text");
  EXPECT_EQ(readFolderFile(directory + "/dump", "key", "a.ttir"), "text");
  ASSERT_EQ(mkfifo((folder + "/b.ttir").c_str(), 0600), 0);
  write(directory + "/precious", "precious");
  ASSERT_EQ(symlink((directory + "/precious").c_str(), (folder + "/c.ttir").c_str()), 0);
  testing::internal::CaptureStderr();
  writeFolderFile(directory + "/dump", "key", "b.ttir", "text");
  writeFolderFile(directory + "/dump", "key", "c.ttir", "text");
  EXPECT_EQ(llvm::StringRef(testing::internal::GetCapturedStderr()).count("warning: cannot write"), 2u);
  EXPECT_EQ(read(directory + "/precious"), "precious");
  EXPECT_FALSE(readFolderFile(directory + "/dump", "key", "b.ttir"));
  EXPECT_FALSE(readFolderFile(directory + "/dump", "key", "c.ttir"));
}

TEST_F(CacheTest, ASecondCompilationHitsTheCache) {
  CompileRequest request = addRequest();
  auto first = compile(request);
  std::string object = file("o");
  llvm::sys::fs::file_status before, after;
  ASSERT_FALSE(llvm::sys::fs::status(object, before));
  auto second = compile(request);
  ASSERT_FALSE(llvm::sys::fs::status(object, after));
  EXPECT_EQ(before.getLastModificationTime(), after.getLastModificationTime());
  EXPECT_EQ(before.getUniqueID(), after.getUniqueID());
  EXPECT_EQ(first->hash, second->hash);
  EXPECT_EQ(first->artifacts, second->artifacts);
  EXPECT_EQ(first->metadata, second->metadata);
  ASSERT_EQ(second->arguments.size(), 1u);
  EXPECT_EQ(second->arguments[0].type.str(), "*fp32");
  EXPECT_EQ(runOnZeros(*second), 1.0f);
}

TEST_F(CacheTest, AlwaysCompileIgnoresTheCache) {
  auto first = compile(addRequest());
  write(file("o"), "not an object");
  set("TRITON_ALWAYS_COMPILE", "1");
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  EXPECT_NE(read(file("o")), "not an object");
}

TEST_F(CacheTest, ADamagedEntryIsCompiledAnewAndRepaired) {
  compile(addRequest());
  std::string object = file("o"), intact = read(object);
  write(object, intact.substr(0, intact.size() / 3));
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  EXPECT_EQ(read(object), intact);
}

TEST_F(CacheTest, StoreBinaryOnlyKeepsObjectAndMetadata) {
  set("TRITON_STORE_BINARY_ONLY", "1");
  compile(addRequest());
  EXPECT_EQ(filesBelow(cache()).size(), 3u);
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
}

TEST_F(CacheTest, AnUnusableDirectoryOnlyCostsTheCache) {
  write(directory + "/file", "");
  set("TRITON_CACHE_DIR", directory + "/file/cache");
  testing::internal::CaptureStderr();
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  EXPECT_EQ(runOnZeros(*compile(addRequest("2.0"))), 2.0f);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_LE(llvm::StringRef(text).count("warning"), 1u) << text;
}

/// Runs `body` in a child process; its exit status.
template <typename Body> static int inChild(Body body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(CacheTest, AFullDiskOnlyCostsTheCache) {
  int status = inChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {0, 0};
    setrlimit(RLIMIT_FSIZE, &limit);
    return runOnZeros(*compile(addRequest())) == 1.0f ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
}

TEST_F(CacheTest, TwoProcessesMayCompileTheSameKernelAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      for (int round = 0; round < 3; ++round)
        for (const char *addend : {"1.0", "2.0"})
          if (runOnZeros(*compile(addRequest(addend))) != float(addend[0] - '0'))
            _exit(1);
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  for (const std::string &path : filesBelow(cache()))
    EXPECT_EQ(path.find("tmp.pid"), std::string::npos) << path;
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
}
