# What the scripts of this folder share. Sourced, never run.
# shellcheck shell=sh
# The variables set here are read by those who source it, and `root` by us.
# shellcheck disable=SC2034,SC2154

say() { printf '%s\n' "$*"; }

warn() { printf 'webtranslator: %s\n' "$*" >&2; }

die() {
    warn "$*"
    exit 1
}

# Sets HOME's folders as the program sees them: a relative XDG folder is
# ignored, as its specification says.
set_places() {
    case ${HOME:-} in
    /*) ;;
    *) die "HOME is not set to an absolute path, so there is nowhere to install to; set it and run this again" ;;
    esac
    case ${XDG_DATA_HOME:-} in
    /*) data=$XDG_DATA_HOME ;;
    *) data=$HOME/.local/share ;;
    esac
    place=$data/webtranslator
    installed=$place/bin/webtranslator
    link=$HOME/.local/bin/webtranslator
}

# Root's files in a reader's home would lock the reader out of them.
refuse_sudo() {
    if [ "$(id -u)" = 0 ] && [ -n "${SUDO_UID:-}" ] && [ "$SUDO_UID" != 0 ]; then
        die "this was started with sudo, but it installs for one user, without root; run it again without sudo"
    fi
}

# version_reaches "cargo 1.95.0 (…)" 1 89
version_reaches() {
    version=$(printf '%s\n' "$1" | sed -n 's/^[^0-9]*\([0-9][0-9]*\)\.\([0-9][0-9]*\).*/\1 \2/p')
    major=${version% *}
    minor=${version#* }
    [ -n "$version" ] || return 1
    [ "$major" -gt "$2" ] || { [ "$major" -eq "$2" ] && [ "$minor" -ge "$3" ]; }
}

# Prints the path of a program that a release folder brought along.
prebuilt() {
    for candidate in "$root/webtranslator" "$root/bin/webtranslator"; do
        if [ -f "$candidate" ] && [ -x "$candidate" ]; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

# Says what is missing for a build, or nothing.
check_rust() {
    [ -f "$root/Cargo.toml" ] ||
        die "there is neither a built program nor its source beside this script; take a release folder or a clone as a whole"
    # Where rustup puts it, before the next login has it in PATH.
    command -v cargo >/dev/null 2>&1 || PATH=$PATH:${HOME:-}/.cargo/bin
    command -v cargo >/dev/null 2>&1 ||
        die "there is no built program beside this script, and Rust is missing to build one; install Rust 1.89 or later from https://rustup.rs and run this again"
    version_reaches "$(cargo --version 2>/dev/null)" 1 89 ||
        die "Rust 1.89 or later is needed, this is '$(cargo --version 2>/dev/null)'; run: rustup update stable"
}

# Sets `program` to a built host: the one of the release, else a fresh build.
set_program() {
    if program=$(prebuilt); then
        say "Using the built program $program"
        return
    fi
    check_rust
    say "Building with cargo (a few minutes the first time) ..."
    (cd "$root" && cargo build --release --locked --package webtranslator --target-dir "$root/target") ||
        die "the build failed; the lines above say why"
    program=$root/target/release/webtranslator
}
