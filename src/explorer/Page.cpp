#include "explorer/Page.h"

#include "explorer/PageText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/SHA256.h"

using namespace triton;
using namespace triton::explorer;

llvm::ArrayRef<PageFile> explorer::pageFiles() {
  static const PageFile files[] = {{"/", "text/html; charset=utf-8", pageText::index},
                                   {"/style.css", "text/css; charset=utf-8", pageText::style},
#define SCRIPT(name) PageFile{"/" #name ".js", "text/javascript; charset=utf-8", pageText::name},
                                   EXPLORER_SCRIPTS(SCRIPT)
#undef SCRIPT
  };
  return files;
}

/// All scripts as one, without their imports and exports: their top-level names are distinct.
static std::string joinScripts() {
  std::string joined = "\"use strict\";\n";
  for (const PageFile &file : pageFiles()) {
    if (!file.path.ends_with(".js"))
      continue;
    for (llvm::StringRef line : llvm::split(file.text, '\n')) {
      if (line.starts_with("import "))
        continue;
      line.consume_front("export ");
      joined += line;
      joined += '\n';
    }
  }
  return joined;
}

static std::string replaced(llvm::StringRef text, llvm::StringRef mark, llvm::StringRef by) {
  auto [before, after] = text.split(mark);
  return (before + by + after).str();
}

static std::string hashOf(llvm::StringRef text) {
  auto bytes = llvm::SHA256::hash(llvm::ArrayRef(text.bytes_begin(), text.size()));
  return "'sha256-" + llvm::encodeBase64(bytes) + "'";
}

std::string explorer::exportPage(llvm::StringRef data) {
  llvm::SmallVector<uint8_t> compressed;
  llvm::compression::zlib::compress(llvm::ArrayRef(data.bytes_begin(), data.size()), compressed, 9);
  std::string script = joinScripts(), style = pageText::style.str();
  std::string policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src " +
                       hashOf(script) + "; style-src " + hashOf(style) + "\">";
  std::string page = replaced(pageText::index, "<!-- policy -->", policy);
  page = replaced(page, "<link rel=\"stylesheet\" href=\"style.css\">", "<style>" + style + "</style>");
  return replaced(page, "<script type=\"module\" src=\"main.js\"></script>",
                  "<script type=\"application/octet-stream\" id=\"data\">" + llvm::encodeBase64(compressed) +
                      "</script>\n<script>" + script + "</script>");
}
