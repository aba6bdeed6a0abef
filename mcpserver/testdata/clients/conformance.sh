#!/usr/bin/env bash
# Runs the official MCP conformance suites against the real command, as a gateway in
# front of the SDK's everything-server, which has the tools, prompts and resources that
# the scenarios ask for. The suite for sessions runs against a server with sessions, the
# one for 2026-07-28 against one without; no failure is expected.
#
#   mcpserver/testdata/clients/conformance.sh
#
# Not counted are the scenarios of the tasks extension, which no revision requires and
# the everything-server does not have.
set -euo pipefail
cd "$(dirname "$0")"
peers=$(./install.sh)
work=$(mktemp -d)
cd ../../..
go build -o "$work/glovebox" ./cmd/glovebox
go build -o "$work/everything-server" github.com/modelcontextprotocol/go-sdk/conformance/everything-server
cd "$work"
pids=
trap 'kill $pids 2>/dev/null; wait || true; rm -rf "$work"' EXIT

# A free port; the everything-server cannot choose one itself.
port() { "$peers/node_modules/.bin/node" -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }

# gateway STATELESS starts both servers and sets url.
gateway() {
	local at dir=$work/$1
	at=$(port)
	mkdir -p "$dir"
	./everything-server -http "127.0.0.1:$at" -stateless="$1" >"$dir/end.log" 2>&1 &
	pids="$pids $!"
	cat >"$dir/config.yaml" <<-END
		listen: 127.0.0.1:0
		token: {none: true}
		policy: {ceiling: L5, unasked: L5}
		gateway: {mode: composed}
		upstreams:
		  everything:
		    url: http://127.0.0.1:$at/
		    allow_private: true
		    first_sight: trust
		    elicitation: allow
		    sampling: allow
		    roots: allow
		    resources: true
		    prompts: true
		    expose: ["*"]
	END
	XDG_STATE_HOME=$dir/state ./glovebox serve --config "$dir/config.yaml" 2>"$dir/log" &
	pids="$pids $!"
	for _ in $(seq 300); do
		# Before the server has the state folder, the command would open it itself.
		if grep -q '/mcp$' "$dir/log" && XDG_STATE_HOME=$dir/state ./glovebox upstream show everything 2>/dev/null | grep -q exposed; then
			url=$(grep -o 'http://.*/mcp$' "$dir/log" | head -1)
			return
		fi
		sleep 0.1
	done
	cat "$dir/log" >&2
	return 1
}

failed=0
suite() { # name, package, further arguments
	"$peers/node_modules/.bin/node" "$peers/node_modules/$2/dist/index.js" server --url "$url" -o "out/$1" "${@:3}" >"$1.txt" 2>&1 || true
	grep '^Total:' "$1.txt" | sed "s/^/$1: /" || { cat "$1.txt"; failed=1; }
	if grep '^✗' "$1.txt" | grep -v '^✗ tasks-'; then
		grep -A12 'Failed' "$1.txt" | head -60
		failed=1
	fi
}
crossed() { # what, package, scenarios
	local scenario passed=0
	for scenario in "${@:3}"; do
		"$peers/node_modules/.bin/node" "$peers/node_modules/$2/dist/index.js" server --url "$url" --scenario "$scenario" -o out/crossed >crossed.txt 2>&1 || true
		if grep -Eq '^Passed: ([0-9]+)/\1, 0 failed' crossed.txt; then passed=$((passed + 1)); else cat crossed.txt; failed=1; fi
	done
	echo "$1: $passed of $(($# - 2)) scenarios"
}
plain="ping tools-list tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content tools-call-error tools-call-with-progress
	resources-list resources-read-text resources-read-binary resources-templates-read prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image completion-complete"
gateway false
suite sessions @modelcontextprotocol/conformance
crossed "a new client, an old server" conformance-next $plain
gateway true
suite 2026-07-28 conformance-next --requirements 2026-07-28
crossed "an old client, a new server" @modelcontextprotocol/conformance server-initialize $plain
exit $failed
