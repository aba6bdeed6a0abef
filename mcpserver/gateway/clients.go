package gateway

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
)

// ReadClient reads the servers in the configuration of a client of this machine, in the
// folders of a person.
func ReadClient(reader *imports.Reader, client editors.Client, home, config string) (read imports.Read, file string, err error) {
	file = client.File(home, config)
	text, err := ReadBounded(file, editors.MaxText)
	if err == nil {
		read, err = reader.Client(client, text)
	}
	return read, file, err
}

// ClientServer is a server in the configuration of a client.
type ClientServer struct {
	imports.Found
	Client string
}

// ReadClients reads the servers of every client that there is. One broken file keeps nobody
// from the others. Nothing is started or contacted.
func ReadClients(home, config string) (found []ClientServer, left []imports.Left, err error) {
	reader, err := imports.NewReader(home)
	if err != nil {
		return nil, nil, err
	}
	for _, client := range editors.All() {
		read, file, err := ReadClient(reader, client, home, config)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			left = append(left, imports.Left{Called: file, Why: err.Error()})
		}
		for _, f := range read.Found {
			found = append(found, ClientServer{f, client.ID})
		}
		left = append(left, read.Left...)
	}
	return found, left, nil
}

// ReadBounded reads a file that has at most so many bytes.
func ReadBounded(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > most:
		return nil, fmt.Errorf("it has %d bytes, more than %d", info.Size(), most)
	}
	return io.ReadAll(io.LimitReader(f, most))
}
