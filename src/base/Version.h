#pragma once

namespace triton::base {

/// The version of this build: `3.9.0+nereid.g<commit>`, or `3.9.0+nereid` where git did not know the commit.
const char *version();

} // namespace triton::base
