# The two commands of a newcomer are `make run` and `make test`.
.PHONY: build run test check race oracle bench golden fuzz clean

BIN := bin/glovebox

build:
	@go build -o $(BIN) ./cmd/glovebox

run: build
	@$(BIN) version

test:
	go test ./...

# Everything that must hold before a change lands and that is not a test.
check:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt-ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff

# Rewrites every golden file from what the program does now; read the diff.
golden:
	go test ./... -update

clean:
	rm -rf bin
