#!/bin/sh
# Removes what install.sh installed: registrations, program, copy of the
# extension, link. Settings, keys and translations stay, unless --purge.
set -eu

root=$(
    folder=$(dirname -- "$0")
    CDPATH='' cd -- "$folder/.." && pwd -P
)
# shellcheck source=installer/common.sh
. "$root/installer/common.sh"

usage() {
    cat <<'END'
usage: installer/uninstall.sh [--purge [--yes]]

  --purge   also remove settings, keys, dictionary and translations, after asking
  --yes     do not ask
END
}

# Prints the program that can find the registrations.
any_program() {
    if [ -x "$installed" ]; then
        printf '%s\n' "$installed"
    elif ! prebuilt; then
        [ -x "$root/target/release/webtranslator" ] || return 1
        printf '%s\n' "$root/target/release/webtranslator"
    fi
}

remove_registrations() {
    if program=$(any_program); then
        "$program" uninstall || failed=yes
    elif [ -d "$place" ]; then
        failed=yes
        warn "the program is gone, so the registrations could not be removed; they are files named org.webtranslator.host.json"
    fi
}

remove_install() {
    if [ -L "$link" ] && [ "$(readlink -- "$link")" = "$installed" ]; then
        rm -f "$link"
        rmdir "$HOME/.local/bin" 2>/dev/null || :
    fi
    rm -rf "${place:?}/bin" "$place/extension" "$place/extension.new" "$place/extension.old"
    rm -f "$place/webtranslator.xpi" "$place/.webtranslator.xpi.new"
    rmdir "$place" 2>/dev/null || :
}

# The folders of settings, data and log, as the program names them.
remove_data() {
    case ${XDG_CONFIG_HOME:-} in
    /*) config=$XDG_CONFIG_HOME/webtranslator ;;
    *) config=$HOME/.config/webtranslator ;;
    esac
    case ${XDG_STATE_HOME:-} in
    /*) state=$XDG_STATE_HOME/webtranslator ;;
    *) state=$HOME/.local/state/webtranslator ;;
    esac
    if [ "$yes" = no ]; then
        say "Settings, keys, dictionary and translations:"
        say "  $config"
        say "  $place"
        say "  $state"
        printf 'Remove them for good? [y/N] '
        read -r answer || answer=
        case $answer in
        y | Y | yes) ;;
        *)
            say "They stay."
            return 0
            ;;
        esac
    fi
    rm -rf "$config" "$place" "$state"
    say "Settings, keys, dictionary and translations are removed."
}

purge=no
yes=no
failed=no
for argument in "$@"; do
    case $argument in
    -h | --help)
        usage
        exit 0
        ;;
    --purge) purge=yes ;;
    --yes) yes=yes ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
done

refuse_sudo
set_places
remove_registrations
remove_install
[ "$purge" = no ] || remove_data
if [ "$failed" = yes ]; then
    warn "something could not be removed; the lines above say what"
    exit 3
fi
say "WebTranslator is removed. In each browser, remove the extension on its extensions page."
[ "$purge" = yes ] || say "Settings and translations stay; to remove them too: installer/uninstall.sh --purge"
