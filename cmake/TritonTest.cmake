# C++ tests stand beside what they test, in src/<room>/test; the room's CMakeLists.txt adds that folder when
# TRITON_BUILD_TESTS is on.
if(TRITON_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# triton_add_test(NAME sources... [LINK libs...] [DEFINITIONS defs...]): one GoogleTest executable, run as one ctest
# entry with a cache directory of its own.
function(triton_add_test name)
  cmake_parse_arguments(arg "" "" "LINK;DEFINITIONS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE TRITON_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ${arg_DEFINITIONS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "TRITON_CACHE_DIR=${CMAKE_BINARY_DIR}/test-cache/${name}")
  set_property(GLOBAL APPEND PROPERTY TRITON_TEST_TARGETS ${name})
endfunction()
