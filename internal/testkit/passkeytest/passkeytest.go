// Package passkeytest is an authenticator and a browser for tests: it makes and proves passkeys as real ones do, and
// lies as a test tells it to. It shares no code with what it is to test. So is the app for one-time codes.
package passkeytest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math/big"
)

// Algorithms (COSE).
const (
	ES256 = -7
	EdDSA = -8
	ES384 = -35
	RS256 = -257
)

// The flags of an authenticator's data.
const (
	Present    = 0x01
	Verified   = 0x04
	Eligible   = 0x08 // for being synchronized
	BackedUp   = 0x10
	attested   = 0x40
	zeroAAGUID = 16
)

// Passkey is one passkey of somebody, on pages of one origin.
type Passkey struct {
	ID     []byte
	Handle []byte // of its user; learned when it is made
	Origin string
	// Counter counts proofs; it stays 0 for a passkey without a counter.
	Counter uint32
	Flags   byte

	alg int
	key crypto.Signer
}

// New returns a passkey that is not registered yet.
func New(alg int, origin string) *Passkey {
	id := make([]byte, 24)
	_, _ = rand.Read(id)
	p := &Passkey{ID: id, Origin: origin, Flags: Present | Verified, alg: alg}
	switch alg {
	case EdDSA:
		_, p.key, _ = ed25519.GenerateKey(rand.Reader)
	case RS256:
		p.key, _ = rsa.GenerateKey(rand.Reader, 2048)
	case ES384:
		p.key, _ = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	default:
		p.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	return p
}

// WithKey replaces the key, so that a passkey proves with one that nobody registered.
func (p *Passkey) WithKey(key crypto.Signer) *Passkey {
	other := *p
	other.key = key
	return &other
}

// Signer returns the private key.
func (p *Passkey) Signer() crypto.Signer { return p.key }

// Answer is what a browser and an authenticator answer. Tests change it before it is signed.
type Answer struct {
	Type, Challenge, Origin, TopOrigin string
	CrossOrigin                        bool
	RPID                               string
	Flags                              byte
	Counter                            uint32
	ID, AttestedID, Handle             []byte
	Key                                []byte // COSE, of a new passkey
	Format                             string
	Extra                              []byte // at the end of the authenticator's data
	// Break changes the credential at last, after it was signed.
	Break func(response map[string]any)
}

// Options are what a server asks: the publicKey of its answer.
type Options struct {
	Challenge string `json:"challenge"`
	RPID      string `json:"rpId"`
	Party     struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
	Allow []struct {
		ID string `json:"id"`
	} `json:"allowCredentials"`
}

// Read reads options.
func Read(publicKey any) Options {
	text, err := json.Marshal(publicKey)
	var o Options
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		panic(err)
	}
	return o
}

// Text is base64url.
func Text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Create answers options for a new passkey.
func (p *Passkey) Create(o Options, lies ...func(*Answer)) map[string]any {
	p.Handle, _ = base64.RawURLEncoding.DecodeString(o.User.ID)
	a := Answer{
		Type: "webauthn.create", Challenge: o.Challenge, Origin: p.Origin, RPID: o.Party.ID, Flags: p.Flags | attested,
		Counter: p.Counter, ID: p.ID, AttestedID: p.ID, Key: p.cose(p.alg), Format: "none",
	}
	for _, lie := range lies {
		lie(&a)
	}
	auth := append(a.head(), make([]byte, zeroAAGUID)...)
	auth = binary.BigEndian.AppendUint16(auth, uint16(len(a.AttestedID)))
	auth = append(append(append(auth, a.AttestedID...), a.Key...), a.Extra...)
	object := cborMap("fmt", cborText(a.Format), "attStmt", []byte{0xa0}, "authData", cborBytes(auth))
	return a.credential(map[string]any{"attestationObject": Text(object), "transports": []string{"internal", "hybrid"}})
}

// Get answers options for a proof.
func (p *Passkey) Get(o Options, lies ...func(*Answer)) map[string]any {
	if p.Counter > 0 {
		p.Counter++
	}
	a := Answer{
		Type: "webauthn.get", Challenge: o.Challenge, Origin: p.Origin, RPID: o.RPID, Flags: p.Flags, Counter: p.Counter,
		ID: p.ID, Handle: p.Handle,
	}
	for _, lie := range lies {
		lie(&a)
	}
	auth := append(a.head(), a.Extra...)
	client := sha256.Sum256(a.clientData())
	response := map[string]any{"authenticatorData": Text(auth), "signature": Text(p.sign(append(auth, client[:]...)))}
	if a.Handle != nil {
		response["userHandle"] = Text(a.Handle)
	}
	return a.credential(response)
}

func (a Answer) head() []byte {
	party := sha256.Sum256([]byte(a.RPID))
	return binary.BigEndian.AppendUint32(append(party[:], a.Flags), a.Counter)
}

func (a Answer) clientData() []byte {
	data := map[string]any{"type": a.Type, "challenge": a.Challenge, "origin": a.Origin, "crossOrigin": a.CrossOrigin}
	if a.TopOrigin != "" {
		data["topOrigin"] = a.TopOrigin
	}
	text, _ := json.Marshal(data)
	return text
}

func (a Answer) credential(response map[string]any) map[string]any {
	response["clientDataJSON"] = Text(a.clientData())
	if a.Break != nil {
		a.Break(response)
	}
	return map[string]any{
		"id": Text(a.ID), "rawId": Text(a.ID), "type": "public-key", "response": response,
		"clientExtensionResults": map[string]any{}, "authenticatorAttachment": "platform",
	}
}

func (p *Passkey) sign(message []byte) []byte {
	digest, hash := sha256.Sum256(message), crypto.SHA256
	signed := digest[:]
	if p.alg == EdDSA {
		signed, hash = message, crypto.Hash(0)
	}
	signature, err := p.key.Sign(rand.Reader, signed, hash)
	if err != nil {
		panic(err)
	}
	return signature
}

// Cose returns the public key as if it were of an algorithm.
func (p *Passkey) Cose(alg int) []byte { return p.cose(alg) }

func (p *Passkey) cose(alg int) []byte {
	switch key := p.key.Public().(type) {
	case ed25519.PublicKey:
		return cborMap(1, cborInt(1), 3, cborInt(alg), -1, cborInt(6), -2, cborBytes(key))
	case *rsa.PublicKey:
		e := big.NewInt(int64(key.E)).Bytes()
		return cborMap(1, cborInt(3), 3, cborInt(alg), -1, cborBytes(key.N.Bytes()), -2, cborBytes(e))
	case *ecdsa.PublicKey:
		point, err := key.Bytes()
		if err != nil {
			panic(err)
		}
		half, curve := len(point)/2, 1
		if key.Curve == elliptic.P384() {
			curve = 2
		}
		return cborMap(1, cborInt(2), 3, cborInt(alg), -1, cborInt(curve),
			-2, cborBytes(point[1:1+half]), -3, cborBytes(point[1+half:]))
	}
	panic("no such key")
}

// RSA returns a public key for RS256 with a modulus.
func RSA(modulus []byte) []byte {
	return cborMap(1, cborInt(3), 3, cborInt(RS256), -1, cborBytes(modulus), -2, cborBytes([]byte{1, 0, 1}))
}

func cborHead(major byte, n int) []byte {
	switch {
	case n < 24:
		return []byte{major<<5 | byte(n)}
	case n < 256:
		return []byte{major<<5 | 24, byte(n)}
	}
	return binary.BigEndian.AppendUint16([]byte{major<<5 | 25}, uint16(n))
}

func cborInt(n int) []byte {
	if n < 0 {
		return cborHead(1, -1-n)
	}
	return cborHead(0, n)
}

func cborBytes(b []byte) []byte { return append(cborHead(2, len(b)), b...) }
func cborText(s string) []byte  { return append(cborHead(3, len(s)), s...) }

// cborMap encodes a map of keys, which are int or string, each followed by its encoded value.
func cborMap(pairs ...any) []byte {
	out := cborHead(5, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		if name, ok := pairs[i].(string); ok {
			out = append(out, cborText(name)...)
		} else {
			out = append(out, cborInt(pairs[i].(int))...)
		}
		out = append(out, pairs[i+1].([]byte)...)
	}
	return out
}
