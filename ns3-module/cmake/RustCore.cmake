# The core, built by cargo. Defines the target manet_mutex_rust and
#   MUTEX_RUST_LIBRARY    the archive: core, bridge, and the generated C++ side
#   MUTEX_RUST_INCLUDES   what the files that include the bridge need
#   MUTEX_RUST_LINK       options that hide the archive's symbols from whoever links the module
find_program(CARGO cargo HINTS $ENV{CARGO_HOME}/bin $ENV{HOME}/.cargo/bin)
if(NOT CARGO)
  message(FATAL_ERROR "cargo was not found: install Rust 1.88 or newer, or add it to PATH")
endif()

# From this file's own place: in contrib/ the source folder is ns-3's, and this may be a symlink.
get_filename_component(MUTEX_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
set(MUTEX_CARGO_PROFILE release CACHE STRING "cargo profile of the core: release or dev")
string(REPLACE "dev" "debug" _profile_folder ${MUTEX_CARGO_PROFILE})
set(MUTEX_CARGO_TARGET "${CMAKE_CURRENT_BINARY_DIR}/cargo" CACHE PATH
    "where cargo builds; builds against several versions of ns-3 can share it")
set(_target "${MUTEX_CARGO_TARGET}")
set(_stamp "${CMAKE_CURRENT_BINARY_DIR}/manet-mutex-rust.stamp")

set(MUTEX_RUST_LIBRARY "${_target}/${_profile_folder}/libmanet_mutex_bridge.a")
set(MUTEX_RUST_INCLUDES "${_target}/cxxbridge" "${MUTEX_ROOT}/ns3-module/bridge/include")
set(MUTEX_RUST_LINK -Wl,--exclude-libs,libmanet_mutex_bridge.a)
file(MAKE_DIRECTORY "${_target}/cxxbridge")

file(GLOB_RECURSE _sources CONFIGURE_DEPENDS
  "${MUTEX_ROOT}/rust-core/manet-mutex/src/*.rs"
  "${MUTEX_ROOT}/rust-core/manet-mutex-sim/src/*.rs" "${MUTEX_ROOT}/ns3-module/bridge/src/*.rs"
  "${MUTEX_ROOT}/ns3-module/bridge/include/*.h")

# A stamp as output, and order-only dependencies on the target: objects that depended on the
# archive would all be compiled again after each change of a .rs file.
add_custom_command(
  OUTPUT "${_stamp}"
  BYPRODUCTS "${MUTEX_RUST_LIBRARY}" "${_target}/cxxbridge/manet-mutex-bridge/src/lib.rs.h"
  COMMAND ${CMAKE_COMMAND} -E env --unset=CXXFLAGS --unset=CFLAGS --unset=LDFLAGS
          "CXX=${CMAKE_CXX_COMPILER}" "CARGO_TARGET_DIR=${_target}"
          ${CARGO} build --locked --profile ${MUTEX_CARGO_PROFILE} --package manet-mutex-bridge
          --manifest-path "${MUTEX_ROOT}/Cargo.toml"
  COMMAND ${CMAKE_COMMAND} -E touch "${_stamp}"
  DEPENDS ${_sources} "${MUTEX_ROOT}/Cargo.toml" "${MUTEX_ROOT}/Cargo.lock"
          "${MUTEX_ROOT}/rust-core/manet-mutex/Cargo.toml"
          "${MUTEX_ROOT}/rust-core/manet-mutex-sim/Cargo.toml" "${MUTEX_ROOT}/ns3-module/bridge/Cargo.toml"
          "${MUTEX_ROOT}/ns3-module/bridge/build.rs"
  COMMENT "The core, by cargo"
  USES_TERMINAL
  VERBATIM)
add_custom_target(manet_mutex_rust DEPENDS "${_stamp}")
