# shellcheck shell=bash
# What a suite needs before it can run: tools that must be there, Debian
# packages that are installed as root and named first, npm and cargo packages.
# Sourced by tests/run.sh, whose `fail` and `say` it uses.

# Stops when Rust or Node is missing or too old.
require_toolchains() {
  local rust node
  rust=$(rustc --version 2>/dev/null | sed -E 's/^rustc ([0-9]+\.[0-9]+).*/\1/')
  at_least "$rust" 1.89 || fail "Rust 1.89 or newer is needed (found: ${rust:-none}). See https://rustup.rs."
  node=$(node --version 2>/dev/null | sed 's/^v//')
  at_least "$node" 20.19 || fail "Node 20.19 or newer is needed (found: ${node:-none}). See https://nodejs.org."
}

# Says whether version $1 is $2 or newer.
at_least() {
  [ -n "$1" ] && [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# Prints the Debian packages of a suite.
packages_of() {
  case $1 in
    lint) echo shellcheck ;;
    # redis-tools has the server's program; redis-server would start a service.
    host) echo redis-tools openssl libfaketime ;;
    page | extension | guide | sharing | e2e | bench) echo chromium firefox-esr ;;
    try) echo chromium apertium-apy apertium-eng-spa ;;
    *) ;;
  esac
}

# Installs the packages of the given suites that are missing.
install_packages() {
  local suite package missing=()
  for suite in "$@"; do
    for package in $(packages_of "$suite"); do
      is_installed "$package" || [[ " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
    done
  done
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    fail "Missing: ${missing[*]}. Install them (Debian: sudo apt-get install ${missing[*]}) and start again."
  fi
  say "Installing Debian packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || fail 'apt-get update failed'
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

is_installed() {
  case $1 in
    # These may come from elsewhere than a package.
    chromium | firefox-esr | shellcheck | openssl) command -v "$1" >/dev/null && return ;;
    redis-tools) command -v redis-cli >/dev/null && command -v redis-server >/dev/null && return ;;
  esac
  command -v dpkg-query >/dev/null &&
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs the npm packages of the lock file, when they are not there yet.
install_npm() {
  local mark=node_modules/.package-lock.json
  [ -f "$mark" ] && [ ! package-lock.json -nt "$mark" ] && return
  say 'Installing npm packages'
  npm ci --silent || fail 'npm ci failed'
}

fetch_crates() {
  cargo fetch --locked --quiet || fail 'cargo fetch failed'
}
