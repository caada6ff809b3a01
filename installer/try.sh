#!/bin/sh
# install.sh --try: shows a sample page translated in a real browser, and
# installs nothing of ours: fresh profile, fresh settings, a registration that
# only this browser reads. What it starts it ends, what it makes it removes.
set -eu

root=$(
    folder=$(dirname -- "$0")
    CDPATH='' cd -- "$folder/.." && pwd -P
)
# shellcheck source=installer/common.sh
. "$root/installer/common.sh"

MODE_FILE=/usr/share/apertium/modes/eng-spa.mode

tools_are_here() {
    [ -f "$root/tests/e2e/driver.mjs" ] ||
        die "--try drives a browser with the tools of a clone, and this is not one; install.sh without --try works here"
    command -v node >/dev/null 2>&1 ||
        die "Node 20.19 or later is missing; install it from https://nodejs.org and run this again"
    version_reaches "$(node --version)" 20 19 ||
        die "Node 20.19 or later is needed, this is $(node --version); see https://nodejs.org"
    if [ ! -d "$root/node_modules/puppeteer-core" ]; then
        command -v npm >/dev/null 2>&1 || die "npm is missing; it comes with Node: https://nodejs.org"
        say "Fetching the tools that drive the browser (npm ci, into $root/node_modules) ..."
        (cd "$root" && npm ci --no-audit --no-fund --loglevel=error) ||
            die "npm could not fetch them; the lines above say why"
    fi
}

# Whether a program is only the door to a snap: that sandbox starts no host.
is_snap() {
    case $(readlink -f -- "$1") in
    */snap) return 0 ;;
    esac
    head -c 2000 -- "$1" | tr -d '\000' | grep -q '/snap/bin/'
}

# Sets `browser` and `executable`, or fails.
find_browser() {
    for name in chromium chromium-browser google-chrome brave-browser microsoft-edge vivaldi; do
        if executable=$(command -v "$name") && ! is_snap "$executable"; then
            browser=chromium
            return 0
        fi
    done
    for name in firefox firefox-esr; do
        if executable=$(command -v "$name") && ! is_snap "$executable"; then
            browser=firefox
            return 0
        fi
    done
    return 1
}

has_apertium() {
    command -v apertium-apy >/dev/null 2>&1 && [ -f "$MODE_FILE" ]
}

# As root on a Debian-like system what is missing can be had; it is named
# before it comes.
install_packages() {
    packages=
    command -v apertium-apy >/dev/null 2>&1 || packages="$packages apertium-apy"
    [ -f "$MODE_FILE" ] || packages="$packages apertium-eng-spa"
    find_browser || packages="$packages chromium"
    [ -n "$packages" ] || return 0
    command -v apt-get >/dev/null 2>&1 || return 0
    if [ "$(id -u)" != 0 ]; then
        say "For real translations and a browser, as root: apt-get install$packages"
        return 0
    fi
    say "Installing with apt-get:$packages"
    # shellcheck disable=SC2086 # the names are words on purpose
    if ! apt_install $packages; then
        apt-get update -q >/dev/null || :
        # shellcheck disable=SC2086
        apt_install $packages || warn "apt-get could not install:$packages"
    fi
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >/dev/null
}

free_port() {
    node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

# Starts Apertium's server on loopback; by itself it would listen to the
# whole network. Its translators are children of it, so it gets a process
# group of its own, and the group is ended.
start_apertium() {
    port=$(free_port)
    # Its own interpreter: another python3 in PATH does not have it.
    python=$(sed -n '1s/^#! *//p' "$(command -v apertium-apy)")
    setsid "$python" - "$port" >"$temp/apertium.log" 2>&1 <<'END' &
import sys
from tornado.httpserver import HTTPServer
bind = HTTPServer.bind
HTTPServer.bind = lambda self, port, *rest, **more: bind(self, port, "127.0.0.1")
# Before the import: the arguments are read there.
sys.argv = ["apertium-apy", "-p", sys.argv[1], "/usr/share/apertium/modes"]
from apertium_apy.apy import main
main()
END
    apertium=$!
    # shellcheck disable=SC2016 # the dollars are JavaScript's
    node -e '
        const url = `http://127.0.0.1:${process.argv[1]}/listPairs`, end = Date.now() + 30000;
        const ask = () => fetch(url).then((r) => r.json()).then((pairs) => process.exit(pairs.responseStatus === 200 ? 0 : 1),
            () => (Date.now() < end ? setTimeout(ask, 200) : process.exit(1)));
        ask();' "$port"
}

write_settings() {
    mkdir -p "$temp/data"
    chmod 700 "$temp/data"
    if has_apertium && start_apertium; then
        say "Translating with Apertium, English to Spanish, on this machine."
        cat >"$temp/data/settings.toml" <<END
target = "es"
providers = ["apertium"]

[provider.apertium]
kind = "apertium"
base_url = "http://127.0.0.1:$port"
END
    else
        if [ -f "$temp/apertium.log" ]; then
            tail -n 3 "$temp/apertium.log" >&2
            warn "Apertium did not start; the lines above are its last"
        fi
        say "Without Apertium: showing the marked pseudo-translation of the sample provider."
        cat >"$temp/data/settings.toml" <<'END'
target = "es"
providers = ["sample"]

[provider.sample]
kind = "sample"
END
    fi
}

# shellcheck disable=SC2317 # the traps call it
end_started() {
    [ -n "$1" ] || return 0
    kill -TERM "$1" 2>/dev/null || :
    wait "$1" 2>/dev/null || :
}

# shellcheck disable=SC2317
clean() {
    trap - EXIT INT TERM HUP
    end_started "$shown"
    [ -z "$apertium" ] || kill -TERM "-$apertium" 2>/dev/null || :
    end_started "$apertium"
    rm -rf "$temp"
    # Without a picture in it, it is of no use.
    [ -z "$pictures" ] || rmdir "$pictures" 2>/dev/null || :
}

show() {
    set -- --host "$program" --browser "$browser" --data "$temp/data" --page "$temp/guide.html"
    if [ "$headless" = yes ]; then
        pictures=$(mktemp -d "${TMPDIR:-/tmp}/webtranslator-try-XXXXXX")
        set -- "$@" --screenshot "$pictures/guide.png"
    fi
    # With another HOME the display's key has to be named.
    if [ -z "${XAUTHORITY:-}" ] && [ -f "${HOME:-}/.Xauthority" ]; then
        export XAUTHORITY="$HOME/.Xauthority"
    fi
    if [ "$browser" = chromium ]; then export CHROMIUM="$executable"; else export FIREFOX="$executable"; fi
    # Waited for, not run in front: so a signal is answered at once.
    TMPDIR=$temp node "$root/installer/try.mjs" "$@" &
    shown=$!
    shown_code=0
    wait "$shown" || shown_code=$?
    shown=
    return "$shown_code"
}

headless=no
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || headless=yes
for argument in "$@"; do
    case $argument in
    --headless) headless=yes ;;
    *) die "--try knows only --headless, not $argument" ;;
    esac
done

tools_are_here
apertium=
shown=
pictures=
temp=$(mktemp -d "${TMPDIR:-/tmp}/webtranslator-try-run-XXXXXX")
trap clean EXIT
trap 'clean; exit 130' INT
trap 'clean; exit 143' TERM HUP
install_packages
find_browser || die "no browser was found; install Chromium or Firefox and run this again"
set_program
write_settings
node "$root/tests/pages/steam-guide.mjs" 40 >"$temp/guide.html"
show
