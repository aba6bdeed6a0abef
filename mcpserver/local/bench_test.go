package local

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
)

// BenchmarkRelay compares a message through a relay and an owner's socket with one
// sent directly to the same echo over a socket, as standard streams would.
func BenchmarkRelay(b *testing.B) {
	const message = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}` + "\n"
	trips := func(b *testing.B, in io.Writer, out io.Reader) {
		lines := bufio.NewReader(out)
		if _, err := lines.ReadString('\n'); err != nil { // the name of the client
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := io.WriteString(in, message); err != nil {
				b.Fatal(err)
			}
			if _, err := lines.ReadString('\n'); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("direct", func(b *testing.B) {
		listener, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
		if err != nil {
			b.Fatal(err)
		}
		defer listener.Close()
		go func() {
			if conn, err := listener.Accept(); err == nil {
				echo(b.Context(), "direct", conn, conn)
			}
		}()
		conn, err := net.Dial("unix", listener.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		trips(b, conn, conn)
	})
	b.Run("relay", func(b *testing.B) {
		state := b.TempDir()
		o, err := Claim(state)
		if err != nil {
			b.Fatal(err)
		}
		defer o.Close()
		if err := o.Start(Config{About: func() About { return About{} }, Lines: echo, Logger: slog.New(slog.DiscardHandler)}); err != nil {
			b.Fatal(err)
		}
		_, session, err := Join(b.Context(), state)
		if err != nil {
			b.Fatal(err)
		}
		in, write := io.Pipe()
		read, out := io.Pipe()
		go NewRelay(in, out).Run(b.Context(), session)
		trips(b, write, read)
	})
}
