# What `cmake --install` puts where, and the CMake package: find_package(Triton) gives the target Triton::triton.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Triton)
install(TARGETS triton EXPORT TritonTargets COMPONENT library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tritonc COMPONENT library RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/triton COMPONENT library DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT TritonTargets NAMESPACE Triton:: COMPONENT library DESTINATION ${package_dir})
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/TritonConfig.cmake.in ${CMAKE_BINARY_DIR}/TritonConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/TritonConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TritonConfig.cmake ${CMAKE_BINARY_DIR}/TritonConfigVersion.cmake
  COMPONENT library DESTINATION ${package_dir})
