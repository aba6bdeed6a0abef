#!/usr/bin/env bash
# Drives the real command with the clients of others: the Inspector's command line
# and the TypeScript SDKs of both generations, over HTTP and stdio.
#
#   mcpserver/testdata/clients/clients.sh
set -euo pipefail
cd "$(dirname "$0")"
peers=$(./install.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd ../../.. && go build -o "$work/glovebox" ./cmd/glovebox)
cp ./*.mjs "$work" # modules are looked up from where a file is
cp -r specs "$work"
ln -s "$peers/node_modules" "$work/node_modules"
cd "$work"
for script in inspector sdk; do
	XDG_STATE_HOME=$work/state-$script node_modules/.bin/node "$script.mjs"
done
