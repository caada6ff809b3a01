#!/usr/bin/env bash
# Runs the tests: ./tests/run.sh [suite...], without a word all but `bench` and `soak`.
#
#   lint        formatting, clippy, eslint, tsc, web-ext lint, shellcheck
#   host        the Rust workspace
#   background  the extension's background and the test tools, in Node
#   page        the content scripts on pages of every kind, in both browsers
#   extension   the options, in both browsers
#   e2e         providers and what goes wrong, as the reader sees it, in both browsers
#   guide       the Steam guide in both browsers: plain, with faults, with crashes
#   sharing     one cache for two browsers and for eight hosts: each text is paid for
#               once; and fifteen seconds of the soak
#   install     installer and uninstaller
#   size        the shipped binary and its limit
#   try         install.sh --try: a page translated by Apertium in a real browser
#   bench       measurements (not part of all)
#   soak [N]    hosts that share a small cache for N seconds, with faults, kills and
#               evictions; five minutes without a number (not part of all)
#
# It installs what it needs (Debian packages only as root), starts the services
# it uses and stops them by process id. The last line counts the tests.

set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/prepare.sh
. tests/lib/prepare.sh
# shellcheck source=tests/lib/count.sh
. tests/lib/count.sh

ALL=(lint host background page extension e2e guide sharing install size try)
OUT=tests/e2e/out
# All cargo work of the tests uses one profile, so each crate is built once.
PROFILE=fast
MAX_BINARY_BYTES=$((15 * 1024 * 1024))
export WEBTRANSLATOR_HOST="$PWD/target/$PROFILE/webtranslator"
export SCRIPTED_PROVIDER="$PWD/target/$PROFILE/scripted-provider"
# Marks every process that starts from here, so that none is left behind.
export WEBTRANSLATOR_TEST_RUN="run-$$-$RANDOM"

passed=0 failed=0

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf '%s\n' "$*" >&2
  printf '%d passed, %d failed\n' "$passed" $((failed + 1))
  exit 1
}

# Builds host and provider for the browsers; what is built already costs nothing.
build() {
  cargo build --workspace --bins --profile "$PROFILE" --locked --quiet
}

# Runs one test of a suite under a name: its output is shown when it fails.
step() {
  local name=$1 log
  shift
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    printf '   ok    %s\n' "$name"
    steps_passed=$((steps_passed + 1))
  else
    cat "$log"
    printf '   FAIL  %s\n' "$name"
    steps_failed=$((steps_failed + 1))
  fi
  rm -f "$log"
}

suite_lint() {
  local steps_passed=0 steps_failed=0
  step 'cargo fmt' cargo fmt --all --check
  step 'clippy' cargo clippy --workspace --all-targets --profile "$PROFILE" --locked --quiet -- -D warnings
  step 'eslint' npx --no-install eslint .
  step 'tsc' npx --no-install tsc -p .
  step 'web-ext lint' node tests/lib/web-ext-lint.mjs
  step 'shellcheck' shell_scripts
  printf '%d passed, %d failed\n' "$steps_passed" "$steps_failed"
  [ "$steps_failed" -eq 0 ]
}

shell_scripts() {
  local scripts
  mapfile -t scripts < <(git ls-files '*.sh' .ci/run 2>/dev/null || find . -name '*.sh' -not -path './node_modules/*')
  shellcheck -x "${scripts[@]}"
}

suite_host() {
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace --cargo-profile "$PROFILE" --locked --no-fail-fast \
      --status-level fail --final-status-level fail --hide-progress-bar
  else
    cargo test --workspace --profile "$PROFILE" --locked --no-fail-fast --quiet
  fi
}

# Runs node's tests in these files, one after the other: browsers share two cores.
node_tests() {
  node --test --test-reporter=spec --test-concurrency=1 "$@"
}

suite_background() {
  local files=()
  mapfile -t files < <(find tests/background tests/pages tests/lib tests/e2e -name '*.test.mjs' \
    -not -name 'host.test.mjs' 2>/dev/null | sort)
  node_tests "${files[@]}"
}

suite_page() { node_tests tests/extension/content.test.mjs; }

suite_extension() { build && node_tests tests/extension/options.test.mjs; }

suite_e2e() { build && node_tests tests/e2e/host.test.mjs tests/e2e/providers.mjs; }

suite_guide() { build && node_tests tests/e2e/guide.mjs; }

suite_sharing() {
  build && SOAK_SECONDS=15 node_tests tests/e2e/sharing.mjs tests/e2e/soak.mjs
}

suite_soak() { build && node_tests tests/e2e/soak.mjs; }

suite_install() {
  build && ./tests/install.sh "$WEBTRANSLATOR_HOST"
}

suite_size() {
  local bytes
  cargo build --release --package webtranslator --locked --quiet || return
  bytes=$(stat -c %s target/release/webtranslator) || return
  printf 'target/release/webtranslator: %d bytes of %d\n' "$bytes" "$MAX_BINARY_BYTES"
  [ "$bytes" -le "$MAX_BINARY_BYTES" ]
}

# What the README promises first, without a display and without a key.
suite_try() {
  local summary
  summary=$(env -u DISPLAY -u WAYLAND_DISPLAY ./installer/install.sh --try) || return
  printf '%s\n' "$summary"
  printf '%s\n' "$summary" | grep -Eq '^segments ([1-9][0-9]*), translated \1, failed 0,'
}

suite_bench() {
  cargo bench --package webtranslator --locked -- --quick && node tests/extension/bench.mjs
}

# Runs one suite, shows its seconds and adds its counts.
run_suite() {
  local suite=$1 code began log counts
  log=$OUT/$suite.log
  began=$SECONDS
  say "$suite"
  "suite_$suite" 2>&1 | tee "$log"
  code=${PIPESTATUS[0]}
  counts=$(count_of "$log" "$code")
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
  printf -- '-- %s: %s passed, %s failed, %d s\n' "$suite" "${counts% *}" "${counts#* }" $((SECONDS - began))
}

# Ends, by id, what carries this run's mark and is not this shell; a process
# that was left behind is a failure.
end_left_processes() {
  local file pid
  for file in /proc/[0-9]*/environ; do
    pid=${file#/proc/} pid=${pid%/environ}
    [ "$pid" = "$$" ] || [ "$pid" = "$BASHPID" ] && continue
    grep -qz "^WEBTRANSLATOR_TEST_RUN=$WEBTRANSLATOR_TEST_RUN\$" "$file" 2>/dev/null || continue
    # The grep that looks is gone by now; so is what it saw of itself.
    [ -d "/proc/$pid" ] || continue
    printf 'left behind: %s %s\n' "$pid" "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
    kill "$pid" 2>/dev/null
    failed=$((failed + 1))
  done
}

main() {
  local suites=() suite
  for suite in "$@"; do
    # A number is how long the soak shall take.
    if [[ $suite =~ ^[0-9]+$ ]]; then export SOAK_SECONDS=$suite; else suites+=("$suite"); fi
  done
  if [ ${#suites[@]} -eq 0 ] || [ "${suites[*]}" = all ]; then suites=("${ALL[@]}"); fi
  for suite in "${suites[@]}"; do
    declare -F "suite_$suite" >/dev/null || fail "No suite is called '$suite': ${ALL[*]} bench soak all"
  done
  mkdir -p "$OUT"
  require_toolchains
  install_packages "${suites[@]}"
  install_npm
  fetch_crates
  for suite in "${suites[@]}"; do run_suite "$suite"; done
  end_left_processes
  say "all: $SECONDS s"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}

main "$@"
