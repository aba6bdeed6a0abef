package language

import (
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// secretPlaces are parts of paths under which nothing but credentials or private
// records lie; under privatePlaces settings lie, often with credentials among
// them, and honest tools speak of them too. Lower case, a trailing dot stands for
// any extension.
var (
	secretPlaces = placesOf(
		".ssh/id_", ".ssh/config", ".ssh/*", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "authorized_keys",
		".netrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".vault-token", ".password-store",
		".aws/credentials", ".azure/", ".config/gcloud", ".config/gh", ".kube/config", ".docker/config", ".gnupg",
		".cursor/", ".claude/", ".claude.json", "mcp.json", "mcp_config.json", "claude_desktop_config.",
		".bash_history", ".zsh_history", ".mozilla", "login data", "cookies.sqlite", "keychains", "keychain-db",
		"wallet.dat", "document.cookie", "private.key", "private_key.", "etc/passwd", "etc/shadow", "sudoers",
		"proc/self/environ", "proc/self/cmdline", "var/run/secrets", "config/sam", "ntds.dit", "passwords.",
	)
	privatePlaces = placesOf(
		".ssh", ".aws", ".env", ".npmrc", ".gitconfig", ".bashrc", ".zshrc", ".profile", ".bash_profile", "known_hosts", "kubeconfig", ".config",
		"credentials.", "credentials", "secrets.", "secret.", "keystore", "service-account.", "service_account.", "etc/hosts", "config.json",
	)
)

// holdsPart reports whether the path s has one of the places in it, where a name
// may start and end.
func holdsPart(s string, places *byFirst) bool {
	if strings.HasSuffix(s, ".pub") {
		return false // a public key
	}
	if strings.IndexByte(s, '.') < 0 && strings.IndexByte(s, '/') < 0 && strings.IndexByte(s, '\\') < 0 && !strings.HasPrefix(s, "id_") {
		return false
	}
	s = strings.ReplaceAll(strings.ToLower(s), `\`, "/")
	for at := range len(s) {
		if at > 0 && s[at-1] != '/' && s[at-1] != '~' && s[at-1] != '.' {
			continue
		}
		for _, p := range places[s[at]] {
			// The first time counts: a place inside another word was not meant.
			if !strings.HasPrefix(s[at:], p) || strings.Index(s, p) != at {
				continue
			}
			// A bare word such as "credentials" must be a part of a path.
			if at == 0 && len(s) == len(p) && !strings.ContainsAny(p, "._/") {
				continue
			}
			last := p[len(p)-1]
			if end := at + len(p); end == len(s) || !ascii.Letter(s[end]) || last == '.' || last == '_' || last == '/' {
				return true
			}
		}
	}
	return false
}

// byFirst are places by their first byte.
type byFirst [256][]string

func placesOf(all ...string) (p byFirst) {
	for _, place := range all {
		p[place[0]] = append(p[place[0]], place)
	}
	return p
}

// systemRoots are where a path of this machine starts, not of a web server.
var systemRoots = []string{"~/", "$home/", "/etc", "/tmp", "/var", "/home", "/root", "/usr", "/opt", "/proc", "/sys", "/dev", "/users/", "/mnt", "/private", "/library", "%appdata%", "%userprofile%"}

func isSystemPath(s string) bool {
	if len(s) > 2 && s[1] == ':' && s[2] == '\\' && ascii.Letter(s[0]) {
		return true // C:\...
	}
	for _, root := range systemRoots {
		if ascii.HasPrefix(s, root) && (len(s) == len(root) || root[len(root)-1] == '/' || !ascii.Word(s[len(root)])) {
			return true
		}
	}
	return false
}

// NamesSecret reports whether s is a variable of the environment that holds a
// secret, such as OPENAI_API_KEY.
func NamesSecret(s string) bool {
	if strings.IndexByte(s, '_') < 0 || s != strings.ToUpper(s) {
		return false
	}
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS", "_PASSWD", "_PRIVATE_KEY"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// SecretPlace reports whether the path s leads to credentials or to settings with
// credentials among them. A public key is none.
func SecretPlace(s string) bool {
	return holdsPart(s, &secretPlaces) || holdsPart(s, &privatePlaces)
}
