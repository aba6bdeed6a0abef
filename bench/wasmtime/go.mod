module github.com/glovebox-run/glovebox/bench/wasmtime

go 1.26.0

require (
	github.com/bytecodealliance/wasmtime-go/v39 v39.0.1
	github.com/glovebox-run/glovebox v0.0.0
)

require github.com/aperturerobotics/go-quickjs-wasi-reactor v0.15.1 // indirect

replace github.com/glovebox-run/glovebox => ../..
