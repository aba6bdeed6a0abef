package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/oauth2"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// MaxKept bounds one kept sign-in, in bytes: two tokens of 16 KiB each and what belongs to
// them. It fits store.BucketConfig.MaxValue.
const MaxKept = 128 << 10

// Vault keeps sign-ins in a bucket, by the name of their upstream.
type Vault struct {
	bucket *store.Bucket
	keys   *Keys
}

// NewVault returns a vault over a bucket, which should have MaxKept and a history of 1: what
// was replaced is gone.
func NewVault(bucket *store.Bucket, keys *Keys) *Vault { return &Vault{bucket, keys} }

// kept is one sign-in.
type kept struct {
	// What the tokens are for. They are used for nothing else.
	URL      string `json:"url"`
	Resource string `json:"resource"`
	Issuer   string `json:"issuer"`

	TokenURL     string           `json:"token_url"`
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style"`

	Access   string    `json:"access,omitempty"`
	Refresh  string    `json:"refresh,omitempty"`
	Scopes   []string  `json:"scopes,omitempty"` // granted, as far as is known
	Obtained time.Time `json:"obtained"`
	Expires  time.Time `json:"expires,omitzero"` // zero if the issuer does not say

	// Wanted are further scopes that the server has asked for since.
	Wanted []string `json:"wanted,omitempty"`
	// Claimed is until when one gateway is renewing the tokens, and the others wait. A refresh
	// token that is used twice is taken for a stolen one.
	Claimed time.Time `json:"claimed,omitzero"`
}

// load returns a sign-in and its revision; nil if there is none.
func (v *Vault) load(ctx context.Context, name string) (*kept, uint64, error) {
	e, err := v.bucket.Get(ctx, name)
	if errors.Is(err, store.NotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	text, err := v.keys.open(name, e.Value)
	if err != nil {
		return nil, e.Revision, err
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, e.Revision, fmt.Errorf("%w: %v", errSealed, err)
	}
	return &k, e.Revision, nil
}

// save replaces the sign-in of a revision; 0 if there was none.
func (v *Vault) save(ctx context.Context, name string, k kept, revision uint64) (uint64, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return 0, err
	}
	return v.put(ctx, name, text, revision)
}

func (v *Vault) put(ctx context.Context, name string, text []byte, revision uint64) (uint64, error) {
	sealed, err := v.keys.seal(name, text)
	if err != nil {
		return 0, err
	}
	if revision == 0 {
		return v.bucket.Create(ctx, name, sealed)
	}
	return v.bucket.Update(ctx, name, sealed, revision)
}

// replaceTries bounds how often a change is made again because another one came first.
const replaceTries = 8

// replace saves a sign-in whatever there was before, also what does not open.
func (v *Vault) replace(ctx context.Context, name string, k kept) (err error) {
	for range replaceTries {
		_, revision, loading := v.load(ctx, name)
		if loading != nil && revision == 0 {
			return loading
		}
		if _, err = v.save(ctx, name, k, revision); !errors.Is(err, store.Conflict) {
			return err
		}
	}
	return err
}

// Forget removes the sign-in of an upstream, if there is one.
func (v *Vault) Forget(ctx context.Context, name string) (err error) {
	for range replaceTries {
		e, getting := v.bucket.Get(ctx, name)
		if errors.Is(getting, store.NotFound) {
			return nil
		}
		if getting != nil {
			return getting
		}
		if err = v.bucket.Delete(ctx, name, e.Revision); !errors.Is(err, store.Conflict) {
			return err
		}
	}
	return err
}

// Rotate makes a new key, seals everything with it, and then drops the older ones. If it
// stops in between, everything still opens and it can be run again.
func (v *Vault) Rotate(ctx context.Context) error {
	if err := v.keys.replace(func(all []key) []key {
		if len(all) > 1 { // a rotation that did not finish goes on: no key is dropped that something needs
			return all
		}
		return append([]key{newKey(random())}, all...)
	}); err != nil {
		return err
	}
	all, err := v.bucket.List(ctx, store.All)
	if err != nil {
		return err
	}
	for _, e := range all {
		if err := v.reseal(ctx, e.Key); err != nil {
			return fmt.Errorf("%s: %w; the older keys stay", e.Key, err)
		}
	}
	return v.keys.replace(func(all []key) []key { return all[:1] })
}

func (v *Vault) reseal(ctx context.Context, name string) (err error) {
	for range replaceTries {
		e, getting := v.bucket.Get(ctx, name)
		if errors.Is(getting, store.NotFound) {
			return nil
		}
		if getting != nil {
			return getting
		}
		text, opening := v.keys.open(name, e.Value)
		if opening != nil {
			return opening
		}
		if _, err = v.put(ctx, name, text, e.Revision); !errors.Is(err, store.Conflict) {
			return err
		}
	}
	return err
}
