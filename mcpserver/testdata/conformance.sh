#!/usr/bin/env bash
# Runs the scenarios of the official MCP conformance suites that a server of tools
# can be asked, against the real command. Both suites are pinned; they are fetched
# once with npm into DIR (default: a cache folder) and need no network afterwards.
#
#   mcpserver/testdata/conformance.sh [DIR]
#
# The other scenarios want tools, prompts and resources with fixed names. So do 5 of
# the 28 checks of server-stateless, which is why it is an expected failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/glovebox-conformance}
install() { # folder, packages
	[ -d "$dir/$1/node_modules" ] || (mkdir -p "$dir/$1" && cd "$dir/$1" && npm install --no-audit --no-fund --silent "${@:2}")
}
install old @modelcontextprotocol/conformance@0.1.16 node@22
install new @modelcontextprotocol/conformance@0.2.0-alpha.12
node=$dir/old/node_modules/.bin/node # 0.1.16 needs 22

work=$(mktemp -d)
go build -o "$work/glovebox" ./cmd/glovebox
XDG_STATE_HOME=$work/state "$work/glovebox" serve --preset dev-essentials --no-token --listen 127.0.0.1:0 2>"$work/log" &
server=$!
trap 'kill $server 2>/dev/null; wait $server || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do grep -q '/mcp$' "$work/log" && break || sleep 0.1; done
url=$(grep -o 'http://.*/mcp$' "$work/log")

printf 'server:\n  - server-stateless\n' >"$work/expected.yaml"
failed=0
run() { # suite, scenario
	"$node" "$dir/$1/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" \
		--scenario "$2" --expected-failures "$work/expected.yaml" -o "$work/out" >"$work/result" 2>&1 || failed=1
	printf '%s %-28s %s\n' "$1" "$2" "$(grep -a 'Passed:' "$work/result" | head -1)"
}
for scenario in server-initialize ping tools-list dns-rebinding-protection; do run old "$scenario"; done
for scenario in server-initialize server-session-lifecycle ping tools-list dns-rebinding-protection caching http-header-validation server-stateless; do run new "$scenario"; done
exit $failed
