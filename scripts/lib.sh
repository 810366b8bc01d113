# Sourced by the scripts beside it: a Python environment that matches a lock. PYTHON=python3.13 takes that Python, and
# an environment of its own.
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$project/.venv${PYTHON:+-$PYTHON}

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
            echo "Setting up $venv" >&2
            "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
            "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e "$project"
            echo "$wanted" >"$stamp"
            ;;
    esac
    exec 9<&-
}

# Prints what an environment of this lock matches.
_state_of() {
    cat "$1" "$project/pyproject.toml" | sha256sum
}
