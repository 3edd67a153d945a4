#include "aot/BundleFormat.h"

#include "base/Hmac.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

using namespace triton;
using namespace triton::aot;

static_assert(std::endian::native == std::endian::little, "the tables are written as they are in memory");
static_assert(sizeof(triton_bundle_file_header) == 96 && sizeof(triton_bundle_file_entry) == 48 &&
              sizeof(triton_bundle_file_signature) == 104 && sizeof(triton_bundle_file_item) == 64 &&
              sizeof(triton_bundle_file_parameter) == 8 && sizeof(triton_bundle_condition) == 8);

static constexpr std::size_t codeAlignment = 64;

uint32_t BundleFormat::text(const std::string &value) {
  auto [it, isNew] = places.try_emplace(value, uint32_t(texts.size()));
  if (isNew)
    texts.append(value.c_str(), value.size() + 1);
  return it->second;
}

uint64_t BundleFormat::place(const std::string &bytes) {
  uint64_t place = codes.size();
  codes += bytes;
  codes.resize(llvm::alignTo(codes.size(), codeAlignment));
  return place;
}

/// As the reader computes it, which is C.
static uint64_t checksum(llvm::StringRef bytes) {
  uint64_t hash = 0xCBF29CE484222325u ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(bytes.size() - i, sizeof(word)));
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

using Digest = std::array<uint8_t, TRITON_BUNDLE_DIGEST_BYTES>;

static Digest digest(llvm::StringRef bytes) { return llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)); }

void BundleFormat::addCode(triton_bundle_file_signature &signature, const std::string &bytes) {
  signature.code = place(bytes);
  signature.code_bytes = bytes.size();
  signature.code_checksum = checksum(bytes);
  llvm::copy(digest(bytes), signature.code_digest);
}

void BundleFormat::addItem(const std::string &name, const std::string &bytes) {
  triton_bundle_file_item item{};
  item.name = text(name);
  item.place = place(bytes);
  item.bytes = bytes.size();
  item.checksum = checksum(bytes);
  llvm::copy(digest(bytes), item.digest);
  items[name] = item;
}

template <typename Record> static void append(std::string &file, const std::vector<Record> &table) {
  file.append(reinterpret_cast<const char *>(table.data()), table.size() * sizeof(Record));
}

std::string BundleFormat::finish(llvm::StringRef key) const {
  std::size_t tables = items.size() * sizeof(triton_bundle_file_item) + signatures.size() * sizeof(signatures[0]) +
                       words.size() * sizeof(words[0]) + entries.size() * sizeof(entries[0]) +
                       parameters.size() * sizeof(parameters[0]) + arguments.size() * sizeof(arguments[0]) +
                       conditions.size() * sizeof(conditions[0]) + texts.size();
  triton_bundle_file_header header{};
  uint64_t codesAt = llvm::alignTo(sizeof(header) + tables, codeAlignment);
  std::memcpy(header.magic, TRITON_BUNDLE_MAGIC, sizeof(header.magic));
  header.version = TRITON_BUNDLE_VERSION;
  header.header_bytes = sizeof(header);
  header.file_bytes = codesAt + codes.size();
  header.entry_count = uint32_t(entries.size());
  header.parameter_count = uint32_t(parameters.size());
  header.signature_count = uint32_t(signatures.size());
  header.argument_count = uint32_t(arguments.size());
  header.condition_count = uint32_t(conditions.size());
  header.word_count = uint32_t(words.size());
  header.item_count = uint32_t(items.size());
  header.text_bytes = uint32_t(texts.size());
  std::vector<triton_bundle_file_signature> placed = signatures;
  for (triton_bundle_file_signature &signature : placed)
    signature.code += codesAt;
  std::vector<triton_bundle_file_item> placedItems;
  for (const auto &[name, item] : items) {
    placedItems.push_back(item);
    placedItems.back().place += codesAt;
  }

  std::string file(reinterpret_cast<const char *>(&header), sizeof(header));
  append(file, placed);
  append(file, words);
  append(file, placedItems);
  append(file, entries);
  append(file, parameters);
  append(file, arguments);
  append(file, conditions);
  file += texts;
  llvm::StringRef summed = llvm::StringRef(file).drop_front(offsetof(triton_bundle_file_header, file_bytes));
  header.checksum = checksum(summed);
  if (!key.empty())
    llvm::copy(base::hmacSha256(summed, key), header.signature);
  file.replace(0, sizeof(header), reinterpret_cast<const char *>(&header), sizeof(header));
  file.resize(codesAt);
  return file + codes;
}
