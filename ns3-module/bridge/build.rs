//! Generates both sides of the bridge and compiles the C++ one.

fn main() {
    cxx_build::CFG.include_prefix = "manet-mutex-bridge";
    cxx_build::bridge("src/lib.rs")
        .include("include")
        .std("c++17")
        .flag_if_supported("-fvisibility=hidden")
        .compile("manet_mutex_bridge_cxx");
    // Only the crate's own tests link this (src/tests.rs), so cargo is not told to.
    let none: [&str; 0] = [];
    cxx_build::bridges(none)
        .file("tests/host.cc")
        .include("include")
        .std("c++17")
        .cargo_metadata(false)
        .compile("manet_mutex_test_host");
    let folder = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rerun-if-changed=src/lib.rs");
    println!("cargo:rerun-if-changed=include/mutex-host.h");
    println!("cargo:rerun-if-changed=tests/host.cc");
}
