package contract_test

import (
	"fmt"
	"os"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk/contract"
)

func Example() {
	pack, err := os.ReadFile(vectors.Testdata("contract", "mcp-tool-risk-contract.json"))
	if err != nil {
		panic(err)
	}
	c, err := contract.Parse(pack)
	if err != nil {
		panic(err)
	}
	for _, raw := range []string{
		`{"namespace": "shop.orders", "requested_access_mode": "read"}`,
		`{"namespace": "shop.orders", "requested_access_mode": "write_ticket"}`,
		`{"namespace": "shop.refunds", "requested_access_mode": "approval_required", "human_approval_record": {"id": "R-17"}}`,
	} {
		r, err := contract.ParseRequest([]byte(raw))
		if err != nil {
			panic(err) // no request, no call
		}
		answer := c.Decide(&r)
		fmt.Println(answer.Decision.Allowed(), answer.Decision, answer.Reasons())
	}
	// Output:
	// true allow_tool_call [policy_satisfied]
	// false deny_scope_drift [access_mode_outside_profile]
	// true allow_with_confirmation [approval_present]
}
