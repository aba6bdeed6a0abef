package upstream

import (
	"errors"
	"net/http"
	"reflect"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// tokens is what gets a server's tokens, and what it was made of.
type tokens struct {
	url    string
	config signin.Config
	client *signin.Client
}

// SignIn returns what gets the server's tokens; nil if its configuration has no auth. It
// reaches nothing.
func (u *Upstream) SignIn() (*signin.Client, error) {
	reached, _, err := u.config.resolved(u.options.Lookup)
	if err != nil {
		return nil, err
	}
	return u.signIn(&reached)
}

// signIn returns the client of a configuration whose ${VAR} are replaced. It stays the same, with
// the tokens that it holds, as long as they do.
func (u *Upstream) signIn(reached *Config) (*signin.Client, error) {
	if reached.Auth.IsZero() {
		return nil, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if t := u.tokens; t != nil && t.url == reached.URL && reflect.DeepEqual(t.config, reached.Auth) {
		return t.client, nil
	}
	o := signin.Options{
		Name: u.config.Name, URL: reached.URL, Config: reached.Auth, AllowPrivate: u.config.AllowPrivate,
		Resolve: u.options.Resolve, Dial: u.options.Dial, Roots: u.options.Roots, Now: u.options.Now,
	}
	var err error
	if u.options.Vault != nil && reached.Auth.Grant == signin.Code {
		if o.Vault, err = u.options.Vault(); err != nil {
			return nil, err
		}
	}
	client, err := signin.New(o)
	if err == nil {
		u.tokens = &tokens{reached.URL, reached.Auth, client}
	}
	return client, err
}

// loginWanted reports whether a request was not let in because a person has to sign in.
func loginWanted(err error) bool {
	login, scope := (*signin.LoginRequired)(nil), (*signin.ScopeRequired)(nil)
	return errors.As(err, &login) || errors.As(err, &scope)
}

// wayIn says what may help with a server that lets nobody in, if signin has not said it.
func (c *Config) wayIn() string {
	switch {
	case c.Auth.Grant == signin.ClientCredentials:
		return "check what its account may do"
	case !c.Auth.IsZero():
		return "sign in again with glovebox upstream login " + c.Name
	}
	for name := range c.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return "check the secret in its header Authorization"
		}
	}
	return "sign in with glovebox upstream login " + c.Name
}
