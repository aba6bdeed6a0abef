package upstream

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

// secretName is how headers and variables are called that hold a secret.
var secretName = regexp.MustCompile(`(?i)auth|cookie|key|token|secret|passw|credential`)

// resolved returns the configuration with every ${VAR} replaced, and what was looked up.
func (c *Config) resolved(lookup catalog.Lookup) (r Config, secrets []string, err error) {
	r = *c
	values := map[string]string{placeURL: c.URL, placeID: c.Auth.ClientID, placeSecret: c.Auth.ClientSecret}
	maps.Copy(values, c.Env)
	maps.Copy(values, c.Headers)
	for i, argument := range c.Command {
		values[placeArgument(i)] = argument
	}
	all, secrets, err := resolve(values, lookup)
	if err != nil {
		return r, nil, err
	}
	r.URL, r.Command, r.Env, r.Headers = all[placeURL], slices.Clone(c.Command), maps.Clone(c.Env), maps.Clone(c.Headers)
	r.Auth.ClientID, r.Auth.ClientSecret = all[placeID], all[placeSecret]
	for i := range r.Command {
		r.Command[i] = all[placeArgument(i)]
	}
	for _, group := range []map[string]string{r.Env, r.Headers} {
		for name := range group {
			group[name] = all[name]
		}
	}
	return r, secrets, nil
}

// The places of references beside variables and headers, whose names have no blanks.
const placeURL, placeID, placeSecret = "the URL", "the client id", "the client secret"

func placeArgument(i int) string { return fmt.Sprintf("argument %d", i) }

// resolve replaces ${VAR} in values and returns what it looked up. Unset variables are
// reported together.
// The secrets are for the masker.
func resolve(values map[string]string, lookup catalog.Lookup) (resolved map[string]string, secrets []string, err error) {
	resolved = make(map[string]string, len(values))
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		var pairs []string
		for _, variable := range catalog.References(value) {
			found, ok := catalog.FirstOf(lookup)(variable)
			if !ok {
				missing = append(missing, fmt.Sprintf("%s needs ${%s}", name, variable))
				continue
			}
			secrets = append(secrets, found)
			pairs = append(pairs, "${"+variable+"}", found)
		}
		if len(pairs) == 0 && value != "" && secretName.MatchString(name) {
			secrets = append(secrets, value) // written out, against advice
		}
		// One pass: what was looked up is not looked into.
		resolved[name] = strings.NewReplacer(pairs...).Replace(value)
	}
	if len(missing) > 0 {
		return nil, nil, fmt.Errorf("not set: %s; set it in the gateway's environment or its secrets", strings.Join(missing, ", "))
	}
	return resolved, secrets, nil
}
