package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

// Signer signs with the same secrets again and again, without setting the keys up each
// time. Make it with NewSigner. It is safe for concurrent use.
type Signer struct{ keys []sync.Pool } // of hash.Hash, one for each secret

// NewSigner returns a Signer whose signatures are those of Sign with these secrets.
func NewSigner(secrets []string) *Signer {
	s := &Signer{keys: make([]sync.Pool, len(secrets))}
	for i, secret := range secrets {
		s.keys[i].New = func() any { return hmac.New(sha256.New, []byte(secret)) }
	}
	return s
}

// scratch is the memory that a signature takes. It is pooled.
type scratch struct {
	text, out []byte
	sum       [sha256.Size]byte
}

var scratches = sync.Pool{New: func() any {
	return &scratch{text: make([]byte, 0, 2<<10), out: make([]byte, 0, 2*(len(profile)+2+2*sha256.Size))}
}}

// Sign returns the value of the signature header, as the function Sign does.
func (s *Signer) Sign(m Message) string {
	p := scratches.Get().(*scratch) //nolint:forcetypeassert // nothing else is put there
	defer scratches.Put(p)
	p.text, p.out = m.appendText(p.text[:0]), p.out[:0]
	for i := range s.keys {
		if i > 0 {
			p.out = append(p.out, ',')
		}
		mac := s.keys[i].Get().(hash.Hash)
		mac.Reset()
		mac.Write(p.text)
		p.out = append(p.out, profile+"="...)
		p.out = hex.AppendEncode(p.out, mac.Sum(p.sum[:0]))
		s.keys[i].Put(mac)
	}
	return string(p.out)
}
