#!/bin/sh
# Installs WebTranslator for the user who runs it, without root: the program,
# a copy of the extension that outlives this folder, and a registration in
# every browser that is found. Everything that knows a browser is in the
# program; this script puts it in its place and calls it.
set -eu

root=$(
    folder=$(dirname -- "$0")
    CDPATH='' cd -- "$folder/.." && pwd -P
)
# shellcheck source=installer/common.sh
. "$root/installer/common.sh"

usage() {
    cat <<'END'
usage: installer/install.sh [--dry-run] [OPTION ...]
       installer/install.sh --try [--headless]

  --dry-run        say what would be done, and change nothing
  --try            install nothing: open a sample page, translated, in a
                   browser with a fresh profile of its own

Other options go to "webtranslator install":
  --browser ID     only this browser (may be given several times)
  --all            every browser that is known, found or not
  --extension-id ID  allow a further id of the extension
  --force          replace the registration of another install

To remove it again: installer/uninstall.sh
END
}

# Copies the extension beside its place, then swaps: a browser that has it
# loaded never sees half of it.
copy_extension() {
    new=$place/extension.new
    rm -rf "$new" "$place/extension.old"
    cp -R "$root/extension" "$new"
    # A fixed time makes the packed extension the same each time.
    find "$new" -exec touch -t 202001010000 {} +
    if [ -d "$place/extension" ]; then
        mv "$place/extension" "$place/extension.old"
    fi
    mv "$new" "$place/extension"
    rm -rf "$place/extension.old"
}

# Packs the copy for Firefox, with whichever packer there is.
pack_extension() {
    packed=$place/.webtranslator.xpi.new
    rm -f "$packed"
    if command -v zip >/dev/null 2>&1; then
        (cd "$place/extension" && find . -type f | LC_ALL=C sort | TZ=UTC zip -q -X -@ - >"$packed")
    elif command -v python3 >/dev/null 2>&1; then
        (cd "$place/extension" && TZ=UTC python3 -m zipfile -c "$packed" ./*)
    else
        rm -f "$place/webtranslator.xpi"
        warn "neither zip nor python3 is here, so no webtranslator.xpi was packed; Firefox can load the folder itself"
        return 0
    fi
    mv -f "$packed" "$place/webtranslator.xpi"
}

# A running program cannot be written to, but its name can be given away.
copy_program() {
    mkdir -p "$place/bin"
    cp "$program" "$place/bin/.webtranslator.new"
    chmod 755 "$place/bin/.webtranslator.new"
    mv -f "$place/bin/.webtranslator.new" "$installed"
}

# The sentences below say "webtranslator"; a shell may not find it.
name_link() {
    case :$PATH: in
    *:"$HOME/.local/bin":*) ;;
    *) say "The command webtranslator is $link, which is not in PATH (yet): Debian adds that folder at the next login." ;;
    esac
}

link_program() {
    if [ -e "$link" ] || [ -L "$link" ]; then
        [ -L "$link" ] && [ "$(readlink -- "$link")" = "$installed" ] && name_link && return 0
        warn "$link is something else and was left alone; the program is $installed"
        return 0
    fi
    if mkdir -p "$HOME/.local/bin" 2>/dev/null && ln -s "$installed" "$link" 2>/dev/null; then
        name_link
        return 0
    fi
    warn "no link could be made in $HOME/.local/bin; the program is $installed"
}

show_plan() {
    say "Would install for $(id -un):"
    say "  $installed"
    say "  $place/extension"
    say "  $place/webtranslator.xpi"
    say "  $link (a link to the program)"
    if program=$(prebuilt); then
        say "and register it:"
        "$program" install --dry-run --host "$installed" "$@"
    else
        check_rust
        say "after building it with cargo. Which browsers it would be registered with, only the"
        say "built program knows; afterwards: webtranslator install --dry-run"
    fi
}

install_all() {
    set_program
    mkdir -p "$place" || die "$place could not be made"
    chmod 700 "$place"
    copy_program
    copy_extension
    pack_extension
    link_program
    say "Installed in $place"
    code=0
    "$installed" install "$@" || code=$?
    say
    ill=0
    "$installed" doctor || ill=$?
    [ "$code" -ne 0 ] || code=$ill
    exit "$code"
}

dry=no
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
    -h | --help)
        usage
        exit 0
        ;;
    --dry-run) dry=yes ;;
    --try) exec sh "$root/installer/try.sh" "$@" ;;
    *) set -- "$@" "$argument" ;;
    esac
done

refuse_sudo
set_places
[ -f "$root/extension/manifest.json" ] ||
    die "the folder $root/extension is missing; take a release folder or a clone as a whole"
if [ "$dry" = yes ]; then
    show_plan "$@"
else
    install_all "$@"
fi
