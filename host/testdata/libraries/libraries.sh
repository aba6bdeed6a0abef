#!/usr/bin/env bash
# Bundles the libraries of package.json, records what Node answers, and compares
# with what the sandbox does. Fetches them with npm once, in the versions of the
# lock file, and needs no network afterwards.
#
#   host/testdata/libraries/libraries.sh
set -euo pipefail
cd "$(dirname "$0")"
kept=${XDG_CACHE_HOME:-$HOME/.cache}/glovebox-libraries-$(sha256sum package-lock.json | cut -c1-16)
mkdir -p "$(dirname "$kept")"
if [ ! -d "$kept" ]; then
	new=$(mktemp -d "$kept.XXXXXX")
	cp package.json package-lock.json "$new"
	(cd "$new" && npm ci --ignore-scripts --no-audit --no-fund --silent)
	mv "$new" "$kept"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ./*.mjs "$work"
ln -s "$kept/node_modules" "$work/node_modules"
(cd "$work" && node run.mjs answers.jsonl)
cd ../../..
GLOVEBOX_LIBRARIES=$work/answers.jsonl go test -count=1 -tags libraries -run TestLibrariesAnswerAsInNode ./host
