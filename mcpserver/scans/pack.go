package scans

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"
)

// packer turns values into compressed JSON and back. It is safe for concurrent use.
type packer struct {
	in  *zstd.Encoder
	out *zstd.Decoder
}

func newPacker() (packer, error) {
	// A record is mostly the texts of the rules, which any level takes out.
	in, inErr := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true))
	out, outErr := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxOpened), zstd.WithDecoderConcurrency(0))
	return packer{in, out}, errors.Join(inErr, outErr)
}

func (p packer) pack(value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	packed := p.in.EncodeAll(raw, nil)
	if len(packed) > maxValue {
		return nil, fmt.Errorf("the scan has %d bytes compressed; at most %d are kept", len(packed), maxValue)
	}
	return packed, nil
}

func (p packer) unpack(packed []byte, into any) error {
	raw, err := p.out.DecodeAll(packed, nil)
	if err != nil {
		return err
	}
	if v := gjson.GetBytes(raw, "version").Int(); v != version {
		return fmt.Errorf("the record has version %d; this program reads %d", v, version)
	}
	return json.Unmarshal(raw, into)
}
