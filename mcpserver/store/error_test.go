package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestWhatAClusterSays: an error of either interface of the client has the code of its cause.
func TestWhatAClusterSays(t *testing.T) {
	for _, row := range []struct {
		err  error
		want Code
	}{
		{&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"}, Unreachable},
		{&nats.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"}, Unreachable},
		{&nats.APIError{Code: 400, ErrorCode: 10071, Description: "wrong last sequence"}, Failed},
		{&nats.APIError{Code: 400, ErrorCode: 10164, Description: "wrong last sequence"}, Conflict},
		{nats.ErrReconnectBufExceeded, Unreachable},
		{errors.New("else"), Failed},
	} {
		err := failed("list", "bucket/key", fmt.Errorf("watch: %w", row.err))
		if !errors.Is(err, row.want) {
			t.Errorf("%v: not %s", err, row.want)
		}
		if text := err.Error(); row.want == Unreachable && !strings.HasSuffix(text, ways[Unreachable]+")") || strings.Contains(text, "outbound buffer") {
			t.Errorf("it says %q", text)
		}
	}
}
