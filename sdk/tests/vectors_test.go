package tests

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"flag"
	"os"
	"testing"

	"stoa/internal/trust/keyring"
)

var update = flag.Bool("update", false, "rewrite "+vectorsFile)

// vectorsFile belongs to the Go module of the SDK, so that its tests run wherever
// the module is downloaded.
const vectorsFile = "../go/license/testdata/vectors.json"

// vectors are the test cases of both SDKs. The code of stoa that signs writes
// them, never an SDK.
type vectors struct {
	JWKS    json.RawMessage `json:"jwks"`
	PEM     string          `json:"pem"`
	Leases  []leaseVector   `json:"leases"`
	Answers []answerVector  `json:"answers"`

	Instances []instanceVector `json:"instances"`
}

// instanceVector is an instance id and how stoa normalizes it.
type instanceVector struct {
	ID     string `json:"id"`
	Normal string `json:"normal"`
}

// instanceVectors cover white space and lower case where languages differ.
var instanceVectors = []instanceVector{
	{" A.Example\n", "a.example"},
	{"\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000a.example\u0085", "a.example"},
	{"\ufeffA.example\ufeff", "\ufeffa.example\ufeff"}, // white space in JavaScript, not in Go
	{"\u200bA.example", "\u200ba.example"},
	{"\u0130STANBUL.example", "istanbul.example"},    // one letter, not two
	{"\u039f\u03a3.example", "\u03bf\u03c3.example"}, // no final sigma
	{"STRA\u1e9eE.example", "stra\u00dfe.example"},   // capital sharp s
	{"\u212aELVIN \u212bNGSTR\u00d6M", "kelvin \u00e5ngstr\u00f6m"},
	{"\U00010400.example", "\U00010428.example"}, // beyond 16 bits
	{"\u01c5.example", "\u01c6.example"},         // title case
}

func key(tb testing.TB, n byte) keyring.Key {
	tb.Helper()
	k, err := keyring.KeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func TestTheVectorsAreWhatStoaSigns(t *testing.T) {
	t.Parallel()

	type set struct {
		Keys []keyring.JWK `json:"keys"`
	}
	var keys set
	var text bytes.Buffer
	for _, n := range []byte{1, 2} {
		public := key(t, n).Public()
		keys.Keys = append(keys.Keys, keyring.PublicJWK(public))
		der, err := x509.MarshalPKIXPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		if err := pem.Encode(&text, &pem.Block{Type: "PUBLIC KEY", Bytes: der}); err != nil {
			t.Fatal(err)
		}
	}
	jwks, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(vectors{
		JWKS: jwks, PEM: text.String(), Leases: leaseVectors(t), Answers: answerVectors(t), Instances: instanceVectors,
	}); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(vectorsFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Fatalf("%s is not what stoa signs; rewrite it with -update, and read the diff", vectorsFile)
	}
}
