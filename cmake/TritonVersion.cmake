# The version of the package: TRITON_BASE_VERSION and the commit that is built. The base follows the release of Triton
# whose interface this package has. The whole must obey PEP 440, which takes a part of digits alone for a number: hence the
# letter before the commit.
set(TRITON_BASE_VERSION "${PROJECT_VERSION}+nereid")

# Run at each build, in script mode: writes the version to OUTPUT, filled up with spaces to the size of the field in
# src/base/Version.cpp, if it is another one than before.
if(CMAKE_SCRIPT_MODE_FILE)
  # Git looks no higher than SOURCE: the repository that may lie around an unpacked archive is another one.
  cmake_path(GET SOURCE PARENT_PATH ceiling)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${ceiling} git -C ${SOURCE} rev-parse --short HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  set(version ${BASE})
  if(NOT failed)
    string(APPEND version ".g${commit}")
  endif()
  string(LENGTH "${version}" length)
  math(EXPR missing "64 - ${length}")
  string(REPEAT " " ${missing} padding)
  set(before "")
  if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} before)
  endif()
  if(NOT before STREQUAL "${version}${padding}")
    file(WRITE ${OUTPUT} "${version}${padding}")
  endif()
  return()
endif()

set(version_file ${CMAKE_BINARY_DIR}/version.txt)
add_custom_target(TritonVersion ALL
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DBASE=${TRITON_BASE_VERSION} -DOUTPUT=${version_file}
          -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${version_file}
  COMMENT "" VERBATIM)
find_program(TRITON_OBJCOPY llvm-objcopy HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)

# triton_stamp_version(TARGET): writes the version into the program, when it is linked and when the commit changes. The
# time of the file stays: what is linked against it need not be linked again. The file is replaced in one step, because
# other parts of the build may start the program meanwhile.
function(triton_stamp_version target)
  set(file $<TARGET_FILE:${target}>)
  set(stamp ${TRITON_OBJCOPY} --preserve-dates --update-section .triton_version=${version_file} ${file} ${file}.stamped
    COMMAND ${CMAKE_COMMAND} -E rename ${file}.stamped ${file})
  add_dependencies(${target} TritonVersion)
  add_custom_command(TARGET ${target} POST_BUILD COMMAND ${stamp} VERBATIM)
  set(stamped ${CMAKE_BINARY_DIR}/version-${target}.stamp)
  add_custom_command(OUTPUT ${stamped} COMMAND ${stamp} COMMAND ${CMAKE_COMMAND} -E touch ${stamped}
    DEPENDS ${version_file} ${target} COMMENT "" VERBATIM)
  add_custom_target(${target}-version ALL DEPENDS ${stamped})
endfunction()
