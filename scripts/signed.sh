# Sourced by scripts/install: whether what is installed from is signed. The version that is here verifies the next one;
# a script cannot vouch for itself, so the safe way is `shoe bundle install FILE`, which verifies before it runs this.

# check_release: ends the script unless that is so, or --unsigned was given. Where `shoe bundle install` has verified it
# already, SHOE_BUNDLE says so.
check_release() {
    local sums=$project/SHA256SUMS safe="sudo $command bundle install FILE"
    if [ "${SHOE_BUNDLE-}" = verified ] || [ -n "$dry" ]; then
        return
    fi
    if [ ! -e "$sums" ]; then
        [ -n "$unsigned" ] || die "these sources are signed by nobody; --unsigned installs them all the same"
        echo "NOT SIGNED: these are sources."
        return
    fi
    (cd "$project" && sha256sum --check --strict --quiet SHA256SUMS) ||
        die "the files named above are not those in SHA256SUMS; nothing was changed"
    if [ -n "$unsigned" ]; then
        echo "NOT SIGNED, or not asked: anybody may have made this."
    elif [ ! -e "$sums.note" ]; then
        die "this is not signed; --unsigned installs it all the same"
    elif [ -x "$env/bin/python" ]; then
        "$env/bin/python" -IB -m "$module" bundle verify "$project" ||
            die "the version that is installed does not take this; nothing was changed. An older one: $safe --rollback"
    else
        echo "The first installation here: nothing could verify it but you, by openssl (docs/releases.md)."
    fi
}
