package egress

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// The baseline is encoding/json checking the same bytes: the ratio holds on a busy
// machine too, and on a quiet one json.Valid reads 400 MB/s or more.
func BenchmarkSanitiser(b *testing.B) {
	s := New(builtin(b), DefaultPolicy())
	session := session()
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		text := cleanJSON(size)
		b.Run(fmt.Sprintf("clean-json/%dk", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			ours, theirs := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				s.Bytes(session, Place{}, text)
				ours = min(ours, time.Since(start))
				b.StopTimer()
				start = time.Now()
				json.Valid(text)
				theirs = min(theirs, time.Since(start))
				b.StartTimer()
			}
			b.ReportMetric(float64(ours)/float64(theirs), "x-json.Valid")
			b.ReportMetric(float64(len(text))/ours.Seconds()/1e6, "MB/s-best")
		})
	}
	text := cleanJSON(64 << 10)
	b.Run("p99/64k", func(b *testing.B) {
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			s.Bytes(session, Place{}, text)
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "us-p99")
	})
	prose := []byte(strings.Repeat("The deployment of the service went well; see the notes below.\n", 1<<14))
	b.Run("prose/1024k", func(b *testing.B) {
		b.SetBytes(int64(len(prose)))
		for b.Loop() {
			s.Bytes(session, Place{}, prose)
		}
	})
	b.Run("engine", func(b *testing.B) {
		for b.Loop() {
			builtin(b)
		}
	})
}

// Hostile texts are beginnings of everything the engine looks for. The time per
// byte of a long one may not be more than that of a short one.
func BenchmarkHostile(b *testing.B) {
	s := New(builtin(b), DefaultPolicy())
	session := session()
	for name, unit := range hostile() {
		for _, size := range []int{64 << 10, 1 << 20} {
			text := []byte(strings.Repeat(unit, size/len(unit)+1)[:size])
			b.Run(fmt.Sprintf("%s/%dk", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					s.Bytes(session, Place{}, text)
				}
			})
		}
	}
}

func hostile() map[string]string {
	return map[string]string{
		"jwt":         "-ey-ey",
		"tokens":      "glpat-ghp_sk-",
		"names":       "password secret_key api_key=",
		"vendors":     "jira datadog twitter = ",
		"pem":         "-----BEGIN PRIVATE KEY-----",
		"uri":         "a://",
		"userinfo":    "a://b:",
		"blanks":      "secretaccesskey                                        ",
		"tabs":        "apikey\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t",
		"frames":      "at x (",
		"newlines":    "a\n",
		"quotes":      "\"+\"",
		"backslashes": "\\",
		"percent":     "%",
		"at":          "@",
		"digits":      "1 ",
		"curl":        "curl ",
		"secret kind": "kind: secret\ndata:\n",
		"base64":      "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo",
		"json":        "[",
		"nested":      `{"a":`,
		"hidden":      "\u200b",
		"dots":        "s.",
		"bearer":      "bearer ",
	}
}
