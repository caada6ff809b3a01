//! House rules that the compiler does not hold: the import rule, one owner for
//! each outside thing, and purity of the middle.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that do no I/O, write no log and never ask for the time.
const PURE: [&str; 14] = [
    "surrogates",
    "language",
    "segment",
    "markup",
    "dictionary",
    "verdict",
    "reply",
    "provider",
    "pace",
    "queue",
    "protocol",
    "framing",
    "settings",
    "exchange",
];

/// What belongs to one module alone. The command line reads stdin too, but
/// never in a process that serves a browser.
const OWNED: [(&str, &[&str]); 8] = [
    ("byteorder::", &["framing"]),
    ("directories::", &["paths"]),
    ("quick_xml::", &["exchange"]),
    ("rusqlite::", &["store"]),
    ("redis::", &["remote"]),
    ("tokio_rustls::", &["remote"]),
    ("reqwest::", &["http"]),
    ("io::stdin", &["transport", "cli"]),
];

/// What a pure module never names.
const IMPURE: [&str; 7] =
    ["tokio::", "tracing::", "SystemTime", "Instant::now", "Timestamp::now", "std::fs", "std::env"];

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns the modules of `lib.rs` in their order.
fn modules() -> Vec<String> {
    fs::read_to_string(source_folder().join("lib.rs"))
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned))
        .collect()
}

/// Returns each source file with the module that it belongs to, tests cut off.
fn sources() -> BTreeMap<PathBuf, (String, String)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![source_folder()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(source_folder()).unwrap().to_path_buf();
            let first = relative.components().next().unwrap().as_os_str().to_string_lossy();
            let module = first.trim_end_matches(".rs").to_owned();
            let is_test = relative.to_string_lossy().contains("tests");
            if module == "lib" || module == "main" || is_test {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let code: Vec<&str> =
                code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            found.insert(relative, (module, code.join("\n")));
        }
    }
    found
}

#[test]
fn a_module_uses_only_modules_that_are_listed_before_it() {
    let order = modules();
    let place = |name: &str| order.iter().position(|module| module == name);
    let mut seen = 0;
    for (path, (module, code)) in sources() {
        let own = place(&module).unwrap_or_else(|| panic!("{module} is not in lib.rs"));
        for used in code.split("crate::").skip(1) {
            let name: String =
                used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(other) = place(&name) else { continue };
            assert!(other <= own, "{} uses {name}, which comes later", path.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "the scan found only {seen} uses");
}

#[test]
fn effects_never_import_each_other() {
    for (path, (module, code)) in sources() {
        for (one, others) in [
            ("store", ["crate::remote", "crate::http", "crate::transport"]),
            ("remote", ["crate::store", "crate::http", "crate::transport"]),
            ("http", ["crate::store", "crate::remote", "crate::transport"]),
            ("transport", ["crate::store", "crate::remote", "crate::http"]),
        ] {
            let found = others.iter().find(|other| code.contains(*other));
            assert!(module != one || found.is_none(), "{} uses {found:?}", path.display());
        }
    }
}

#[test]
fn pure_modules_name_no_runtime_log_clock_or_file() {
    for (path, (module, code)) in sources() {
        if PURE.contains(&module.as_str()) {
            let found = IMPURE.iter().find(|name| code.contains(*name));
            assert!(found.is_none(), "{} names {found:?}", path.display());
        }
    }
}

#[test]
fn each_outside_thing_has_one_owner() {
    for (path, (module, code)) in sources() {
        for (thing, owners) in OWNED {
            assert!(
                owners.contains(&module.as_str()) || !code.contains(thing),
                "{} names {thing}, which is that of {owners:?}",
                path.display()
            );
        }
    }
}

#[test]
fn the_host_has_one_select() {
    let selects: usize =
        sources().values().map(|(_, code)| code.matches("select! {").count()).sum();
    assert_eq!(selects, 1);
}
