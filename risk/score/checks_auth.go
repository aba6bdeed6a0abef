package score

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// metadata returns the documents of authorization servers that parsed.
func (s *subject) metadata() []Document {
	return slices.DeleteFunc(slices.Clone(s.o.Auth.Issuers), func(d Document) bool { return len(d.Raw) == 0 })
}

const noMetadata = "no metadata of an authorization server was found"

func (s *subject) challenged(scheme string) bool {
	return s.o.Auth != nil && strings.Contains(strings.ToLower(s.o.Auth.Challenge), scheme)
}

func discoveryAdvertised(s *subject) Outcome {
	if s.o.Auth.Challenge != "" || s.resource() != nil {
		return pass()
	}
	return fail("answer to initialize", "neither WWW-Authenticate nor a protected resource document")
}

// resource returns the protected resource document, if it parsed.
func (s *subject) resource() *Document {
	if r := s.o.Auth.Resource; r != nil && len(r.Raw) > 0 {
		return r
	}
	return nil
}

func resourceMetadata(s *subject) Outcome {
	if s.challenged("resource_metadata=") || s.resource() != nil {
		return pass()
	}
	return fail("answer to initialize", "no resource_metadata in the challenge and no document at the well-known places")
}

func serverMetadata(s *subject) Outcome {
	if len(s.metadata()) > 0 {
		return pass()
	}
	return fail("authorization server metadata", noMetadata)
}

// eachServer fails with every metadata document for which look returns a text.
func (s *subject) eachServer(look func(gjson.Result) string) Outcome {
	docs := s.metadata()
	if len(docs) == 0 {
		return notFor(noMetadata)
	}
	var found []Evidence
	for _, d := range docs {
		if text := look(gjson.ParseBytes(d.Raw)); text != "" {
			found = append(found, at(quote(d.From), text))
		}
	}
	return failOr(found)
}

func supportsPKCE(s *subject) Outcome {
	return s.eachServer(func(doc gjson.Result) string {
		for _, method := range doc.Get("code_challenge_methods_supported").Array() {
			if method.Str == "S256" {
				return ""
			}
		}
		return "code_challenge_methods_supported does not list S256"
	})
}

func hasTokenEndpoint(s *subject) Outcome { return s.hasMember("token_endpoint") }
func hasJWKS(s *subject) Outcome          { return s.hasMember("jwks_uri") }

func (s *subject) hasMember(name string) Outcome {
	return s.eachServer(func(doc gjson.Result) string {
		if doc.Get(name).String() != "" {
			return ""
		}
		return name + " is absent"
	})
}

func noInsecureGrants(s *subject) Outcome {
	stated := slices.ContainsFunc(s.metadata(), func(d Document) bool { return gjson.GetBytes(d.Raw, "grant_types_supported").Exists() })
	if !stated {
		return notFor("no metadata document states grant_types_supported")
	}
	return s.eachServer(func(doc gjson.Result) string {
		for _, grant := range doc.Get("grant_types_supported").Array() {
			if grant.Str == "password" || grant.Str == "implicit" {
				return "grant_types_supported lists " + grant.Str
			}
		}
		return ""
	})
}

func issuersUseHTTPS(s *subject) Outcome {
	var found []Evidence
	seen := false
	for _, d := range s.o.Auth.Issuers {
		if d.Issuer == "" {
			continue
		}
		seen = true
		u, err := url.Parse(d.Issuer)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			found = append(found, at("issuer", quote(d.Issuer)))
		}
	}
	if !seen {
		return notFor("no authorization server was named")
	}
	return failOr(found)
}

// urlMembers are the endpoints in the metadata of an authorization server.
var urlMembers = []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "registration_endpoint", "revocation_endpoint", "introspection_endpoint"}

func metadataURLsPublic(s *subject) Outcome {
	docs := s.metadata()
	if len(docs) == 0 && s.resource() == nil {
		return notFor("no metadata was found")
	}
	var found []Evidence
	look := func(from, member, raw string) {
		if raw == "" {
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" || u.Host == "" || privateHost(u.Hostname()) != "" {
			found = append(found, at(quote(from)+" "+member, quote(raw)))
		}
	}
	for _, d := range docs {
		for _, member := range urlMembers {
			look(d.From, member, gjson.GetBytes(d.Raw, member).String())
		}
	}
	if r := s.resource(); r != nil {
		look(r.From, "resource", gjson.GetBytes(r.Raw, "resource").String())
	}
	return failOr(found)
}
