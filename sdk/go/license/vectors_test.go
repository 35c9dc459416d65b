package license_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"flag"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"stoa/internal/account/token"
	"stoa/internal/httpsig"
	"stoa/internal/keyring"
	"stoa/internal/market/lease"
)

var update = flag.Bool("update", false, "rewrite sdk/testdata/vectors.json")

const vectorsFile = "../../testdata/vectors.json"

// vectors are what both SDKs are tested with: made by the code of stoa that
// signs, never by an SDK.
type vectors struct {
	JWKS    json.RawMessage `json:"jwks"`
	PEM     string          `json:"pem"`
	Leases  []leaseVector   `json:"leases"`
	Answers []answerVector  `json:"answers"`

	Instances []instanceVector `json:"instances"`
}

// instanceVector is an instance id and how stoa spells it.
type instanceVector struct {
	ID     string `json:"id"`
	Normal string `json:"normal"`
}

// instanceVectors are those where white space and lower case are not the same in
// every language. A test compares them with a real stoa.
var instanceVectors = []instanceVector{
	{" A.Example\n", "a.example"},
	{"\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000a.example\u0085", "a.example"},
	{"\ufeffA.example\ufeff", "\ufeffa.example\ufeff"}, // no white space in Go, but in JavaScript
	{"\u200bA.example", "\u200ba.example"},
	{"\u0130STANBUL.example", "istanbul.example"},    // one letter, not two
	{"\u039f\u03a3.example", "\u03bf\u03c3.example"}, // the final sigma is a sigma
	{"STRA\u1e9eE.example", "stra\u00dfe.example"},   // capital sharp s
	{"\u212aELVIN \u212bNGSTR\u00d6M", "kelvin \u00e5ngstr\u00f6m"},
	{"\U00010400.example", "\U00010428.example"}, // beyond 16 bits
	{"\u01c5.example", "\u01c6.example"},         // title case
}

type leaseVector struct {
	Name     string `json:"name"`
	Lease    string `json:"lease"`
	Product  string `json:"product"`
	Instance string `json:"instance"`
	Issuer   string `json:"issuer,omitempty"`
	Now      int64  `json:"now"`
	LastSeen int64  `json:"lastSeen,omitempty"`
	// Either what is wrong or what is found.
	Error    string        `json:"error,omitempty"`
	State    string        `json:"state,omitempty"`
	SeenNext int64         `json:"seenNext,omitempty"`
	Claims   *lease.Claims `json:"claims,omitempty"`
}

type answerVector struct {
	Name    string            `json:"name"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Nonce   string            `json:"nonce,omitempty"`
	Created int64             `json:"created,omitempty"` // zero: it is refused
}

func key(tb testing.TB, n byte) keyring.Key {
	tb.Helper()
	k, err := keyring.KeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

const t0 = 1893499200 // 2030-01-01T12:00:00Z

var claims = lease.Claims{
	Issuer: "https://shop.example.com", Subject: "tz4a98xxat96iws9zmbrgj3a", Product: lease.Product{ID: "pr4a98xxat96iws9zmbrgj3a", Slug: "mail-pack"},
	InstanceID: "a.example", Features: []string{"templates", "süß & <b>"}, LicenseType: "subscription", LicenseExpiresAt: t0 + 30*day,
	IssuedAt: t0, ExpiresAt: t0 + 7*day, GraceUntil: t0 + 10*day, Nonce: "n-1",
}

const day = 24 * 60 * 60

func sign(tb testing.TB, k keyring.Key, c lease.Claims) string {
	tb.Helper()
	raw, err := lease.Sign(k, c)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// forge signs a token of any form.
func forge(k keyring.Key, header, claims string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(k.Private, []byte(text)))
}

func leaseVectors(tb testing.TB) []leaseVector {
	tb.Helper()
	current, other := key(tb, 1), key(tb, 9)
	good := sign(tb, current, claims)
	perpetual := claims
	perpetual.LicenseExpiresAt, perpetual.LicenseType, perpetual.Nonce, perpetual.Features = 0, "perpetual", "", []string{}
	text, err := json.Marshal(claims)
	if err != nil {
		tb.Fatal(err)
	}
	body := string(text)
	head := func(change ...string) string {
		return strings.NewReplacer(change...).Replace(`{"alg":"EdDSA","kid":"` + current.ID + `","typ":"license-lease+jwt"}`)
	}
	access, err := token.Sign(current, token.Access, token.Claims{UserID: "u", Role: "ADMIN", SessionID: "s", ID: "j"})
	if err != nil {
		tb.Fatal(err)
	}
	last := strings.LastIndexByte(good, '.')
	parts := strings.Split(good, ".")
	v := func(name, raw string, now int64, more leaseVector) leaseVector {
		more.Name, more.Lease, more.Now = name, raw, now
		if more.Product == "" {
			more.Product = "mail-pack"
		}
		if more.Instance == "" {
			more.Instance = "a.example"
		}
		if more.State != "" && more.SeenNext == 0 {
			more.SeenNext = max(now, t0)
		}
		return more
	}
	bad := func(name, raw string) leaseVector { return v(name, raw, t0, leaseVector{Error: "invalid"}) }
	return []leaseVector{
		v("the moment it is issued", good, t0, leaseVector{State: "valid", Claims: &claims}),
		v("the last second", good, t0+7*day-1, leaseVector{State: "valid"}),
		v("the first second of the grace", good, t0+7*day, leaseVector{State: "grace"}),
		v("the last second of the grace", good, t0+10*day-1, leaseVector{State: "grace"}),
		v("after the grace", good, t0+10*day, leaseVector{State: "expired"}),
		v("a licence without end", sign(tb, current, perpetual), t0, leaseVector{State: "valid", Claims: &perpetual}),
		v("by the next key", sign(tb, key(tb, 2), claims), t0, leaseVector{State: "valid"}),
		v("an instance in another spelling", good, t0, leaseVector{State: "valid", Instance: " A.Example\n"}),
		v("the issuer it has", good, t0, leaseVector{State: "valid", Issuer: "https://shop.example.com/"}),
		v("another issuer", good, t0, leaseVector{Error: "issuer", Issuer: "https://evil.example.com"}),
		v("another product", good, t0, leaseVector{Error: "product", Product: "other"}),
		v("another instance", good, t0, leaseVector{Error: "instance", Instance: "b.example"}),
		v("a clock a little behind", good, t0-3600, leaseVector{State: "valid"}),
		v("a clock before it was issued", good, t0-3601, leaseVector{Error: "clock"}),
		v("a clock that was set back", good, t0+day, leaseVector{Error: "clock", LastSeen: t0 + 2*day}),
		v("a clock that was set back a little", good, t0+7*day-10, leaseVector{State: "grace", LastSeen: t0 + 7*day + 10, SeenNext: t0 + 7*day + 10}),
		v("an old lastSeen", good, t0+day, leaseVector{State: "valid", LastSeen: t0 - day}),
		v("another key", sign(tb, other, claims), t0, leaseVector{Error: "unknown_key"}),
		v("another key under a known id", forge(other, head(), body), t0, leaseVector{Error: "invalid"}),
		v("no kid", forge(current, head(`"kid":"`+current.ID+`",`, ""), body), t0, leaseVector{Error: "unknown_key"}),
		bad("nothing", ""),
		bad("no token", "a.b.c"),
		bad("two parts", good[:last]),
		bad("four parts", good+".x"),
		bad("no signature", good[:last+1]),
		bad("padding", good+"="),
		bad("a line break at the end", good+"\n"),
		bad("a line break in the signature", good[:len(good)-9]+"\r\n"+good[len(good)-9:]),
		bad("another spelling of the last bits", good[:len(good)-1]+respell(good[len(good)-1])),
		bad("changed claims", parts[0]+"."+base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(body, "templates", "everythin", 1)))+"."+parts[2]),
		bad("algorithm none", forge(current, head("EdDSA", "none"), body)),
		bad("another algorithm", forge(current, head("EdDSA", "HS256"), body)),
		bad("an access token", access),
		bad("an access token's typ", forge(current, head("license-lease+jwt", "at+jwt"), body)),
		bad("typ in another case", forge(current, head("license-lease+jwt", "LICENSE-LEASE+JWT"), body)),
		bad("an extension that must be understood", forge(current, head(`"typ"`, `"crit":["b64"],"typ"`), body)),
		bad("claims that are no object", forge(current, head(), `[]`)),
		bad("claims that are no JSON", forge(current, head(), `{`)),
		bad("no licence", forge(current, head(), strings.Replace(body, `"sub":"tz4a98xxat96iws9zmbrgj3a",`, "", 1))),
		bad("no instance", forge(current, head(), strings.Replace(body, `"instanceId"`, `"y"`, 1))),
		bad("no beginning", forge(current, head(), strings.Replace(body, `"iat"`, `"y"`, 1))),
		bad("no end", forge(current, head(), strings.Replace(body, `"exp"`, `"exq"`, 1))),
		bad("an end that is no number", forge(current, head(), strings.Replace(body, `"exp":`, `"exp":"x","y":`, 1))),
		bad("a grace before the end", forge(current, head(), strings.Replace(body, `"graceUntil":`, `"graceUntil":1,"y":`, 1))),
	}
}

// respell returns another last character that decodes to the same bytes if the
// bits beyond them are not looked at.
func respell(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, c)^1])
}

func answerVectors(tb testing.TB) []answerVector {
	tb.Helper()
	make1 := func(name string, k keyring.Key, address, code, nonce string, change func(*answerVector)) answerVector {
		u, err := url.Parse(address)
		if err != nil {
			tb.Fatal(err)
		}
		a := answerVector{Name: name, Method: http.MethodGet, URL: address, Status: http.StatusOK, Body: `{"valid":true,"features":["süß"]}` + "\n", Nonce: nonce, Created: t0}
		h := make(http.Header)
		if code != "" {
			h.Set("X-License-Code", code)
			a.Body = `{"valid":false}` + "\n"
		}
		httpsig.Sign(h, a.Status, []byte(a.Body), httpsig.Request{Method: a.Method, Path: u.EscapedPath(), Query: u.RawQuery},
			httpsig.Params{Created: t0, KeyID: k.ID, Nonce: nonce, Tag: "stoa-license"}, k.Private)
		a.Headers = make(map[string]string)
		for name := range h {
			a.Headers[name] = h.Get(name)
		}
		if change != nil {
			a.Created = 0
			change(&a)
		}
		return a
	}
	const address = "https://shop.example.com/api/marketplace/products/mail%2Fpack/license/verify?licenseKey=STOA-1&instanceId=a.example%3A80+x&nonce=n-1"
	good := func(name string, change func(*answerVector)) answerVector {
		return make1(name, key(tb, 1), address, "", "n-1", change)
	}
	in := func(a *answerVector, from, to string) {
		a.Headers["Signature-Input"] = strings.Replace(a.Headers["Signature-Input"], from, to, 1)
	}
	// Signed by the right key, for something else or less than must be.
	by := func(name, input string) answerVector {
		return good(name, func(a *answerVector) {
			u, err := url.Parse(a.URL)
			if err != nil {
				tb.Fatal(err)
			}
			values := map[string]string{
				`"@status"`: "200", `"content-digest"`: a.Headers["Content-Digest"], `"@method";req`: a.Method,
				`"@path";req`: u.EscapedPath(), `"@query";req`: "?" + u.RawQuery,
			}
			base, list := "", strings.TrimPrefix(input[:strings.IndexByte(input, ')')], "(")
			for c := range strings.FieldsSeq(list) {
				base += c + ": " + values[c] + "\n"
			}
			input = strings.Replace(input, "KEY", key(tb, 1).ID, 1)
			sig := ed25519.Sign(key(tb, 1).Private, []byte(base+`"@signature-params": `+input))
			a.Headers["Signature-Input"], a.Headers["Signature"] = "stoa="+input, "stoa=:"+base64.StdEncoding.EncodeToString(sig)+":"
		})
	}
	const all, rest = `("@status" "content-digest" "@method";req "@path";req "@query";req)`, `;created=1893499200;keyid="KEY";alg="ed25519";nonce="n-1";tag="stoa-license"`
	genuine := by("as stoa signs, by hand", all+rest)
	genuine.Created = t0
	proxied := good("beside the signature of a proxy", nil)
	proxied.Headers["Signature-Input"] = `proxy=("@status");created=1;keyid="a,b=stoa=()";tag="x", ` + proxied.Headers["Signature-Input"]
	proxied.Headers["Signature"] += `, proxy=:AAAA:`
	return []answerVector{
		good("granted", nil),
		make1("refused", key(tb, 2), address, "revoked", "n-1", nil),
		make1("without a nonce", key(tb, 1), "https://shop.example.com/p?a=b", "", "", nil),
		make1("without a query", key(tb, 1), "https://shop.example.com/p", "", "", nil),
		proxied,
		genuine,
		by("signed with another tag", all+strings.Replace(rest, "stoa-license", "other", 1)),
		by("signed without a tag", all+strings.Replace(rest, `;tag="stoa-license"`, "", 1)),
		by("signed as another algorithm", all+strings.Replace(rest, "ed25519", "hmac-sha256", 1)),
		by("signed without a time", all+strings.Replace(rest, "created=1893499200;", "", 1)),
		by("signed with a nonce that is no string", all+strings.Replace(rest, `"n-1"`, `n-1`, 1)),
		by("signed with a nonce twice", all+`;nonce="n-2"`+rest),
		by("signed without the query", strings.Replace(all, ` "@query";req`, "", 1)+rest),
		by("signed without the digest", strings.Replace(all, ` "content-digest"`, "", 1)+rest),
		by("signed without the status", strings.Replace(all, `"@status" `, "", 1)+rest),
		by("signed with a component twice", strings.Replace(all, `"@status"`, `"@status" "@status"`, 1)+rest),
		make1("another key", key(tb, 9), address, "", "n-1", func(*answerVector) {}),
		good("another nonce expected", func(a *answerVector) { a.Nonce = "n-2" }),
		good("a nonce although none was sent", func(a *answerVector) { a.Nonce = "" }),
		good("another body", func(a *answerVector) { a.Body = `{"valid":true}` }),
		good("another status", func(a *answerVector) { a.Status = http.StatusCreated }),
		good("another path", func(a *answerVector) { a.URL = strings.Replace(address, "mail%2Fpack", "other", 1) }),
		good("another key asked about", func(a *answerVector) { a.URL = strings.Replace(address, "STOA-1", "STOA-2", 1) }),
		good("another method", func(a *answerVector) { a.Method = http.MethodPost }),
		good("a reason put in", func(a *answerVector) { a.Headers["X-License-Code"] = "revoked" }),
		make1("a reason taken out", key(tb, 1), address, "revoked", "n-1", func(a *answerVector) { delete(a.Headers, "X-License-Code") }),
		make1("a reason changed", key(tb, 1), address, "revoked", "n-1", func(a *answerVector) { a.Headers["X-License-Code"] = "expired" }),
		good("another time", func(a *answerVector) { in(a, "created=18", "created=19") }),
		good("another tag", func(a *answerVector) { in(a, "stoa-license", "other") }),
		good("fewer components", func(a *answerVector) { in(a, ` "@query";req`, "") }),
		good("a component twice", func(a *answerVector) { in(a, `"@status"`, `"@status" "@status"`) }),
		good("a component that is not there", func(a *answerVector) { in(a, `"@status"`, `"@status" "x-other"`) }),
		good("no digest", func(a *answerVector) { delete(a.Headers, "Content-Digest") }),
		good("no signature", func(a *answerVector) { delete(a.Headers, "Signature") }),
		good("no input", func(a *answerVector) { delete(a.Headers, "Signature-Input") }),
		good("an input that is none", func(a *answerVector) { a.Headers["Signature-Input"] = "stoa=1" }),
		good("two inputs", func(a *answerVector) { a.Headers["Signature-Input"] += ", " + a.Headers["Signature-Input"] }),
		good("a signature that is no base64", func(a *answerVector) { a.Headers["Signature"] = "stoa=:*:" }),
		good("a short signature", func(a *answerVector) { a.Headers["Signature"] = "stoa=:AAAA:" }),
	}
}

// readVectors returns the vectors, and fails if those in the file are not what
// stoa signs today.
func readVectors(tb testing.TB) vectors {
	tb.Helper()
	type set struct {
		Keys []keyring.JWK `json:"keys"`
	}
	var keys set
	var text bytes.Buffer
	for _, n := range []byte{1, 2} {
		public := key(tb, n).Public()
		keys.Keys = append(keys.Keys, keyring.PublicJWK(public))
		der, err := x509.MarshalPKIXPublicKey(public)
		if err != nil {
			tb.Fatal(err)
		}
		if err := pem.Encode(&text, &pem.Block{Type: "PUBLIC KEY", Bytes: der}); err != nil {
			tb.Fatal(err)
		}
	}
	jwks, err := json.Marshal(keys)
	if err != nil {
		tb.Fatal(err)
	}
	v := vectors{JWKS: jwks, PEM: text.String(), Leases: leaseVectors(tb), Answers: answerVectors(tb), Instances: instanceVectors}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		tb.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(vectorsFile, want.Bytes(), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	got, err := os.ReadFile(vectorsFile)
	if err != nil {
		tb.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		tb.Fatal("sdk/testdata/vectors.json is not what stoa signs; rewrite it with -update, and read the diff")
	}
	return v
}
