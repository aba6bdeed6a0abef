package web

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func rude(t testing.TB, reply func(conn net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Read(make([]byte, 4096))
				reply(conn)
			}()
		}
	}()
	return l.Addr().String()
}

func TestHostileServers(t *testing.T) {
	n := newInternet()
	hang := func(conn net.Conn) { io.Copy(io.Discard, conn) }
	for name, reply := range map[string]func(net.Conn){
		"silent":   hang,
		"closes":   func(net.Conn) {},
		"garbage":  func(c net.Conn) { io.WriteString(c, "\x00\x01\x02 no HTTP\r\n\r\n") },
		"half":     func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le"); hang(c) },
		"short":    func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc") },
		"lies":     func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc") },
		"negative": func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc") },
		"twice": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 3\r\n\r\nabc")
		},
		"longer": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nabc")
		},
		"headers": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(c, "X-%d: %s\r\n", i, strings.Repeat("h", 1000)); err != nil {
					return
				}
			}
		},
		"drip": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			for {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		},
		"endless": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				if _, err := io.WriteString(c, "10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n"); err != nil {
					return
				}
			}
		},
		"continues": func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\nX: "+strings.Repeat("y", 1000)+"\r\n\r\n"); err != nil {
					return
				}
			}
		},
		"switches": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
			hang(c)
		},
	} {
		n.at(name+".example", rude(t, reply))
	}
	c := n.client(t)
	for name, want := range map[string]string{
		"silent": "timeout", "half": "timeout", "drip": "timeout", "closes": "io", "garbage": "io", "short": "io", "negative": "io", "twice": "io",
		"headers": "io", "continues": "io", "switches": "io", "lies": "response-body-too-large", "endless": "response-body-too-large", "longer": "",
	} {
		args := fetchArgs{URL: "http://" + name + ".example/"}
		if want == "timeout" {
			args.Timeout = 300
		}
		res, err := get(c, args)
		if got := reason(err); !strings.HasSuffix(got, want) || want == "" && (got != "" || res.body != "a") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
