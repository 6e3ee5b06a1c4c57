# An installed ns-3, made usable: NS3_CXX_STANDARD, and
#   ns3_modules(<out> core network ...)   the imported targets of these modules
# Tried with the PyPI package (3.44) and Debian's libns3-dev (3.37).
find_package(ns3 QUIET)
if(NOT ns3_FOUND)
  message(FATAL_ERROR
    "ns-3 was not found. scripts/run installs it; or install the Python package ns3 or Debian's "
    "libns3-dev, and pass -Dns3_DIR=<the folder of ns3Config.cmake>")
endif()
message(STATUS "ns-3 ${ns3_VERSION} from ${ns3_DIR}")

# What the headers of each version need, no more: 3.37's do not compile as C++20.
if(ns3_VERSION VERSION_GREATER_EQUAL 3.46)
  set(NS3_CXX_STANDARD 23)
elseif(ns3_VERSION VERSION_GREATER_EQUAL 3.41)
  set(NS3_CXX_STANDARD 20)
else()
  set(NS3_CXX_STANDARD 17)
endif()

# Up to 3.40 targets export no definitions, but the size of classes depends on them: they must be
# those that the libraries were built with. Debian's have both.
set(NS3_DEFINITIONS "NS3_LOG_ENABLE;NS3_ASSERT_ENABLE" CACHE STRING
    "what an installed ns-3 was built with, if its targets do not tell")

function(ns3_modules out)
  set(found)
  foreach(module IN LISTS ARGN)
    # ns3::libcore up to 3.40, ns3::core later
    if(TARGET ns3::${module})
      set(target ns3::${module})
    elseif(TARGET ns3::lib${module})
      set(target ns3::lib${module})
    else()
      message(FATAL_ERROR "ns-3 in ${ns3_DIR} has no module ${module}: install a complete one")
    endif()
    _ns3_adapt(${target})
    list(APPEND found ${target})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Packages carry include directories and libraries of the machine that built them: only what
# exists here is kept. The compiler's own directories must not be repeated, or #include_next fails.
function(_ns3_adapt target)
  get_target_property(done ${target} _ns3_adapted)
  if(done)
    return()
  endif()
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set(includes)
  foreach(directory IN LISTS directories)
    if(EXISTS "${directory}" AND NOT directory MATCHES "^/usr(/local)?(/include)?$"
       AND NOT directory MATCHES "/include/python[0-9.]+$")
      list(APPEND includes "${directory}")
    endif()
  endforeach()
  get_target_property(definitions ${target} INTERFACE_COMPILE_DEFINITIONS)
  if(definitions)
    list(FILTER definitions EXCLUDE REGEX "^PROJECT_SOURCE_PATH")
  else()
    set(definitions ${NS3_DEFINITIONS})
  endif()
  set_target_properties(${target} PROPERTIES _ns3_adapted TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${includes}"
    INTERFACE_COMPILE_DEFINITIONS "${definitions}")
  get_target_property(items ${target} INTERFACE_LINK_LIBRARIES)
  set(libraries)
  foreach(item IN LISTS items)
    if(item MATCHES "^/" AND NOT EXISTS "${item}")
      continue()
    endif()
    list(APPEND libraries "${item}")
    if(TARGET ${item})
      _ns3_adapt(${item})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
endfunction()
