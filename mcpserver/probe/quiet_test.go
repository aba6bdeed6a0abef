package probe

import (
	"io"
	"log"
)

// quiet drops what test servers log about broken handshakes, which are meant.
var quiet = log.New(io.Discard, "", 0)
