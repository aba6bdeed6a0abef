package composition_test

import (
	"fmt"

	"github.com/glovebox-run/glovebox/risk/composition"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// A composition is refused with every reason at once, and enabled when they are
// gone.
func ExampleEnable() {
	desk := composition.New("desk", "Desk")
	desk.Members = []composition.Member{{
		Server: "mail", Tool: "send_mail", Alias: composition.DefaultAlias(mcp.Default, "mail", "send_mail"),
		Description: "Sends one message.", Level: mcp.L4, Status: fingerprint.AwaitingRereview,
	}}
	_, refusals := composition.Enable(mcp.Default, desk, nil)
	for _, r := range refusals {
		fmt.Println(r.Code+":", r.Message)
	}
	desk.Members[0].Status = fingerprint.Active                     // a person looked at it
	desk.Members[0].Level = mcp.Mitigate(mcp.Default, mcp.L4, true) // and approves every call
	desk, refusals = composition.Enable(mcp.Default, desk, nil)
	fmt.Println(desk.Enabled, desk.Level(mcp.Default), len(refusals))
	// Output:
	// above-cap: "mail__send_mail" is L4, exceeding the cap of L3
	// withheld: "send_mail" of server "mail" is AWAITING_REREVIEW in the ledger
	// true L3 0
}
