//! Folds equal functions of the program into one where the linker can: generic code makes many.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let [os, arch, env] = ["OS", "ARCH", "ENV"].map(|part| of(&format!("CARGO_CFG_TARGET_{part}")));
    // The toolchain links with LLD there, and only there, without being asked.
    if os == "linux" && arch == "x86_64" && env == "gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}
