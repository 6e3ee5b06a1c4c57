# What the module needs in ns-3's tree beyond build_lib.

# The library is made of libmanet-mutex-obj and libmanet-mutex up to 3.40, of manet-mutex later.
# Not by include_directories: up to 3.40 that would be exported, which CMake refuses for folders of
# the build.
foreach(_target manet-mutex libmanet-mutex libmanet-mutex-obj)
  if(TARGET ${_target})
    add_dependencies(${_target} manet_mutex_rust)
    target_include_directories(${_target} PRIVATE ${MUTEX_RUST_INCLUDES})
    get_target_property(_type ${_target} TYPE)
    if(_type STREQUAL SHARED_LIBRARY)
      target_link_options(${_target} PRIVATE ${MUTEX_RUST_LINK})
    endif()
  endif()
endforeach()
foreach(_target manet-mutex-test libmanet-mutex-test)
  if(TARGET ${_target})
    target_compile_definitions(${_target} PRIVATE MUTEX_VECTORS="${MUTEX_ROOT}/tests/vectors")
  endif()
endforeach()

# ns-3 looks for examples in a folder of that name only; BLIB_LIBNAME tells whose this one is.
if(${ENABLE_EXAMPLES})
  set(BLIB_LIBNAME manet-mutex)
  build_lib_example(
    NAME manet-mutex-scenario
    SOURCE_FILES ${MUTEX_SCENARIO}
    LIBRARIES_TO_LINK ${libcore} ${libnetwork} ${libmobility} ${libpropagation} ${libwifi}
                      ${libinternet} ${libaodv} ${libdsdv} ${libolsr})
  if(TARGET manet-mutex-scenario)
    target_compile_definitions(manet-mutex-scenario PRIVATE MUTEX_NS3_VERSION="${NS3_VER}")
  endif()
endif()
