#!/bin/sh
# The install suite: the real scripts and the built program in made-up homes
# with spaces and Hangul in their names. Each home is a fresh one, nothing
# outside of a temporary folder is touched.
#
#   tests/install.sh [PROGRAM]     by default target/debug/webtranslator
#
# Prints a line for each test and "N passed, N failed" at the end.
set -u

root=$(
    folder=$(dirname -- "$0")
    CDPATH='' cd -- "$folder/.." && pwd -P
)
program=${1:-$root/target/debug/webtranslator}
[ -x "$program" ] || {
    printf 'no program at %s; run: cargo build -p webtranslator\n' "$program" >&2
    exit 2
}

passed=0
failed=0
temp=$(mktemp -d)
# shellcheck disable=SC2317 # the trap calls it
clean() { rm -rf "$temp"; }
trap clean EXIT
trap 'exit 130' INT TERM

release="$temp/the release 폴더"
FILE=org.webtranslator.host.json

# A release folder: program, extension, scripts. It is
# readable by all, since a test runs it as another user.
make_release() {
    mkdir -p "$release"
    chmod 755 "$temp" "$release"
    cp "$program" "$release/webtranslator"
    cp -R "$root/installer" "$release/installer"
    if [ -f "$root/extension/manifest.json" ]; then
        cp -R "$root/extension" "$release/extension"
    else
        mkdir "$release/extension"
        printf '{"manifest_version": 3}\n' >"$release/extension/manifest.json"
    fi
    chmod -R go+rX "$release"
}

# Sets `home` to a fresh home with a Chromium and a Firefox that were used.
fresh_home() {
    home=$(mktemp -d "$temp/김 철수 XXXXXX")
    mkdir -p "$home/.config/chromium/Default" "$home/.config/mozilla/firefox"
    chromium_file=$home/.config/chromium/NativeMessagingHosts/$FILE
    firefox_file=$home/.mozilla/native-messaging-hosts/$FILE
    place=$home/.local/share/webtranslator
    installed=$place/bin/webtranslator
}

# Runs a command as the home's owner sees the machine, output in $out.
run() {
    out=$temp/out
    env -i HOME="$home" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@" >"$out" 2>&1
}

# Names, kinds, modes and sizes of all but the reader's data, which the host
# makes when the doctor starts it.
tree() { (cd "$1" && find . \( -path ./.config/webtranslator -o -path ./.local/state -o -path './.local/share/webtranslator/*' \
    ! -path '*/bin*' ! -path '*/extension*' ! -name '*.xpi' \) -prune -o -exec ls -ldn {} + | LC_ALL=C sort -k9 | awk '{ $2 = ""; $6 = $7 = $8 = ""; print }'); }

says() {
    grep -qF -- "$1" "$out" || {
        printf '      "%s" is not in:\n' "$1"
        sed 's/^/      | /' "$out"
        return 1
    }
}

same() {
    [ "$1" = "$2" ] || {
        printf '      %s\n      is not\n      %s\n' "$1" "$2"
        return 1
    }
}

# Ends a test that cannot be made here, with why.
skip() {
    echo "$1"
    return 77
}

check() {
    sentence=$(printf '%s' "$1" | tr _ ' ')
    fresh_home
    problem=$("$1" 2>&1)
    code=$?
    if [ "$code" = 0 ]; then
        passed=$((passed + 1))
        printf 'ok    %s\n' "$sentence"
    elif [ "$code" = 77 ]; then
        printf 'skip  %s: %s\n' "$sentence" "$problem"
    else
        failed=$((failed + 1))
        printf 'FAIL  %s\n%s\n' "$sentence" "$problem"
    fi
}

a_fresh_install_puts_program_extension_and_registrations_in_place() {
    run "$release/installer/install.sh" || return
    for file in "$installed" "$place/extension/manifest.json" "$place/webtranslator.xpi" "$chromium_file" "$firefox_file"; do
        [ -f "$file" ] || { echo "missing: $file" && return 1; }
    done
    same "$(readlink "$home/.local/bin/webtranslator")" "$installed" || return
    grep -qF "\"path\": \"$installed\"" "$chromium_file" "$firefox_file" || return
    same "$(stat -c %a "$chromium_file" "$installed" "$place" | tr '\n' ' ')" '644 755 700 ' || return
    says "answers within" && says "Load unpacked" && says "$place/extension" && says "about:debugging"
}

a_command_that_no_shell_would_find_is_named() {
    run "$release/installer/install.sh" || return
    says "$home/.local/bin/webtranslator, which is not in PATH" || return
    run env PATH="$home/.local/bin:/usr/bin:/bin" "$release/installer/install.sh" || return
    ! says "not in PATH" >/dev/null
}

the_manifests_have_exactly_the_keys_of_their_family() {
    run "$release/installer/install.sh" || return
    same "$(sed -n 's/^  "\([a-z_]*\)".*/\1/p' "$chromium_file" | sort | tr '\n' ' ')" 'allowed_origins description name path type ' || return
    same "$(sed -n 's/^  "\([a-z_]*\)".*/\1/p' "$firefox_file" | sort | tr '\n' ' ')" 'allowed_extensions description name path type '
}

a_second_install_changes_nothing() {
    run "$release/installer/install.sh" || return
    before=$(tree "$home" && cat "$chromium_file" "$firefox_file" && cksum "$place/webtranslator.xpi")
    run "$release/installer/install.sh" || return
    same "$(tree "$home" && cat "$chromium_file" "$firefox_file" && cksum "$place/webtranslator.xpi")" "$before" || return
    says unchanged
}

a_dry_run_writes_nothing_and_names_every_file() {
    before=$(tree "$home")
    run "$release/installer/install.sh" --dry-run || return
    same "$(tree "$home")" "$before" || return
    says "create  $chromium_file" && says "create  $firefox_file" && says "$installed"
}

an_uninstall_leaves_nothing() {
    before=$(tree "$home")
    run "$release/installer/install.sh" || return
    run "$release/installer/uninstall.sh" || return
    for gone in "$installed" "$place/extension" "$place/webtranslator.xpi" "$home/.local/bin" "$home/.mozilla" "$(dirname "$chromium_file")"; do
        if [ -e "$gone" ] || [ -L "$gone" ]; then
            echo "left: $gone"
            return 1
        fi
    done
    run "$release/installer/install.sh" || return
    run "$release/installer/uninstall.sh" --purge --yes || return
    rmdir "$home/.local/state" "$home/.local/share" "$home/.local" 2>/dev/null
    same "$(tree "$home")" "$before" && [ ! -e "$home/.config/webtranslator" ]
}

an_uninstall_keeps_settings_and_a_purge_takes_them() {
    run "$release/installer/install.sh" || return
    mkdir -p "$home/.config/webtranslator"
    echo 'target = "ko"' >"$home/.config/webtranslator/settings.toml"
    echo x >"$place/cache.db"
    run "$release/installer/uninstall.sh" || return
    [ -f "$place/cache.db" ] && [ -f "$home/.config/webtranslator/settings.toml" ] || return
    echo n | run "$release/installer/uninstall.sh" --purge || return
    [ -f "$place/cache.db" ] || return
    run "$release/installer/uninstall.sh" --purge --yes || return
    [ ! -e "$place" ] && [ ! -e "$home/.config/webtranslator" ]
}

a_registration_of_another_install_is_left_and_the_rest_is_done() {
    mkdir -p "$home/other" "$(dirname "$chromium_file")"
    cp "$program" "$home/other/webtranslator"
    run "$home/other/webtranslator" install --browser chromium || return
    before=$(cat "$chromium_file")
    run "$release/installer/install.sh"
    same "$?" 3 || return
    says "another install is registered" || return
    same "$(cat "$chromium_file")" "$before" && [ -f "$firefox_file" ] || return
    run "$release/installer/uninstall.sh" || return
    same "$(cat "$chromium_file")" "$before" || return
    [ ! -e "$firefox_file" ]
}

a_foreign_file_of_our_name_is_touched_by_neither_install_nor_uninstall() {
    mkdir -p "$(dirname "$chromium_file")"
    printf '{"name": "someone.else"}' >"$chromium_file"
    run "$release/installer/install.sh"
    same "$?" 3 || return
    run "$release/installer/uninstall.sh" || return
    same "$(cat "$chromium_file")" '{"name": "someone.else"}'
}

a_registration_that_leads_nowhere_is_renewed() {
    mkdir -p "$home/other"
    cp "$program" "$home/other/webtranslator"
    run "$home/other/webtranslator" install --browser chromium || return
    rm -r "$home/other"
    run "$release/installer/install.sh" || return
    grep -qF "$installed" "$chromium_file"
}

an_update_replaces_a_program_that_runs() {
    run "$release/installer/install.sh" || return
    mkfifo "$temp/stdin"
    "$installed" chrome-extension://x/ <"$temp/stdin" >/dev/null &
    running=$!
    exec 9>"$temp/stdin"
    run "$release/installer/install.sh" 9>&-
    code=$?
    kill -0 "$running" || return
    exec 9>&-
    wait "$running"
    rm "$temp/stdin"
    return "$code"
}

the_xdg_folders_are_followed() {
    mkdir -p "$home/c/chromium" "$home/d"
    run env XDG_CONFIG_HOME="$home/c" XDG_DATA_HOME="$home/d" "$release/installer/install.sh" || return
    [ -f "$home/c/chromium/NativeMessagingHosts/$FILE" ] && [ -f "$home/d/webtranslator/bin/webtranslator" ] || return
    [ ! -e "$chromium_file" ] || return
    run env XDG_CONFIG_HOME="$home/c" XDG_DATA_HOME="$home/d" "$release/installer/uninstall.sh" || return
    [ ! -e "$home/d/webtranslator/bin" ] && [ ! -e "$home/c/chromium/NativeMessagingHosts" ]
}

without_a_home_it_says_so_and_changes_nothing() {
    for script in install uninstall; do
        env -u HOME "$release/installer/$script.sh" >"$temp/out" 2>&1 && return 1
        out=$temp/out
        says "HOME is not set" || return
    done
    env -u HOME "$program" install >"$temp/out" 2>&1 && return 1
    says "HOME is not set"
}

under_sudo_it_refuses_for_the_readers_folders() {
    [ "$(id -u)" = 0 ] || skip "only root can be under sudo" || return
    before=$(tree "$home")
    run env SUDO_UID=1000 "$release/installer/install.sh" && return 1
    says "without sudo" || return
    run env SUDO_UID=1000 "$program" install && return 1
    says "without sudo" || return
    same "$(tree "$home")" "$before"
}

a_folder_without_rights_fails_by_itself() {
    [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip "only root can become another user" || return
    mkdir "$(dirname "$chromium_file")"
    chown -R 65534:65534 "$home"
    chown 0:0 "$(dirname "$chromium_file")"
    run setpriv --reuid 65534 --regid 65534 --clear-groups "$release/installer/install.sh"
    same "$?" 3 || return
    says "no right to write in" || return
    [ -f "$firefox_file" ] && [ ! -e "$chromium_file" ]
}

a_folder_that_is_a_link_to_nowhere_fails_by_itself() {
    ln -s "$home/nowhere" "$(dirname "$chromium_file")"
    run "$release/installer/install.sh"
    same "$?" 3 || return
    says "a link that leads nowhere" || return
    [ -f "$firefox_file" ] && [ ! -e "$home/nowhere" ]
}

a_named_folder_gets_the_manifest_and_nothing_else_does() {
    run "$program" install --manifest-dir "$home/내 프로필/NativeMessagingHosts" --family chromium || return
    run "$program" doctor --manifest-dir "$home/내 프로필/NativeMessagingHosts" --family chromium || return
    says "answers within" || return
    same "$(find "$home" -name "$FILE")" "$home/내 프로필/NativeMessagingHosts/$FILE" || return
    run "$program" uninstall --manifest-dir "$home/내 프로필/NativeMessagingHosts" --family chromium || return
    [ ! -e "$home/내 프로필/NativeMessagingHosts/$FILE" ]
}

# broken FILE EDIT SENTENCE: what the doctor says about an edited manifest.
broken() {
    run "$release/installer/install.sh" --force || return
    sed -i "$2" "$1" || return
    run "$installed" doctor && {
        echo "the doctor was content with: $2"
        return 1
    }
    says "$3"
}

# shellcheck disable=SC2016 # the dollars are sed's, the backticks a quotation
the_doctor_names_what_a_browser_would_refuse_with_line_and_column() {
    broken "$chromium_file" 's|"stdio"|"stdio",,|' 'line ' || return
    broken "$chromium_file" '$s|}|,}|' 'line 9, column 2: trailing comma' || return
    broken "$firefox_file" '1s|{|{ "version": 1,|' 'line 1, column 11: unknown field `version`' || return
    broken "$chromium_file" 's|/"$|"|' 'lacks its last slash' || return
    broken "$chromium_file" 's|"path": "/|"path": "|' 'is not absolute'
}

the_doctor_follows_the_path() {
    run "$release/installer/install.sh" || return
    chmod -x "$installed"
    run "$release/webtranslator" doctor && return 1
    says 'not executable' && says "chmod +x '$installed'" || return
    rm "$installed" && mkdir "$installed"
    run "$release/webtranslator" doctor && return 1
    says 'is a folder' || return
    rmdir "$installed"
    run "$release/webtranslator" doctor && return 1
    says 'does not exist' || return
    printf '#!/bin/sh\necho listening\n' >"$installed"
    chmod +x "$installed"
    run "$release/webtranslator" doctor && return 1
    says 'beginning "list"'
}

the_doctor_names_a_browser_without_a_registration() {
    run "$program" doctor && return 1
    says 'Chromium: the host is not registered' && says '-> webtranslator install'
}

without_rust_and_without_a_built_program_it_says_so() {
    rm -rf "$temp/clone"
    mkdir -p "$temp/clone/extension" "$temp/bin"
    cp -R "$root/installer" "$temp/clone/installer"
    touch "$temp/clone/Cargo.toml" "$temp/clone/extension/manifest.json"
    run "$temp/clone/installer/install.sh" && return 1
    says 'install Rust 1.89 or later from https://rustup.rs' || return
    printf '#!/bin/sh\necho "cargo 1.75.0 (x)"\n' >"$temp/bin/cargo"
    chmod +x "$temp/bin/cargo"
    run env PATH="$temp/bin:/usr/bin:/bin" "$temp/clone/installer/install.sh" && return 1
    says 'rustup update stable' || return
    [ ! -e "$place" ]
}

a_clone_is_built_with_the_cargo_that_rustup_just_installed() {
    rm -rf "$temp/clone"
    mkdir -p "$temp/clone" "$home/.cargo/bin"
    cp -R "$root/installer" "$release/extension" "$temp/clone"
    touch "$temp/clone/Cargo.toml"
    cat >"$home/.cargo/bin/cargo" <<END
#!/bin/sh
[ "\$1" = build ] || { echo "cargo 1.89.0 (x)" && exit 0; }
echo "\$@" >"$home/built with"
mkdir -p target/release && cp "$program" target/release/webtranslator
END
    chmod +x "$home/.cargo/bin/cargo"
    run "$temp/clone/installer/install.sh" || return
    grep -q -e '--release --locked --package webtranslator' "$home/built with" || return
    rm -rf "$temp/clone"
    run "$installed" doctor && says "answers within"
}

the_ids_follow_from_the_extensions_manifest() {
    manifest=$root/extension/manifest.json
    run "$program" install --all || return
    id=$(sed -n 's/.*"key": *"\([^"]*\)".*/\1/p' "$manifest" | base64 -d | sha256sum | head -c 32 | tr 0-9a-f a-p)
    grep -qF "chrome-extension://$id/" "$chromium_file" || { echo "the key gives $id" && return 1; }
    gecko=$(sed -n 's/.*"id": *"\([^"]*@[^"]*\)".*/\1/p' "$manifest")
    grep -qF "\"$gecko\"" "$firefox_file"
}

the_scripts_pass_shellcheck() {
    command -v shellcheck >/dev/null || skip "shellcheck is not here" || return
    (cd "$root" && shellcheck -x -P . installer/*.sh tests/install.sh)
}

make_release
# Every function whose name is a sentence is a test.
# shellcheck disable=SC2013
for test in $(sed -n 's/^\([a-z_]*_[a-z_]*\)() {$/\1/p' "$0"); do
    case $test in
    make_release | fresh_home) ;;
    *) check "$test" ;;
    esac
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
