# Sourced by the scripts beside it: a Python environment that matches a lock. PYTHON=python3.13 takes that Python, and
# an environment of its own.
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$project/.venv${PYTHON:+-$PYTHON}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
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

# ready_venv [LOCK]: makes $venv hold what requirements/LOCK.lock (dev) names, and the project itself; does nothing when
# it already does.
ready_venv() {
    local lock=$project/requirements/${1:-dev}.lock stamp=$venv/.matches wanted python
    exec 9<"$lock"
    flock 9
    wanted=$(cat "$lock" "$project/pyproject.toml" | sha256sum)
    if [ ! -x "$venv/bin/python" ]; then
        python=$(find_python)
        "$python" -m venv --clear "$venv"
    fi
    if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
        echo "Setting up $venv" >&2
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e "$project"
        echo "$wanted" >"$stamp"
    fi
    exec 9<&-
}
