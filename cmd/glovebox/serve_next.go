package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// nextCommand is the command that connects a first client to the server. It
// contains a token that was just made; for any other token it names the place
// where it is kept. Without a token the address is enough.
func nextCommand(l *config.Loaded, url, made, tokenFile string) string {
	add := "claude mcp add --transport http glovebox " + url
	_, inEnvironment := os.LookupEnv(l.Token.Env)
	var token string
	switch {
	case made != "":
		token = made
	case l.Token.None:
		return ""
	case l.OAuth.Issuer != "" && !l.OAuth.WithToken:
		return add // a client finds the issuer by itself
	case l.Token.File == "" && inEnvironment:
		token = "$" + l.Token.Env
	default:
		token = "$(cat " + shellWord(tokenFile) + ")"
	}
	return fmt.Sprintf("%s --header \"Authorization: Bearer %s\"", add, token)
}

// shellWord quotes a text so that a shell takes it as one word.
func shellWord(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%,:="
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
