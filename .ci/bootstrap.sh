#!/bin/sh
# Usage: sh .ci/bootstrap.sh run|dev
# Makes .venv with the locked packages of requirements/<set>.txt and the project itself; does nothing when all is there.
set -eu
cd "$(dirname "$0")/.."
set_name=$1
lock=requirements/$set_name.txt
python=${PYTHON:-python3}
unset PYTHONHOME PYTHONPATH

say() { echo "pumper: $*" >&2; }

make_venv() {
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        { say "needs Python 3.11 or newer; name one: make PYTHON=python3.12 …"; exit 2; }
    say "making .venv"
    "$python" -m venv .venv >/dev/null 2>&1 && return
    # Debian without python3-venv has no ensurepip.
    rm -rf .venv
    "$python" -m pip install --quiet --target .tools virtualenv
    PYTHONPATH=.tools "$python" -m virtualenv --quiet .venv
}

fetch() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
        --require-hashes --only-binary :all: --requirement "$lock" "$@"
}

# A folder copied or moved keeps scripts that start the old place's interpreter.
if [ -f .venv/.home ] && [ "$(cat .venv/.home)" != "$(pwd -P)" ]; then rm -rf .venv; fi
# A link to an interpreter that is gone, or a half-made environment.
if [ -d .venv ] && ! .venv/bin/python -c 'import pip' >/dev/null 2>&1; then rm -rf .venv; fi
[ -d .venv ] || make_venv
pwd -P >.venv/.home

# The copy laid beside is the stamp: it is compared whole. dev.txt holds all that run.txt does, in the same versions.
if ! cmp -s "$lock" ".venv/.installed-$set_name" &&
    ! { [ "$set_name" = run ] && cmp -s requirements/dev.txt .venv/.installed-dev; }; then
    say "installing $lock"
    rm -f .venv/.installed-run .venv/.installed-dev
    # A transfer that broke off has another hash: it is fetched once more, past the cache.
    fetch || { say "once more"; fetch --no-cache-dir; }
    cp "$lock" ".venv/.installed-$set_name"
fi

if ! cmp -s pyproject.toml .venv/.installed-project || [ ! -x .venv/bin/pumper ]; then
    say "installing the project"
    rm -f .venv/.installed-project
    # Its build tools are in the lock: nothing is fetched here.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
        --no-index --no-deps --no-build-isolation --editable .
    cp pyproject.toml .venv/.installed-project
fi
