# C++ tests stand beside what they test, in src/<room>/test; the room's CMakeLists.txt adds that folder when
# TRITON_BUILD_TESTS is on. What only tests need is built by the target triton-tests, and not by `all`.
if(TRITON_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# triton_only_for_tests(TARGETS...)
function(triton_only_for_tests)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  set_property(GLOBAL APPEND PROPERTY TRITON_TEST_TARGETS ${ARGN})
endfunction()

# triton_add_test(NAME [SEPARATE] sources... [LINK libs...] [DEFINITIONS defs...]): one GoogleTest executable, run as one
# ctest entry with a cache directory of its own. SEPARATE: the sources use the same names, each for its own kernels.
function(triton_add_test name)
  cmake_parse_arguments(arg "SEPARATE" "" "LINK;DEFINITIONS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} TritonLLVM GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE TRITON_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ${arg_DEFINITIONS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  if(arg_SEPARATE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  triton_precompile_headers_of_program(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "TRITON_CACHE_DIR=${CMAKE_BINARY_DIR}/test-cache/${name}")
  triton_only_for_tests(${name})
endfunction()
