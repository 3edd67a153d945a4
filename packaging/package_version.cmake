# Read by cpack when it makes the package: the version that the build writes into the programs, with its commit.
file(READ ${CPACK_TRITON_VERSION_FILE} version)
string(STRIP "${version}" CPACK_PACKAGE_VERSION)
set(CPACK_DEBIAN_PACKAGE_VERSION ${CPACK_PACKAGE_VERSION})
