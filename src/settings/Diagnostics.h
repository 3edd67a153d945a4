// What can be wrong with settings. The messages are those of a text that no kernel's lowering reads, so that they stand
// apart from the frontend's.
#pragma once

#include "base/Diagnostics.h"

namespace triton::settings::diagnostics {

using base::DiagnosticClass;
using base::DiagnosticKind;
using llvm::StringLiteral;

inline constexpr DiagnosticKind<void(std::string, std::string)>
    Unexpected(StringLiteral("Unexpected"), DiagnosticClass::Error, StringLiteral("{0} where {1} must follow"),
               StringLiteral("write settings as in `target = \"cuda:90\"` and `num-warps = 8`"));
inline constexpr DiagnosticKind<void(std::string)> UnknownTable(
    StringLiteral("UnknownTable"), DiagnosticClass::Error, StringLiteral("there is no table `{0}`"),
    StringLiteral("settings of one kernel stand below `[kernel.NAME]`, those of all kernels before the first table"));
inline constexpr DiagnosticKind<void(std::string)>
    UnknownSetting(StringLiteral("UnknownSetting"), DiagnosticClass::Error, StringLiteral("there is no setting `{0}`"),
                   StringLiteral("settings are `target`, `num-warps`, `num-stages` and `signature`"));
inline constexpr DiagnosticKind<void(std::string)> GivenTwice(StringLiteral("GivenTwice"), DiagnosticClass::Error,
                                                              StringLiteral("`{0}` is given twice"),
                                                              StringLiteral("leave one of them out"));
inline constexpr DiagnosticKind<void(std::string, std::string, std::string)>
    WrongValue(StringLiteral("WrongValue"), DiagnosticClass::Error, StringLiteral("`{0}` takes {1}, not `{2}`"),
               StringLiteral(""));
inline constexpr DiagnosticKind<void(std::string, std::string)>
    WrongTarget(StringLiteral("WrongTarget"), DiagnosticClass::Error, StringLiteral("there is no target `{0}`: {1}"),
                StringLiteral("write cpu, cpu:<arch>, cuda:90, hip:gfx942, or sim: and one of these GPUs"));
inline constexpr DiagnosticKind<void()>
    SignatureOfAll(StringLiteral("SignatureOfAll"), DiagnosticClass::Error,
                   StringLiteral("a signature belongs to one kernel, and this stands before the tables of kernels"),
                   StringLiteral("write it below `[kernel.NAME]`, or in a comment above the kernel"));
inline constexpr DiagnosticKind<void(std::string, std::string)>
    NoParameter(StringLiteral("NoParameter"), DiagnosticClass::Error,
                StringLiteral("the kernel `{0}` has no parameter `{1}`"), StringLiteral(""));
inline constexpr DiagnosticKind<void(std::string, std::size_t)>
    TooManyItems(StringLiteral("TooManyItems"), DiagnosticClass::Error,
                 StringLiteral("the kernel `{0}` has no parameter for this item (parameters: {1})"),
                 StringLiteral("leave it out, or name the parameter as in `BLOCK=64`"));
inline constexpr DiagnosticKind<void()> EmptyItem(StringLiteral("EmptyItem"), DiagnosticClass::Error,
                                                  StringLiteral("an item between two commas is empty"),
                                                  StringLiteral("write a type or a constant, or leave a comma out"));
inline constexpr DiagnosticKind<void(std::string, std::string)> WrongItem(StringLiteral("WrongItem"),
                                                                          DiagnosticClass::Error,
                                                                          StringLiteral("argument `{0}`: {1}"),
                                                                          StringLiteral(""));
inline constexpr DiagnosticKind<void()>
    NoKernelBelow(StringLiteral("NoKernelBelow"), DiagnosticClass::Error,
                  StringLiteral("this comment has settings and stands above no kernel"),
                  StringLiteral("move it to the lines directly above a function with `@triton.jit`"));

} // namespace triton::settings::diagnostics
