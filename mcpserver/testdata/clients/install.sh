#!/usr/bin/env bash
# Installs the programs that the package-lock.json beside this script pins, or the one in
# the folder that is named, and prints the folder they are in. npm is asked once for each version of that file; afterwards no network is
# needed.
set -euo pipefail
cd "${1:-$(dirname "$0")}"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/glovebox-clients
dir=$cache/$(cat package.json package-lock.json | git hash-object --stdin)
if [ ! -d "$dir" ]; then
	mkdir -p "$cache"
	new=$(mktemp -d "$cache/new.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	cp package.json package-lock.json "$new"
	(cd "$new" && npm ci --no-audit --no-fund --loglevel=error >&2)
	mv "$new" "$dir"
fi
echo "$dir"
