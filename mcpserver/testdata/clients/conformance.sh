#!/usr/bin/env bash
# Runs the scenarios of the official MCP conformance suites that a server of tools
# can be asked, against the real command.
#
#   mcpserver/testdata/clients/conformance.sh
#
# The other scenarios want tools, prompts and resources with fixed names. So do
# four checks of server-stateless; the fifth in expected-failures.txt counts the
# empty list of prompts, which the scenario caching wants, as having prompts.
# Neither another failure nor one less passes.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
peers=$(./install.sh)
work=$(mktemp -d)
cd ../../.. && go build -o "$work/glovebox" ./cmd/glovebox && cd "$work"
XDG_STATE_HOME=$work/state ./glovebox serve --preset dev-essentials --no-token --listen 127.0.0.1:0 2>log &
server=$!
trap 'kill $server 2>/dev/null; wait $server || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do grep -q '/mcp$' log && break || sleep 0.1; done
url=$(grep -o 'http://.*/mcp$' log)

failed=0
run() { # suite, scenario
	"$peers/node_modules/.bin/node" "$peers/node_modules/$1/dist/index.js" server --url "$url" --scenario "$2" -o "out/$1" >result 2>&1 || true
	local checks
	checks=$(ls -d "out/$1"/server-"$2"-*/checks.json) || { cat result; failed=1; return; }
	"$peers/node_modules/.bin/node" -e '
		const checks = JSON.parse(require("fs").readFileSync(process.argv[1]));
		const ids = status => checks.filter(c => c.status === status).map(c => c.id);
		console.error(`${ids("SUCCESS").length} of ${ids("SUCCESS").length + ids("FAILURE").length}`); // the others were skipped, or warn
		for (const id of ids("FAILURE")) console.log(id);
		if (ids("SUCCESS").length === 0) console.log("nothing was checked");' "$checks" >"failures" 2>count
	printf '%-36s %-30s %s passed\n' "$1" "$2" "$(cat count)"
	expected=/dev/null
	[ "$2" != server-stateless ] || expected=$here/expected-failures.txt
	diff "$expected" failures || { cat result; failed=1; }
}
for scenario in server-initialize ping tools-list dns-rebinding-protection server-sse-multiple-streams; do
	run @modelcontextprotocol/conformance "$scenario"
done
for scenario in server-initialize server-session-lifecycle ping tools-list dns-rebinding-protection server-sse-multiple-streams caching \
	http-header-validation input-required-result-unsupported-methods server-stateless; do
	run conformance-next "$scenario"
done
exit $failed
