package score

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// leastHSTS is the shortest max-age that counts: browsers forget a shorter one
	// between two visits on two days.
	leastHSTS = 24 * time.Hour
	// leastValidity is how long a certificate has to be valid still: two weeks are
	// enough to notice that renewal has failed.
	leastValidity = 14 * 24 * time.Hour
)

const notOnTheWire = "the server was not reached over HTTP"

// onWire reports whether rules about the wire apply.
func (s *subject) onWire() bool { return s.o.Target.Kind == HTTP || s.o.Target.Kind == SSE }

func (s *subject) https() bool { return s.url != nil && strings.EqualFold(s.url.Scheme, "https") }

func usesHTTPS(s *subject) Outcome {
	switch {
	case !s.onWire():
		return notFor(notOnTheWire)
	case s.https():
		return pass()
	}
	return fail("endpoint", quote(s.o.Target.URL))
}

// tls returns what the handshake showed, or why a rule about it does not apply.
func (s *subject) tls() (*TLS, Outcome) {
	switch {
	case !s.onWire():
		return nil, notFor(notOnTheWire)
	case !s.https():
		return nil, notFor("the endpoint is plain http")
	case s.o.Wire == nil || s.o.Wire.TLS == nil:
		return nil, unknown("no TLS handshake was observed")
	}
	return s.o.Wire.TLS, Outcome{}
}

func tlsHandshake(s *subject) Outcome {
	t, none := s.tls()
	switch {
	case t == nil:
		return none
	case t.Problem != "":
		return fail("TLS handshake", quote(t.Problem+": "+t.Detail))
	}
	return pass()
}

func tlsModern(s *subject) Outcome {
	t, none := s.tls()
	switch {
	case t == nil:
		return none
	case t.Version == "":
		return unknown("the handshake did not get as far as a version")
	case t.Version == "1.2" || t.Version == "1.3":
		return pass()
	}
	return fail("TLS handshake", "TLS "+t.Version)
}

func tlsNotExpiringSoon(s *subject) Outcome {
	t, none := s.tls()
	switch {
	case t == nil:
		return none
	case t.NotAfter.IsZero():
		return unknown("no certificate was seen")
	}
	if left := t.NotAfter.Sub(s.o.Seen); left < leastValidity {
		return fail("certificate", fmt.Sprintf("valid until %s, %d days after the scan", t.NotAfter.UTC().Format(time.DateOnly), int(left.Hours()/24)))
	}
	return pass()
}

func advertisesHSTS(s *subject) Outcome {
	t, none := s.tls()
	switch {
	case t == nil:
		return none
	case s.o.Wire.Status == 0:
		return unknown("the plain GET had no answer")
	}
	for part := range strings.SplitSeq(s.o.Wire.HSTS, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if !strings.EqualFold(name, "max-age") {
			continue
		}
		seconds, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 64)
		if err == nil && seconds >= int64(leastHSTS/time.Second) {
			return pass()
		}
	}
	if s.o.Wire.HSTS == "" {
		return fail("response header", "Strict-Transport-Security is absent")
	}
	return fail("response header", "Strict-Transport-Security: "+quote(s.o.Wire.HSTS))
}

func withinSize(s *subject) Outcome {
	if s.o.Target.Kind == List {
		return notFor("nothing was requested")
	}
	if step, ok := s.o.stopped("size"); ok {
		return fail(step, fmt.Sprintf("an answer was longer than %d bytes", MaxBody))
	}
	return pass()
}

func withinRedirects(s *subject) Outcome {
	if !s.onWire() {
		return notFor(notOnTheWire)
	}
	if step, ok := s.o.stopped("redirects"); ok {
		return fail(step, fmt.Sprintf("more than %d redirects", MaxRedirects))
	}
	return pass()
}

func noDowngrade(s *subject) Outcome {
	switch {
	case !s.onWire():
		return notFor(notOnTheWire)
	case !s.https():
		return notFor("the endpoint is plain http")
	case s.o.Wire == nil:
		return unknown("the plain GET had no answer")
	}
	for _, hop := range s.o.Wire.Redirects {
		if u, err := url.Parse(hop.To); err != nil || !strings.EqualFold(u.Scheme, "https") {
			return fail("redirect", quote(hop.To))
		}
	}
	return pass()
}

func withinTime(s *subject) Outcome {
	if s.o.Target.Kind == List {
		return notFor("nothing was requested")
	}
	if step, ok := s.o.stopped("time"); ok {
		return fail(step, fmt.Sprintf("no answer within %s", CallTimeout))
	}
	if took := time.Duration(s.o.TookMS) * time.Millisecond; took >= SlowScan {
		return fail("handshake and lists", took.String())
	}
	return pass()
}

func validatesOrigin(s *subject) Outcome {
	switch {
	case !s.onWire():
		return notFor(notOnTheWire)
	case s.o.Origin == nil || s.o.Origin.Status == 0:
		return unknown("the request with a foreign Origin had no answer")
	}
	status := s.o.Origin.Status
	switch {
	case status == 403:
		return pass()
	case status >= 200 && status < 300:
		return fail("initialize with Origin "+quote(s.o.Origin.Sent), fmt.Sprintf("status %d", status))
	case status >= 500:
		return unknown(fmt.Sprintf("the request with a foreign Origin was answered with %d", status))
	}
	return notFor(fmt.Sprintf("the request with a foreign Origin was refused with %d, maybe for another reason", status))
}

// credentialKeys are query parameters that hold a secret.
var credentialKeys = []string{"token", "api_key", "apikey", "access_token", "refresh_token", "password", "secret", "client_secret"}

func noCredentialsInURL(s *subject) Outcome {
	if s.url == nil {
		return notFor("the target is no URL")
	}
	var found []Evidence
	if s.url.User != nil {
		found = append(found, at("endpoint", "user name or password before the host"))
	}
	for key := range s.url.Query() {
		if slices.Contains(credentialKeys, strings.ToLower(key)) {
			found = append(found, at("endpoint", "query parameter "+quote(key)))
		}
	}
	slices.SortFunc(found, func(a, b Evidence) int { return strings.Compare(a.Text, b.Text) })
	return failOr(found)
}

func noSecretsInTexts(s *subject) Outcome {
	if s.o.Redacted == nil {
		return unknown("the texts were not searched for secrets")
	}
	var found []Evidence
	for _, secret := range s.o.Redacted.Secrets {
		if strings.HasPrefix(secret.Place, "tool ") || strings.HasPrefix(secret.Place, "instructions") || strings.HasPrefix(secret.Place, "serverInfo") {
			found = append(found, at(secret.Place, "a secret in the format "+secret.Rule))
		}
	}
	return failOr(found)
}

func usesPublicHost(s *subject) Outcome {
	if s.url == nil {
		return notFor("the target is no URL")
	}
	if why := privateHost(s.url.Hostname()); why != "" {
		return fail("endpoint", quote(s.url.Host)+" is "+why)
	}
	return pass()
}

// privateSuffixes are names that no public resolver answers.
var privateSuffixes = []string{".local", ".internal", ".intranet", ".lan", ".localhost"}

// privateHost says why a host is not for the public, or "". It resolves no names.
func privateHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" {
		return "this machine"
	}
	for _, suffix := range privateSuffixes {
		if strings.HasSuffix(host, suffix) {
			return "a name of a private network"
		}
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return ""
	case metadataHosts[host]:
		return "the metadata service of a cloud"
	case addr.Unmap().IsLoopback():
		return "a loopback address"
	case addr.Unmap().IsPrivate():
		return "a private address"
	case addr.Unmap().IsLinkLocalUnicast():
		return "a link-local address"
	case addr.Unmap().IsUnspecified():
		return "no address"
	}
	return ""
}

// metadataHosts hand credentials of the machine to whoever asks from it.
var metadataHosts = map[string]bool{
	"169.254.169.254": true, "169.254.170.2": true, "fd00:ec2::254": true, "100.100.100.200": true,
	"metadata.google.internal": true, "metadata.azure.com": true, "metadata": true,
}
