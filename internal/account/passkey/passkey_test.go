package passkey_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"stoa/internal/account/passkey"
	"stoa/internal/testkit/passkeytest"
)

const (
	host   = "example.com"
	origin = "https://shop.example.com"
)

func party(tb testing.TB) *passkey.Party {
	tb.Helper()
	p, err := passkey.NewParty(host, nil, origin)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func encoded(tb testing.TB, v any) []byte {
	tb.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// register makes a passkey, and returns what is kept of it.
func register(tb testing.TB, p *passkey.Party, key *passkeytest.Passkey, lies ...func(*passkeytest.Answer)) (passkey.Credential, error) {
	tb.Helper()
	challenge := passkey.NewChallenge()
	asked := p.Creation(challenge, "Acme", passkey.User{Handle: passkey.NewHandle(), Name: "ada@example.com"}, nil)
	answer, err := passkey.ParseRegistration(encoded(tb, key.Create(passkeytest.Read(asked), lies...)))
	if err != nil {
		return passkey.Credential{}, err
	}
	if answer.Challenge() != challenge && len(lies) == 0 {
		tb.Errorf("it answers %s", answer.Challenge())
	}
	return p.VerifyRegistration(answer)
}

// prove proves a passkey.
func prove(tb testing.TB, p *passkey.Party, c passkey.Credential, key *passkeytest.Passkey, lies ...func(*passkeytest.Answer)) (passkey.Use, error) {
	tb.Helper()
	asked := p.Request(passkey.NewChallenge(), nil)
	answer, err := passkey.ParseAssertion(encoded(tb, key.Get(passkeytest.Read(asked), lies...)))
	if err != nil {
		return passkey.Use{}, err
	}
	return p.VerifyAssertion(answer, c)
}

func TestPasskeysOfTheOfferedAlgorithmsWork(t *testing.T) {
	t.Parallel()

	for name, alg := range map[string]int{"ES256": passkeytest.ES256, "EdDSA": passkeytest.EdDSA, "RS256": passkeytest.RS256} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, key := party(t), passkeytest.New(alg, origin)
			key.Counter, key.Flags = 7, key.Flags|passkeytest.Eligible|passkeytest.BackedUp
			c, err := register(t, p, key)
			if err != nil {
				t.Fatal(err)
			}
			if c.ID != passkeytest.Text(key.ID) || c.Algorithm != alg || c.Counter != 7 || !c.BackupEligible || !c.BackedUp ||
				strings.Join(c.Transports, " ") != "internal hybrid" || c.Provider() != "" {
				t.Errorf("kept %+v", c)
			}
			use, err := prove(t, p, c, key, func(a *passkeytest.Answer) { a.Flags &^= passkeytest.BackedUp })
			if err != nil || use.Counter != 8 || use.BackedUp {
				t.Errorf("%+v, %v", use, err)
			}
		})
	}
}

type answer = passkeytest.Answer

// lies are what registrations and proofs can lie about alike.
func lies() map[string]func(*answer) {
	return map[string]func(*answer){
		"another origin":                   func(a *answer) { a.Origin = "https://evil.example" },
		"a sibling of the origin":          func(a *answer) { a.Origin = "https://blog.example.com" },
		"the origin without encryption":    func(a *answer) { a.Origin = "http://shop.example.com" },
		"the origin in other letters":      func(a *answer) { a.Origin = "https://SHOP.example.com" },
		"the origin and a path":            func(a *answer) { a.Origin = origin + "/x" },
		"the origin at another port":       func(a *answer) { a.Origin = origin + ":8443" },
		"inside of a page of another site": func(a *answer) { a.CrossOrigin = true },
		"with a foreign top":               func(a *answer) { a.CrossOrigin, a.TopOrigin = true, "https://evil.example" },
		"with the own top":                 func(a *answer) { a.CrossOrigin, a.TopOrigin = true, origin },
		"with a top and not inside":        func(a *answer) { a.TopOrigin = origin },
		"another party":                    func(a *answer) { a.RPID = "evil.example" },
		"a party below":                    func(a *answer) { a.RPID = "shop.example.com" },
		"nobody was there":                 func(a *answer) { a.Flags &^= passkeytest.Present },
		"nobody was verified":              func(a *answer) { a.Flags &^= passkeytest.Verified },
		"synchronized and may not be":      func(a *answer) { a.Flags |= passkeytest.BackedUp },
		"another ceremony":                 func(a *answer) { a.Type = "payment.get" },
		"bytes too many":                   func(a *answer) { a.Extra = []byte{0} },
		"an id that is empty":              func(a *answer) { a.ID, a.AttestedID = []byte{}, []byte{} },
		"other client data":                func(a *answer) { a.Break = func(r map[string]any) { r["clientDataJSON"] = "e30" } },
		"no client data":                   func(a *answer) { a.Break = func(r map[string]any) { delete(r, "clientDataJSON") } },
	}
}

// Everything that an answer can lie about.
func TestForgedAnswersAreRefused(t *testing.T) {
	t.Parallel()

	p := party(t)
	key := passkeytest.New(passkeytest.ES256, origin)
	kept, err := register(t, p, key)
	if err != nil {
		t.Fatal(err)
	}
	for name, lie := range lies() {
		if _, err := register(t, p, passkeytest.New(passkeytest.ES256, origin), lie); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("registration, %s: %v", name, err)
		}
		if _, err := prove(t, p, kept, key, lie); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("proof, %s: %v", name, err)
		}
	}
	for name, lie := range map[string]func(*answer){
		"a proof":                            func(a *answer) { a.Type = "webauthn.get" },
		"another id":                         func(a *answer) { a.AttestedID = []byte("another") },
		"nothing is made":                    func(a *answer) { a.Flags &^= 0x40 },
		"an algorithm that is not offered":   func(a *answer) { a.Key = passkeytest.New(passkeytest.ES384, origin).Cose(passkeytest.ES384) },
		"a key of another curve":             func(a *answer) { a.Key = passkeytest.New(passkeytest.ES384, origin).Cose(passkeytest.ES256) },
		"a key of another kind":              func(a *answer) { a.Key = key.Cose(passkeytest.RS256) },
		"EdDSA by its new number":            func(a *answer) { a.Key = passkeytest.New(passkeytest.EdDSA, origin).Cose(-19) },
		"a key that is none":                 func(a *answer) { a.Key = []byte{0xa0} },
		"RSA with a hash that can collide":   func(a *answer) { a.Key = passkeytest.New(passkeytest.RS256, origin).Cose(-65535) },
		"RSA that is too short":              func(a *answer) { a.Key = passkeytest.RSA(bytes.Repeat([]byte{0xff}, 128)) },
		"RSA that is too long":               func(a *answer) { a.Key = passkeytest.RSA(bytes.Repeat([]byte{0xff}, 1024)) },
		"an answer that is not of this kind": func(a *answer) { a.Break = func(r map[string]any) { r["attestationObject"] = "oA" } },
	} {
		if _, err := register(t, p, passkeytest.New(passkeytest.ES256, origin), lie); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("registration, %s: %v", name, err)
		}
	}
	for name, lie := range map[string]func(*answer){
		"a registration":                         func(a *answer) { a.Type = "webauthn.create" },
		"another passkey's id":                   func(a *answer) { a.ID = []byte("another") },
		"it may be synchronized all of a sudden": func(a *answer) { a.Flags |= passkeytest.Eligible },
		"another signature":                      func(a *answer) { a.Break = func(r map[string]any) { r["signature"] = "MEUCIQ" } },
		"no signature":                           func(a *answer) { a.Break = func(r map[string]any) { delete(r, "signature") } },
		"signed for another":                     func(a *answer) { a.Break = func(r map[string]any) { r["authenticatorData"] = other(r) } },
	} {
		if _, err := prove(t, p, kept, key, lie); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("proof, %s: %v", name, err)
		}
	}
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prove(t, p, kept, key.WithKey(stranger)); !errors.Is(err, passkey.ErrRefused) {
		t.Errorf("signed by another key: %v", err)
	}
	changed := kept
	changed.Algorithm = passkeytest.RS256
	if _, err := prove(t, p, changed, key); !errors.Is(err, passkey.ErrRefused) {
		t.Errorf("kept as another algorithm: %v", err)
	}
}

// other returns the authenticator's data of an answer with another counter.
func other(response map[string]any) string {
	text := []byte(response["authenticatorData"].(string))
	if at := len(text) - 4; text[at] == 'B' {
		text[at] = 'A'
	} else {
		text[at] = 'B'
	}
	return string(text)
}

func TestAnswersThatAreTooLongAreNotRead(t *testing.T) {
	t.Parallel()

	p, key := party(t), passkeytest.New(passkeytest.ES256, origin)
	for size, want := range map[int]error{16 << 10: nil, 32 << 10: passkey.ErrRefused} {
		made := key.Create(passkeytest.Read(p.Creation("challenge", "Acme", passkey.User{}, nil)))
		proof := key.Get(passkeytest.Read(p.Request("challenge", nil)))
		made["padding"], proof["padding"] = strings.Repeat("A", size), strings.Repeat("A", size)
		if _, err := passkey.ParseRegistration(encoded(t, made)); !errors.Is(err, want) {
			t.Errorf("registration with %d bytes: %v", size, err)
		}
		if _, err := passkey.ParseAssertion(encoded(t, proof)); !errors.Is(err, want) {
			t.Errorf("proof with %d bytes: %v", size, err)
		}
	}
}

func TestACounterFallsOnlyWhereThereIsOne(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		before, now uint32
		fell        bool
	}{{0, 0, false}, {0, 5, false}, {5, 0, false}, {5, 6, false}, {5, 5, true}, {5, 4, true}} {
		if got := (passkey.Use{Counter: c.now}).Fell(c.before); got != c.fell {
			t.Errorf("from %d to %d: %v", c.before, c.now, got)
		}
	}
}

func TestOptionsAskForAVerifiedUserAndNoAttestation(t *testing.T) {
	t.Parallel()

	p := party(t)
	known := []passkey.Credential{{ID: "abc", Transports: []string{"usb"}}}
	user := passkey.User{Handle: []byte{1, 2, 3}, Name: "ada@example.com", DisplayName: "ada"}
	got := string(encoded(t, p.Creation("ch", "Acme", user, known)))
	want := `{"rp":{"id":"example.com","name":"Acme"},"user":{"id":"AQID","name":"ada@example.com","displayName":"ada"},` +
		`"challenge":"ch","pubKeyCredParams":[{"type":"public-key","alg":-8},{"type":"public-key","alg":-7},` +
		`{"type":"public-key","alg":-257}],"timeout":300000,` +
		`"excludeCredentials":[{"type":"public-key","id":"abc","transports":["usb"]}],` +
		`"authenticatorSelection":{"residentKey":"required","requireResidentKey":true,"userVerification":"required"},` +
		`"attestation":"none"}`
	if got != want {
		t.Errorf("creation\n%s\nwant\n%s", got, want)
	}
	got = string(encoded(t, p.Request("ch", nil)))
	if want := `{"challenge":"ch","timeout":300000,"rpId":"example.com","userVerification":"required"}`; got != want {
		t.Errorf("request\n%s\nwant\n%s", got, want)
	}
	if a, b := passkey.NewChallenge(), passkey.NewChallenge(); a == b || len(a) != 43 || len(passkey.NewHandle()) != 64 {
		t.Errorf("challenges %s, %s", a, b)
	}
}

func TestPartiesAreHostsThatBrowsersAccept(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		id, more, public string
		want             string // id and origins, "unavailable" or "wrong"
	}{
		{"", "", "https://shop.example.com", "shop.example.com https://shop.example.com"},
		{"", "", "https://shop.example.com:8443", "shop.example.com https://shop.example.com:8443"},
		{"", "", "http://localhost:8080", "localhost http://localhost:8080"},
		{"", "", "http://127.0.0.1:8080", "unavailable"},
		{"", "", "https://[::1]", "unavailable"},
		{"", "", "https://203.0.113.9", "unavailable"},
		{"", "", "http://shop.example.com", "unavailable"},
		{"example.com", "", "https://shop.example.com", "example.com https://shop.example.com"},
		{
			"example.com", "https://www.example.com", "https://shop.example.com",
			"example.com https://shop.example.com https://www.example.com",
		},
		{"", "https://shop.example.com", "https://shop.example.com", "shop.example.com https://shop.example.com"},
		{"example.com", "https://example.com", "http://127.0.0.1", "example.com https://example.com"},
		{"example.com", "", "https://notexample.com", "wrong"},
		{"example.com", "", "http://127.0.0.1", "wrong"},
		{"example.com", "https://evil.example", "https://example.com", "wrong"},
		{"example.com", "http://www.example.com", "https://example.com", "wrong"},
		{"example.com", "https://www.example.com/", "https://example.com", "wrong"},
		{"example.com", "www.example.com", "https://example.com", "wrong"},
		{"203.0.113.9", "https://203.0.113.9", "https://example.com", "wrong"},
		{"https://example.com", "", "https://example.com", "wrong"},
		{"Example.com", "", "https://example.com", "wrong"},
	} {
		var more []string
		if c.more != "" {
			more = []string{c.more}
		}
		p, err := passkey.NewParty(c.id, more, c.public)
		got := "wrong"
		switch {
		case err == nil:
			got = strings.Join(append([]string{p.ID}, p.Origins...), " ")
		case errors.Is(err, passkey.ErrUnavailable):
			got = "unavailable"
		}
		if got != c.want {
			t.Errorf("%q, %q at %s: %s (%v), want %s", c.id, c.more, c.public, got, err, c.want)
		}
	}
}

func TestProvidersAreNamed(t *testing.T) {
	t.Parallel()

	if got := (passkey.Credential{AAGUID: "fbfc3007-154e-4ecc-8c0b-6e020557d7bd"}).Provider(); got != "iCloud Keychain" {
		t.Errorf("Provider = %q", got)
	}
}

// Whatever a stranger sends: no panic, and nothing that was not signed is accepted.
func FuzzAnswers(f *testing.F) {
	p := party(f)
	key := passkeytest.New(passkeytest.EdDSA, origin)
	asked := p.Creation("challenge", "Acme", passkey.User{Handle: []byte{1}}, nil)
	kept, err := register(f, p, key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encoded(f, key.Create(passkeytest.Read(asked))))
	f.Add(encoded(f, key.Get(passkeytest.Read(p.Request("challenge", nil)), func(a *passkeytest.Answer) { a.Flags = 0 })))
	f.Add(encoded(f, key.Create(passkeytest.Read(asked), func(a *passkeytest.Answer) { a.Format = "packed" })))
	f.Add([]byte(`{"id":"","rawId":null,"type":"public-key","response":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if r, err := passkey.ParseRegistration(raw); err == nil {
			c, err := p.VerifyRegistration(r)
			if err == nil && (c.ID == "" || len(c.PublicKey) == 0 || c.BackedUp && !c.BackupEligible) {
				t.Errorf("accepted %+v", c)
			} else if err != nil && !errors.Is(err, passkey.ErrRefused) {
				t.Errorf("%v", err)
			}
		} else if !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%v", err)
		}
		a, err := passkey.ParseAssertion(raw)
		if err != nil {
			return
		}
		if _, err := p.VerifyAssertion(a, kept); err == nil {
			t.Error("accepted a proof that nobody signed")
		}
	})
}
