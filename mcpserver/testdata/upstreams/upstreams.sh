#!/usr/bin/env bash
# Puts real MCP servers behind the gateway, in the way an operator does it, and calls
# them with real clients: servers in TypeScript, Python and Go on another SDK, over
# stdio and HTTP, one with a real database; clients on both TypeScript SDKs and of an
# agent framework.
#
#   mcpserver/testdata/upstreams/upstreams.sh
set -euo pipefail
cd "$(dirname "$0")"
peers=$(../clients/install.sh "$PWD")
work=$(mktemp -d)
(cd ../../.. && go build -o "$work/glovebox" ./cmd/glovebox)
(cd othersdk && go build -o "$work/othersdk" .)
cp ./*.mjs weather.py "$work" # modules are looked up from where a file is
ln -s "$peers/node_modules" "$work/node_modules"
cd "$work"
node=$work/node_modules/.bin/node
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config PATH=$work:$PATH
pids=
trap 'kill $pids 2>/dev/null; wait || true; rm -rf "$work"' EXIT

port() { "$node" -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
database=$(port) everything=$(port)
"$node" database.mjs "$database" >database.log 2>&1 &
pids="$pids $!"
PORT=$everything "$node" node_modules/@modelcontextprotocol/server-everything/dist/index.js streamableHttp >everything.log 2>&1 &
pids="$pids $!"
for _ in $(seq 100); do grep -q ready database.log && grep -q -i listening everything.log && break || sleep 0.1; done

mkdir -p shared config/glovebox
echo 'the meeting is on Monday' >shared/notes.txt
cat >config/glovebox/config.yaml <<-END
	listen: 127.0.0.1:0
	token: {none: true}
	policy: {unasked: L5}
	gateway: {mode: composed}
END
export DATABASE_URL="postgresql://postgres:postgres@127.0.0.1:$database/postgres?sslmode=disable"
server() { echo "$work/node_modules/$1"; }
glovebox upstream add everything "http://127.0.0.1:$everything/mcp" --allow-private >added.txt
glovebox upstream add files --sandbox files+network --may-read "$work" --may-read "$(dirname "$(dirname "$(readlink -f "$node")")")" --may-read "$peers" --may-write "$work/shared" -- "$node" "$(server @modelcontextprotocol/server-filesystem/dist/index.js)" "$work/shared" >>added.txt
glovebox upstream add memory --env "MEMORY_FILE_PATH=$work/memory.json" -- "$node" "$(server @modelcontextprotocol/server-memory/dist/index.js)" >>added.txt
glovebox upstream add thinking -- "$node" "$(server @modelcontextprotocol/server-sequential-thinking/dist/index.js)" >>added.txt
glovebox upstream add stock -- "$node" "$(server @modelcontextprotocol/server-postgres/dist/index.js)" '${DATABASE_URL}' >>added.txt
glovebox upstream add weather -- "$(command -v python3)" "$work/weather.py" >>added.txt
glovebox upstream add words -- "$work/othersdk" >>added.txt
glovebox upstream add playwright -- "$node" "$(server @playwright/mcp/cli.js)" --headless --isolated >>added.txt
glovebox upstream add devtools -- "$node" "$(server chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js)" --headless --isolated >>added.txt
for name in everything files memory thinking stock weather words playwright devtools; do
	glovebox upstream test "$name" >"$name.txt" || { cat "$name.txt" >&2; exit 1; }
	glovebox pin approve "$name" --yes >>"$name.txt" || { cat "$name.txt" >&2; exit 1; }
	glovebox expose "$name" --all --prefix "$name" >>"$name.txt"
done
glovebox serve 2>log &
gateway=$!
pids="$pids $gateway"
for _ in $(seq 300); do grep -q '/mcp$' log && break || sleep 0.1; done
GLOVEBOX_URL=$(grep -o 'http://.*/mcp$' log | head -1) "$node" clients.mjs || { cat log >&2; exit 1; }

# Nothing that the gateway started outlives it, not even when it is killed.
children() { pgrep -f "$work/" | while read -r pid; do tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -E 'server-(filesystem|memory|sequential|postgres)|weather.py|othersdk|@playwright|chrome-devtools' || true; done; }
[ -n "$(children)" ] || { echo "no server runs, so nothing was tried" >&2; exit 1; }
kill -9 $gateway
for _ in $(seq 100); do [ -z "$(children)" ] && break || sleep 0.1; done
[ -z "$(children)" ] || { echo "left behind by kill -9:" >&2; children >&2; exit 1; }
glovebox audit verify
