# The two commands of a newcomer are `make run` and `make test`.
.PHONY: embed clients conformance eval-crypto build run test check oracle bench bench-short golden clean eval-poisoning train-poisoning eval-sanitise intl-data intl-node intl-record eval-levels

BIN := bin/glovebox

build:
	@go build -o $(BIN) ./cmd/glovebox

run: build
	$(BIN) run examples/word-count.json --arg text="$$(cat README.md)"

test:
	go test ./...

# The race detector; it needs a C compiler. What .ci/run looks at is all but the servers
# and the command, whose tests start processes and take a quarter of an hour so:
# make race RACED=./... looks at everything.
RACED ?= $$(go list ./... | grep -vE '/(mcpserver|cmd)(/|$$)')
.PHONY: race
race:
	go test -race -timeout 25m $(RACED)

# Changes one line at a time and sees whether a test notices; an hour on two cores.
MUTATED ?= ./runtime/governed ./host/netguard ./host ./mcpserver/approve ./runtime/audit ./mcpserver/oauth
.PHONY: mutate
mutate:
	go run ./internal/mutate $(MUTATED)

# Every fuzz target in turn, on one processor; one that fails keeps its input in testdata.
FUZZTIME ?= 10m
.PHONY: fuzz
fuzz:
	@for dir in $$(git grep -l '^func Fuzz' -- '*_test.go' ':!oracle' ':!bench' | xargs -n1 dirname | sort -u); do \
	for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | sed 's/func //'); do \
	echo "$$dir $$target"; GOMAXPROCS=1 go test ./$$dir -run xxx -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -parallel 1 || exit 1; done; done

# What several servers of a cluster agree on, while members, links and, as processes behind a
# balancer, the servers are killed, frozen and cut off at random: make test does it for some
# seconds. Four tests, one after the other, of LINEAR each.
LINEAR ?= 30m
.PHONY: linear
linear:
	LINEAR=$(LINEAR) go test -count 1 -timeout 0 -run 'TestMembersNeverDisagree|TestServersKeepTheirPromises' -v ./mcpserver/store
	LINEAR=$(LINEAR) go test -count 1 -timeout 0 -run 'TestGatewaysKeepTheirPromises' -v ./cmd/glovebox
	LINEAR=$(LINEAR) go test -count 1 -timeout 0 -run 'TestAServerThatExistsOnceBehindCutLinks' -v ./cmd/glovebox

# Servers of an earlier commit beside those of this one, and replaced by them one after the
# other; a minute, and the time to build both.
PREVIOUS ?= HEAD~1
.PHONY: upgrade
upgrade:
	@dir=$$(mktemp -d) && git archive $(PREVIOUS) | tar -x -C $$dir && (cd $$dir && go build -o previous ./cmd/glovebox) && \
	go vet -tags upgrade ./cmd/glovebox && go test -tags upgrade ./cmd/glovebox -run TestAnUpgrade -count=1 -v -args -previous $$dir/previous; \
	status=$$?; rm -rf $$dir; exit $$status

# Everything that must hold before a change lands and that is not a test.
check:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt-ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go tool staticcheck ./...
	@$(MAKE) --no-print-directory cross
	go mod tidy -diff
	@for module in bench bench/qjs bench/wasmtime oracle examples/embed mcpserver/testdata/upstreams/othersdk mcpserver/console/browser mcpserver/certificate/authority examples/cluster/check release; do (cd $$module && go mod tidy -diff) || exit 1; done

# The program for every system that it is released for, and everything with its tests
# vetted for those that no test runs on: some 2 min of two cores with a cold build cache
# for each, seconds with a warm one. One architecture of each system is vetted, as only
# package process has files for some of them.
.PHONY: cross
cross:
	@for system in windows/amd64 darwin/arm64; do echo "go vet for $$system"; \
	GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0 go vet ./... || exit 1; done
	@for arch in arm64 riscv64; do GOARCH=$$arch CGO_ENABLED=0 go vet ./mcpserver/upstream/process || exit 1; done

# The alert rules, their tests, and the queries of the dashboard, by promtool (Debian:
# apt-get install prometheus); and a real Prometheus that reads a real server.
.PHONY: observability
observability:
	@go run ./examples/observability/check

# examples/cluster: the chart linted, rendered and decoded, the compose file read, and three
# servers of NATS with three gateways started by each way's files; a minute.
.PHONY: cluster-example
cluster-example:
	cd examples/cluster/check && go vet . && go test -count=1 .

# What a version is published as, in dist/: archives, deb, rpm, container images, SBOMs,
# licences, checksums and manifests. The commit must have the tag.
.PHONY: release release-test
release:
	@cd release && go run . -version $(VERSION) -out ../dist

# For linux/amd64: the same bytes in two folders, what is in archive, deb, rpm and image, the
# SBOM against its schema, the size, and a first minute with the binary that was unpacked.
# For every target: licences. Two links and their packing are a minute of two cores; a busy
# machine gets more than the ten that go test allows.
release-test:
	cd release && go vet . && go test -timeout 40m .

# Packages whose tests know -update.
GOLDEN = $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u)

# Rewrites every golden file from what the program does now; read the diff.
golden:
	go test $(GOLDEN) -update

# The guest's fuel against wasmtime's own, on another engine. It is a module of
# its own and needs a C compiler.
oracle:
	cd oracle && go vet ./... && go test ./...

# The command gets a certificate from pebble, the authority that Let's Encrypt tests
# clients with; a module of its own.
.PHONY: acme
acme:
	cd mcpserver/certificate/authority && go vet . && go test -count=1 .

# A program of somebody else that imports Glovebox and nothing more: it builds, runs,
# and gets neither the state store nor telemetry nor MCP with it.
embed:
	cd examples/embed && go vet ./... && go build -o /dev/null .
	@cd examples/embed && test "$$(go run .)" = 'L0 {"customer":"ada","total":129.5}'
	@cd examples/embed && ! go list -deps . | grep -E 'nats-io|opentelemetry|prometheus|modelcontextprotocol|spf13'
	@! grep -E 'nats-io|opentelemetry' examples/embed/go.mod examples/embed/go.sum

# What the sandbox costs, against the peers, in one run: tables, JSON and a page in
# bench/out. The engines of Node, and a Node that they run on, are installed from the npm
# registry first; wasmtime needs a C compiler. What is not there is left out, and the run
# says so. Run it on a machine that does nothing else.
PEERS = -glovebox $(BIN) -qjs bench/out/qjs -wasmtime "$$(ls bench/out/wasmtime 2>/dev/null)"
bench: build bench-peers
	@if command -v npm >/dev/null; then cd bench/node && npm ci --ignore-scripts --no-audit --no-fund --silent; fi
	bench/out/bench -root . $(PEERS) -node "$$(ls bench/node/node_modules/node-*/bin/node 2>/dev/null)" -out bench/out

# A tenth of it, without node: that the benchmark works, not what it says.
bench-short: build bench-peers
	bench/out/bench -short -root . $(PEERS) -out bench/out

.PHONY: bench-peers
bench-peers:
	@cd bench && go build -o out/bench .
	@cd bench/qjs && go build -o ../out/qjs .
	@rm -f bench/out/wasmtime
	@if command -v "$$(go env CC)" >/dev/null; then cd bench/wasmtime && CGO_ENABLED=1 go build -o ../out/wasmtime .; \
	else echo "no C compiler: wasmtime is left out" >&2; fi

# Recall and false positives of the poisoning scanner: cross-validated on our own
# texts, or of the scanner as it ships on CORPUS, one or more labelled JSON Lines
# files; V=1 lists the errors, or leaves out techniques and languages as well.
eval-poisoning:
	@go run ./internal/eval/poisoning $(if $(V),-v) $(CORPUS)

# Whether tools that can do the same have the same level: the definitions of real
# servers, which npm fetches in the versions of servers/package.json and which are
# started, asked for their tools, and not called. The definitions stay out of the tree.
eval-levels:
	@cd internal/eval/levels/servers && { test -d node_modules || npm install --ignore-scripts --no-audit --no-fund --no-package-lock >&2; }
	@node internal/eval/levels/servers/list.mjs | go run ./internal/eval/levels $(if $(V),-v)

# Recorded sessions of agents through the decision engine: what honest work it stops and
# which attacks do no harm. SESSIONS is a file of sessions (docs/live-decisions.md), SERVERS
# the definitions of their tools, OPERATOR a file of labels; V=1 lists every decision
# that costs something, GATEWAY=1 replays through a real server with scripted tools.
# Without SESSIONS a few of our own are replayed.
OWN := internal/eval/live/testdata
.PHONY: eval-live
eval-live:
	@go run ./internal/eval/live $(if $(V),-v) $(if $(GATEWAY),-gateway) $(if $(SESSIONS),-sessions "$(SESSIONS)" -servers "$(or $(SERVERS),$(dir $(SESSIONS))servers.json)" $(if $(OPERATOR),-operator "$(OPERATOR)"),-sessions $(OWN)/sessions.jsonl -servers $(OWN)/servers.json -operator $(OWN)/operator.json)

# Verdicts of both profiles of the score on CORPUS, one or more labelled JSON Lines files
# of tool definitions: how many honest servers are blocked, and which poisoned or
# dangerous ones are allowed; V=1 lists them with their reasons.
.PHONY: eval-score
eval-score:
	@go run ./internal/eval/score $(if $(V),-v) $(CORPUS)

# What glovebox scan says of real servers, the ones of eval-levels: started over stdio,
# looked at, and not called. It ends with 1 if one of them has no score.
.PHONY: eval-score-real
eval-score-real: build
	@cd internal/eval/levels/servers && { test -d node_modules || npm install --ignore-scripts --no-audit --no-fund --no-package-lock >&2; }
	@go run ./internal/eval/score/servers -glovebox $(BIN)

# The same of the servers that make upstreams has installed.
.PHONY: scan-real
scan-real: build
	@modules=$$(mcpserver/testdata/clients/install.sh mcpserver/testdata/upstreams) && \
	PATH="$$modules/node_modules/.bin:$$PATH" go run ./internal/eval/score/servers -glovebox $(BIN) -servers mcpserver/testdata/upstreams -modules "$$modules"

# The HTML report in a real browser; OUT keeps the pictures, for a person to look at.
.PHONY: browser-report
browser-report:
	@risk/score/report/browser.sh $(OUT)

# The weights of the scanner's second voice, from the texts of this repository.
train-poisoning:
	go run ./internal/eval/poisoning -train risk/poison/voice/weights.bin

# What the sanitiser finds of formats, evasions and benign texts, on material made
# at run time, and beside gitleaks (a module of its own that brings 200 others).
eval-sanitise:
	@go test -count=1 -v -run 'TestEvaluation|TestContexts' ./risk/egress | grep -E 'texts|missed|benign ' || true
	@go test -run xxx -bench 'Sanitiser|Masker' -benchtime 1s ./risk/egress | grep -E 'MB/s|p99'
	@cd risk/egress/oracle && go mod tidy && go test -count=1 -v . | grep -E 'gitleaks|FAIL' || true
	@cd risk/egress/oracle && go test -run xxx -bench . -benchtime 5x . | grep times

# Locale data from the npm registry, in the versions that host/internal/intl/gen/package.json names.
CLDR := $(or $(TMPDIR),/tmp)/glovebox-cldr
intl-data:
	mkdir -p $(CLDR) && cp host/internal/intl/gen/package.json $(CLDR)
	npm install --prefix $(CLDR) --ignore-scripts --no-audit --no-fund --no-package-lock --legacy-peer-deps
	go run ./host/internal/intl/gen $(CLDR)/node_modules host/internal/intl/cldr/data.zip

# Intl in the guest against the Node that is installed; go test compares with what was recorded.
intl-node:
	@if command -v node >/dev/null; then \
		dir=$$(mktemp -d) && node host/internal/intl/testdata/node.mjs $$dir && \
		go test ./host/internal/intl -run TestSameAsNode -count=1 -v -args -recordings $$dir -show 100; status=$$?; rm -rf $$dir; exit $$status; \
	else echo "node is not installed: nothing was compared" >&2; fi

# Records what the Node that is installed answers, for go test.
intl-record:
	node host/internal/intl/testdata/node.mjs

clean:
	rm -rf bin

# The attack vectors of Project Wycheproof against crypto.subtle; 110 MB that go
# downloads once.
eval-crypto:
	go test -tags wycheproof ./host/internal/subtle -run Wycheproof -v | grep -v '^=== '

# The gateway with its upstreams and clients, all killed with -9 at random while clients
# call; go test does it for 20 s.
.PHONY: storm
STORM ?= 10m
storm:
	go test ./cmd/glovebox -run 'TestStorm$$' -count=1 -v -timeout 0 -args -storm $(STORM)

# The official MCP conformance suites against the real command, and the real command
# under the clients of others. Both are fetched with npm once, in the versions of a
# lock file, and need no network afterwards.
conformance:
	@mcpserver/testdata/clients/conformance.sh

clients:
	@mcpserver/testdata/clients/clients.sh

# Real servers behind the gateway, called by clients of others; npm and python3.
.PHONY: upstreams
upstreams:
	@mcpserver/testdata/upstreams/upstreams.sh

# The console in a real Chromium, with axe-core from npm: each page, two people and one
# question, a lost connection, no script, hostile texts. PICTURES is a folder for screenshots.
.PHONY: browser screenshots
browser: build
	@cd mcpserver/console/browser && { test -d node_modules || npm install --ignore-scripts --no-audit --no-fund --no-package-lock >&2; }
	cd mcpserver/console/browser && go vet . && go test -count=1 -timeout 45m $(if $(ONLY),-run '$(ONLY)') . -args -glovebox $(CURDIR)/$(BIN) $(if $(CHROMIUM),-chromium $(CHROMIUM)) $(if $(PICTURES),-pictures $(PICTURES))

# Every page of the console in light, dark and narrow, in bin/screenshots; those that the
# documentation shows are copied there.
SHOWN := now-busy-light inbox-busy-light inbox-busy-light-narrow record-busy-light tools-shady-busy-light servers-expose-light servers-score-light
screenshots:
	@mkdir -p bin/screenshots && $(MAKE) browser PICTURES=$(CURDIR)/bin/screenshots
	@mkdir -p docs/pictures/console && for name in $(SHOWN); do cp bin/screenshots/$$name.png docs/pictures/console/; done

# What 39 libraries of the npm registry answer in the sandbox, against Node.
libraries:
	@host/testdata/libraries/libraries.sh
