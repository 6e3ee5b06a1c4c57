//! Generates both sides of the bridge and compiles the C++ one.

fn main() {
    cxx_build::CFG.include_prefix = "manet-mutex-bridge";
    cxx_build::bridge("src/lib.rs")
        .include("include")
        .std("c++17")
        .flag_if_supported("-fvisibility=hidden")
        .compile("manet_mutex_bridge_cxx");
    println!("cargo:rerun-if-changed=src/lib.rs");
    println!("cargo:rerun-if-changed=include/mutex-host.h");
}
