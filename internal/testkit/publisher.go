package testkit

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"testing"

	"stoa/internal/app"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/sign"
)

// Publisher is somebody who signs packages, under a name that is always the same key.
type Publisher string

func (p Publisher) key() ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("publisher " + p))
	return ed25519.NewKeyFromSeed(seed[:])
}

// Public returns the publisher's public key.
func (p Publisher) Public() ed25519.PublicKey {
	public, _ := p.key().Public().(ed25519.PublicKey) // always is one
	return public
}

// Trusted is an Option: the App trusts the publisher under that name.
func (p Publisher) Trusted(_ testing.TB, cfg *app.Config) {
	cfg.TrustedKeys = append(cfg.TrustedKeys, sign.Key{Name: string(p), Public: p.Public()})
}

// Sign returns a plugin package with a signature by the publisher.
func (p Publisher) Sign(tb testing.TB, pkg []byte) []byte {
	tb.Helper()
	c, err := archive.Inspect(bytes.NewReader(pkg), int64(len(pkg)), archive.Profile{
		Manifest: "manifest.json", Also: "bundle.json", MaxSize: 1 << 30,
		Types: []string{".js", ".json", ".css", ".html", ".zip"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	files, err := sign.List(c)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := sign.New(files, p.key())
	if err != nil {
		tb.Fatal(err)
	}
	return WithEntry(tb, pkg, Entry{Name: sign.Name, Body: string(s.Bytes())})
}

// WithEntry returns an archive with one more entry, in place of one of that name.
func WithEntry(tb testing.TB, pkg []byte, entry Entry) []byte {
	tb.Helper()
	zr, err := zip.NewReader(bytes.NewReader(pkg), int64(len(pkg)))
	if err != nil {
		tb.Fatal(err)
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, f := range zr.File {
		if f.Name == entry.Name {
			continue
		}
		if err := zw.Copy(f); err != nil {
			tb.Fatal(err)
		}
	}
	w, err := zw.Create(entry.Name)
	if err == nil {
		_, err = w.Write([]byte(entry.Body))
	}
	if err == nil {
		err = zw.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}
