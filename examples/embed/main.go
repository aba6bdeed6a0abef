// Command embed runs one tool from a program that imports Glovebox and nothing
// else. It is a module of its own, as such a program is: `make embed` builds it,
// runs it and looks at what came with it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

const document = `{
	"name": "invoice",
	"description": "Adds up what a customer ordered. Returns { customer, total }.",
	"params": [{ "name": "customer", "description": "Who ordered", "type": "STRING", "required": true, "testValue": "ada" }],
	"code": "const orders = shop.orders({ customer }); console.log(orders.length, 'orders'); return { customer, total: orders.reduce((sum, o) => sum + o.total, 0) };",
	"codeType": "Javascript"
}`

type query struct {
	Customer string `json:"customer"`
}

type order struct {
	Total float64 `json:"total"`
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	orders, err := host.FunctionOf(host.Function{
		Name: "shop.orders", Doc: "Lists the orders of a customer.", Gate: host.Everywhere, Rate: budget.Structured, Beyond: "orders",
	}, func(_ context.Context, account *budget.Account, q query) ([]order, error) {
		found := []order{{Total: 9.5}, {Total: 120}}
		return found, account.ChargeEach(len(found), budget.Element)
	})
	if err != nil {
		return err
	}
	functions, err := host.NewFunctions(orders)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	started := time.Now()
	rt, err := runtime.Open(ctx, runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(cache, "embed-example")},
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(), Functions: functions,
	})
	if err != nil {
		return err
	}
	defer rt.Close()
	fmt.Fprintf(os.Stderr, "open after %v\n", time.Since(started).Round(time.Millisecond))

	tool, problems := rt.Load([]byte(document))
	if err := problems.Err(); err != nil {
		return err
	}
	arguments := []byte(`{"customer":"ada"}`)
	result := tool.Call(ctx, runtime.Invocation{
		Arguments: arguments,
		Clearance: tool.Decide(risk.Allow, "it only adds", arguments).Clear(time.Now().Add(time.Minute)),
		Printed:   func(line jsengine.Line) { fmt.Fprintln(os.Stderr, line.Level+":", line.Text) },
	})
	if result.Failure != nil {
		return result.Failure
	}
	fmt.Println(tool.Level(), string(result.Value))
	return nil
}
