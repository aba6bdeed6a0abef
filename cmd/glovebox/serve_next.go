package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// nextCommand is what a person types to have a first client use the server. A token
// that was made just now is in it; another one is named by where it is. Without a
// token the address says it all.
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

// shellWord spells a text so that a shell takes it for one word.
func shellWord(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%,:="
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
