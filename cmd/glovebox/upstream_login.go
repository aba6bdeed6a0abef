package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

func newUpstreamLogin() *cobra.Command {
	var v gatewayVerbs
	var noBrowser bool
	cmd := &cobra.Command{
		Use:   "login NAME",
		Short: "Sign in to a server, in a browser",
		Long: `Sign in to a server, in a browser: the address of its issuer's page is printed and, on a
terminal or with $BROWSER, opened; the browser comes back to this machine. The tokens
are kept sealed and renewed. It waits for ten minutes. With --json each step is a line
of JSON. A server added by a command and without --auth gets it by this.`,
		Example: `  glovebox upstream login linear
  glovebox upstream login linear --no-browser`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			do, done, err := v.open(cmd)
			if err != nil {
				return err
			}
			defer done()
			name := gateway.Name{Name: args[0]}
			var l gateway.Login
			if err := do("login", name, &l); err != nil {
				return err
			}
			if err := v.print(cmd, l, func(out io.Writer) { writeLogin(out, &l) }); err != nil {
				return err
			}
			if program := browser(cmd); program != nil && !noBrowser {
				openBrowser(cmd.Context(), program, l.URL)
			}
			state := gateway.LoginState{Waiting: true}
			for state.Waiting {
				state = gateway.LoginState{}
				if err := do("login-wait", name, &state); err != nil {
					return err
				}
			}
			if err := v.print(cmd, state, func(out io.Writer) {
				fmt.Fprintf(out, "%s: %s\n", state.Name, oneLine(signedIn(state.SignIn)))
			}); err != nil {
				return err
			}
			v.next(cmd, "glovebox upstream test %s", args[0])
			return nil
		},
	}
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "print the address only")
	v.bindJSON(cmd)
	return cmd
}

func writeLogin(out io.Writer, l *gateway.Login) {
	fmt.Fprintf(out, "sign in to %s at %s", l.Name, oneLine(l.Issuer))
	if len(l.Scopes) > 0 {
		fmt.Fprintf(out, " for %s", oneLine(strings.Join(l.Scopes, ", ")))
	}
	fmt.Fprintf(out, "; open this in a browser of this machine:\n%s\n", oneLine(l.URL))
}

// signedIn says how a sign-in is, in one line.
func signedIn(s *signin.Status) string {
	if s.Needs != "" && s.Since.IsZero() {
		return s.Needs
	}
	if s.Since.IsZero() {
		return "as " + s.ClientID + ", when it is reached"
	}
	text := "signed in at " + cmp.Or(s.Issuer, "its issuer") + " as " + s.ClientID
	if len(s.Scopes) > 0 {
		text += " for " + strings.Join(s.Scopes, ", ")
	}
	switch {
	case s.Renews:
		text += "; it is renewed"
	case !s.Until.IsZero():
		text += " until " + s.Until.Local().Format(time.RFC3339)
	}
	if s.Needs != "" {
		text += "; " + s.Needs
	}
	return text
}

// browser returns the command that opens an address; nil if there is nobody to see it.
func browser(cmd *cobra.Command) []string {
	if program := os.Getenv("BROWSER"); program != "" {
		return []string{program}
	}
	out, ok := cmd.OutOrStdout().(*os.File)
	if !ok {
		return nil
	}
	if info, err := out.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}

// openBrowser starts a browser and leaves it to itself. The address begins with http, so it is no
// option, and there is no shell; that it could not be opened is seen.
func openBrowser(ctx context.Context, program []string, url string) {
	c := exec.CommandContext(context.WithoutCancel(ctx), program[0], append(program[1:], url)...)
	if c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}

func newUpstreamLogout() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:   "logout NAME",
		Short: "Forget the sign-in to a server",
		Long: `Forget the sign-in to a server. Its issuer is not told; the account's own page there ends
what was granted.`,
		Example:           `  glovebox upstream logout linear`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := v.do(cmd, "logout", gateway.Name{Name: args[0]}, &struct{}{}); err != nil {
				return err
			}
			if v.asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
					Name string `json:"name"`
				}{args[0]})
			}
			return nil
		},
	}
	v.bindJSON(cmd)
	return cmd
}
