package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/service"
)

// gatewayVerbs is what the verbs of the gateway share.
type gatewayVerbs struct {
	settings
	asJSON bool
}

const gatewayHelp = `A running server does it over its socket, at once; without one the
state folder is opened for the moment.`

func (v *gatewayVerbs) bindJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "print JSON")
}

// do has a verb done, by the server that runs or else here.
func (v *gatewayVerbs) do(cmd *cobra.Command, verb string, ask, answer any) error {
	do, done, err := v.open(cmd)
	if err != nil {
		return err
	}
	defer done()
	return do(verb, ask, answer)
}

// open finds the gateway: that of the server that runs, or one of our own.
func (v *gatewayVerbs) open(cmd *cobra.Command) (do func(verb string, ask, answer any) error, done func(), err error) {
	ctx := cmd.Context()
	p, err := place()
	if err != nil {
		return nil, nil, exitWith(exitUsage, err)
	}
	peer, err := ownerOf(ctx, p.State, func() error {
		loaded, err := v.load(cmd)
		if err != nil {
			return err
		}
		g, end, err := service.Operate(ctx, service.Options{
			Configuration: loaded, Place: p, World: systemWorld(), Processes: systemProcesses(), Version: readBuildInfo().Version, Log: cmd.ErrOrStderr(),
		}, cmd.CommandPath())
		if err != nil {
			return exitOf(err)
		}
		done = end
		do = func(verb string, ask, answer any) error {
			return gatewayFailed(here(ctx, g, gateway.Code, verb, ask, answer))
		}
		return nil
	})
	if err != nil || peer == nil {
		return do, done, err
	}
	return func(verb string, ask, answer any) error {
		err := peer.Gateway(ctx, verb, ask, answer)
		if errors.Is(err, local.ErrNoOwner) { // it stopped before it heard anything
			return v.do(cmd, verb, ask, answer)
		}
		return gatewayFailed(err)
	}, func() {}, nil
}

// gatewayFailed gives an error its exit code.
func gatewayFailed(err error) error {
	var problem local.Problem
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &problem):
		return exitWith(exitIncomplete, err)
	}
	problem.Message = oneLine(problem.Message)
	switch problem.Code {
	case gateway.CodeInput:
		return exitWith(exitUsage, problem)
	case gateway.CodeUnknown, gateway.CodeRefused:
		return exitWith(exitNo, problem)
	}
	return exitWith(exitIncomplete, problem)
}

// print writes an answer as JSON, or as text writes it.
func (v *gatewayVerbs) print(cmd *cobra.Command, answer any, text func(io.Writer)) error {
	if v.asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(answer)
	}
	var b strings.Builder
	text(&b)
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// next says what to do next, to a person.
func (v *gatewayVerbs) next(cmd *cobra.Command, format string, args ...any) {
	if !v.asJSON {
		fmt.Fprintf(cmd.ErrOrStderr(), "next: "+format+"\n", args...)
	}
}

// completeServers offers the names of the registered servers. Nothing is reached.
func (v *gatewayVerbs) completeServers(cmd *cobra.Command, given []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	// Whoever presses a key does not wait for a verb that has the folder.
	ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
	defer cancel()
	cmd.SetContext(ctx)
	var all []gateway.Server
	if err := v.do(cmd, "servers", gateway.Name{}, &all); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, s := range all {
		names = append(names, s.Name())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
