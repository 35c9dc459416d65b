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

// texts are pooled buffers for what is signed.
var texts = sync.Pool{New: func() any { b := make([]byte, 0, 2<<10); return &b }}

// Sign returns the value of the signature header, as the function Sign does.
func (s *Signer) Sign(m Message) string {
	pooled := texts.Get().(*[]byte)
	defer texts.Put(pooled)
	text := m.appendText((*pooled)[:0])
	*pooled = text
	var sum [sha256.Size]byte
	out := make([]byte, 0, 2*(len(profile)+2+2*sha256.Size)) // two secrets stay on the stack
	for i := range s.keys {
		if i > 0 {
			out = append(out, ',')
		}
		mac := s.keys[i].Get().(hash.Hash)
		mac.Reset()
		mac.Write(text)
		out = append(out, profile+"="...)
		out = hex.AppendEncode(out, mac.Sum(sum[:0]))
		s.keys[i].Put(mac)
	}
	return string(out)
}
