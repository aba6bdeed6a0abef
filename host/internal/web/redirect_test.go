package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestRedirectMethodsAndBodies(t *testing.T) {
	n := newInternet()
	mux := http.NewServeMux()
	mux.HandleFunc("/from/{status}", func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscan(r.PathValue("status"), &status)
		w.Header().Set("Location", "/to?x#other")
		w.WriteHeader(status)
	})
	mux.Handle("/to", echo)
	n.serve(t, "a.example", mux)
	c := n.client(t)
	for _, tc := range []struct {
		status       int
		method, want string
		body         bool
	}{
		{301, "POST", "GET", false}, {302, "PUT", "GET", false}, {302, "PATCH", "GET", false}, {301, "DELETE", "DELETE", true}, {302, "GET", "GET", false},
		{303, "POST", "GET", false}, {303, "DELETE", "GET", false}, {307, "POST", "POST", true}, {308, "PUT", "PUT", true}, {307, "DELETE", "DELETE", true}, {308, "GET", "GET", false},
	} {
		args := fetchArgs{URL: fmt.Sprintf("http://a.example/from/%d#frag", tc.status), Method: tc.method, Headers: [][2]string{{"Content-Type", "text/x"}, {"Authorization", "secret"}}}
		if tc.method != "GET" {
			body := "body"
			args.Body = &body
		}
		res, err := get(c, args)
		var seen echoed
		if err != nil || json.Unmarshal([]byte(res.body), &seen) != nil {
			t.Fatalf("%d %s: %v", tc.status, tc.method, err)
		}
		if seen.Method != tc.want || (seen.Body == "body") != tc.body || (seen.Header.Get("Content-Type") == "text/x") != tc.body {
			t.Errorf("%d %s: %+v", tc.status, tc.method, seen)
		}
		if !res.Redirected || res.URL != "http://a.example/to?x" || seen.Header.Get("Authorization") != "secret" {
			t.Errorf("%d %s: %+v %v", tc.status, tc.method, res.responseHead, seen.Header)
		}
	}
	for _, status := range []int{300, 304, 305, 306} {
		if res, err := get(c, fetchArgs{URL: fmt.Sprintf("http://a.example/from/%d", status)}); err != nil || res.Status != status {
			t.Errorf("%d was followed: %v", status, err)
		}
	}
	res, err := get(c, fetchArgs{URL: "http://a.example/from/302", Redirect: "manual"})
	if err != nil || res.Status != 302 || res.StatusText != "Found" || res.Redirected {
		t.Errorf("manual: %+v %v", res, err)
	}
	if _, err := get(c, fetchArgs{URL: "http://a.example/from/302", Redirect: "error"}); reason(err) != "HELPER_RUNTIME redirected" {
		t.Errorf("error: %v", err)
	}
}

func TestRedirectTargetsAreJudged(t *testing.T) {
	n := newInternet()
	var hops int
	n.serve(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
		}
		if r.URL.Path == "/loop" {
			hops++
			w.Header().Set("Location", "/loop")
		}
		w.WriteHeader(302)
	}))
	n.serve(t, "other.example", echo)
	c := n.client(t)
	for to, want := range map[string]string{
		"":                             "",
		"http://127.0.0.1/":            "SECURITY literal-private-ip",
		"http://2130706433/":           "SECURITY literal-private-ip",
		"//169.254.169.254/latest":     "SECURITY literal-private-ip",
		"file:///etc/passwd":           "SECURITY unsupported-scheme",
		"http://u:p@other.example/":    "SECURITY userinfo-not-allowed",
		"http://other.example:22/":     "SECURITY port-not-allowed",
		"http://nowhere.example/":      "SECURITY dns-resolution-failed",
		"http://[::1/":                 "HELPER_RUNTIME invalid-redirect",
		"http://other.example\\.evil/": "HELPER_RUNTIME invalid-redirect",
	} {
		if _, err := get(c, fetchArgs{URL: "http://a.example/?to=" + strings.ReplaceAll(to, "&", "%26")}); reason(err) != want {
			t.Errorf("to %q: %v, want %q", to, err, want)
		}
	}
	// What is shown and compared is the host's one spelling, on later hops as well.
	if res, err := get(c, fetchArgs{URL: "http://a.example/?to=http://OTHER.Example./"}); err != nil || res.URL != "http://other.example/" {
		t.Errorf("%s %v", res.URL, err)
	}
	if _, err := get(c, fetchArgs{URL: "http://a.example/loop"}); reason(err) != "SECURITY too-many-redirects" || hops != maxHops+1 {
		t.Errorf("after %d hops: %v", hops, err)
	}
}

func TestRedirectsDropWhatIdentifiesTheSender(t *testing.T) {
	n := newInternet()
	to := func(location string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, location, http.StatusTemporaryRedirect)
		}
	}
	n.serve(t, "same.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			to("/end").ServeHTTP(w, r)
			return
		}
		echo.ServeHTTP(w, r)
	}))
	n.serve(t, "cross.example", to("http://end.example/"))
	n.serve(t, "port.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "port.example" {
			to("http://port.example:8080/").ServeHTTP(w, r)
			return
		}
		echo.ServeHTTP(w, r)
	}))
	n.serve(t, "back.example", to("http://via.example/"))
	n.serve(t, "via.example", to("http://same.example/end"))
	n.serve(t, "end.example", echo)
	c := n.client(t)
	secret := []string{"Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization"}
	for host, kept := range map[string]bool{"same.example": true, "cross.example": false, "port.example": false, "back.example": false} {
		headers := [][2]string{{"Accept", "text/x"}, {"Content-Type", "text/y"}}
		for _, name := range secret {
			headers = append(headers, [2]string{name, "secret"})
		}
		body := "x"
		res, err := get(c, fetchArgs{URL: "http://" + host + "/", Method: "POST", Body: &body, Headers: headers})
		var seen echoed
		if err != nil || json.Unmarshal([]byte(res.body), &seen) != nil {
			t.Fatalf("%s: %v", host, err)
		}
		for _, name := range secret[:3] {
			if (seen.Header.Get(name) != "") != kept {
				t.Errorf("%s: %s kept: %v", host, name, !kept)
			}
		}
		if seen.Header.Get("Proxy-Authorization") != "" || seen.Header.Get("Accept") != "text/x" || seen.Header.Get("Content-Type") != "text/y" || seen.Body != "x" {
			t.Errorf("%s: %+v", host, seen)
		}
	}
}
