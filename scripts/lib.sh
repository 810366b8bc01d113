# Sourced by the scripts beside it: a Python environment that matches a lock. PYTHON=python3.13 takes that Python, and
# an environment of its own.
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$project/.venv${PYTHON:+-${PYTHON##*/}}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Ends the script with one line about an option.
wrong() {
    printf '%s: %s; scripts/%s --help lists the options\n' "${0##*/}" "$*" "${0##*/}" >&2
    exit 2
}

# needs OPTION WORDS VALUE..: ends here where no value follows an option that wants one.
needs() {
    case ${3:-} in
        '' | -*) wrong "$1 needs $2" ;;
    esac
}

# only_files "$@": ends here where a word is an option, for scripts that have none.
only_files() {
    local word
    for word; do
        case $word in
            -?*) wrong "unknown option $word" ;;
        esac
    done
}

# answer_help "$@": where help is asked for, prints the head of the script and ends it.
answer_help() {
    case ${1-} in
        -h | --help)
            sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
    esac
}

# help_before_setup "$@": where help is asked for and no environment is there to ask, prints the head of the script and
# ends it: nobody waits for packages to read how a script is called.
help_before_setup() {
    local word
    for word; do
        case $word in
            -h | --help) [ -x "$venv/bin/python" ] || answer_help "$word" ;;
        esac
    done
}

# Prints the path of the first Python that is new enough and can make environments.
find_python() {
    local name
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    die "no Python 3.11 or newer with venv found; on Debian: sudo apt install python3 python3-venv"
}

# ready_venv [LOCK [MORE]]: makes $venv hold what requirements/LOCK.lock (dev) names, and the project itself; does
# nothing when it already does, or holds what MORE.lock names.
ready_venv() {
    local lock=$project/requirements/${1:-dev}.lock stamp=$venv/.matches wanted more python
    exec 9<"$lock"
    flock 9
    wanted=$(_state_of "$lock")
    more=${2:+$(_state_of "$project/requirements/$2.lock")}
    if [ ! -x "$venv/bin/python" ]; then
        python=$(find_python)
        "$python" -m venv --clear "$venv"
    fi
    case $(cat "$stamp" 2>/dev/null) in
        "$wanted" | "${more:-$wanted}") ;;
        *)
            install_lock "$venv/bin/python" "$lock"
            "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e "$project"
            echo "$wanted" >"$stamp"
            ;;
    esac
    exec 9<&-
}

# install_lock PYTHON LOCK [OPTION..]: lets pip install what a lock names. A terminal sees pip's own progress; elsewhere it
# is one line: how many packages, then how many MB and seconds they took.
install_lock() {
    local python=$1 lock=$2 began=$SECONDS said
    shift 2
    set -- "$python" -m pip install --disable-pip-version-check --require-hashes -r "$lock" "$@"
    printf 'Setting up %s: %s packages of requirements/%s ..' "$(_environment_of "$python")" \
        "$(grep -vc -e '^ ' -e '^#' -e win32 "$lock")" "${lock##*/}" >&2
    if [ -t 2 ]; then
        echo >&2
        "$@" >&2
        return
    fi
    said=$(mktemp)
    if ! "$@" >"$said" 2>&1; then
        { echo; cat "$said"; } >&2
        rm "$said"
        return 1
    fi
    echo " $(_megabytes <"$said") MB downloaded, $((SECONDS - began)) s" >&2
    rm "$said"
}

# Prints the folder of an environment, by its Python.
_environment_of() {
    local folder=${1%/bin/python}
    echo "${folder#"$project/"}"
}

# Prints how many MB pip, whose output this reads, has downloaded.
_megabytes() {
    awk '$1 == "Downloading" && $NF ~ /^(bytes|[kMG]B)\)$/ {
        each["bytes)"] = 1e-6; each["kB)"] = 1e-3; each["MB)"] = 1; each["GB)"] = 1e3
        sum += substr($(NF - 1), 2) * each[$NF]
    }
    END { printf "%.0f", sum }'
}

# install_debian PACKAGE..: installs packages of Debian, as root, after one line that says how much that downloads. No
# service of theirs is started: the tests start their own.
install_debian() {
    local policy=/usr/sbin/policy-rc.d lock=/run/lock/shoe-bridge-debian size
    command -v apt-get >/dev/null || die "install the packages $*"
    # Two scripts may run at a time; apt-get does not wait for another one.
    [ -n "${apt_is_updated-}" ] || flock "$lock" apt-get update -qq || true
    apt_is_updated=yes
    size=$(LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null |
        sed -n 's/^Need to get \(.*\) of archives.*/, \1 to download/p') || true
    echo "Installing for Debian: $*$size" >&2
    (
        flock 8
        if [ ! -e "$policy" ]; then
            trap 'rm -f "$policy"' EXIT
            printf '#!/bin/sh\nexit 101\n' >"$policy"
            chmod 755 "$policy"
        fi
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
    ) 8>"$lock"
}

# find_named "$@": sets `named` to the files and folders among the words for pytest, without what follows `::`.
find_named() {
    local word before=''
    named=()
    for word; do
        case $before in
            -[cknmoprW]) ;;
            *) [ "${word#-}" != "$word" ] || [ ! -e "${word%%::*}" ] || named+=("${word%%::*}") ;;
        esac
        before=$word
    done
}

# Prints what an environment of this lock matches.
_state_of() {
    cat "$1" "$project/pyproject.toml" | sha256sum
}
