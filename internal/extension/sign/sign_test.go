package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/v1.json")

// vector is a signed list of files that other programs can check themselves against.
type vector struct {
	Note      string `json:"note"`
	Seed      string `json:"seed"`  // of the private key, in hex (RFC 8032)
	Files     []File `json:"files"` // of the package
	Signed    string `json:"signed"`
	Signature string `json:"signature"` // content of stoa-signature.json
}

func testKey(seed string) ed25519.PrivateKey {
	sum := sha256.Sum256([]byte(seed))
	return ed25519.NewKeyFromSeed(sum[:])
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func testFiles() []File {
	return []File{
		{Path: "assets/größe.css", Size: 0, SHA256: sum("")},
		{Path: "index.js", Size: 2, SHA256: sum("ok")},
		{Path: "manifest.json", Size: 12, SHA256: sum(`{"slug":"x"}`)},
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()

	const path = "testdata/v1.json"
	if *update {
		key := testKey("vector")
		s, err := New(testFiles(), key)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.MarshalIndent(vector{
			Note: "What stoa package sign makes of these files; see docs/plugins/signing.md.",
			Seed: hex.EncodeToString(key.Seed()), Files: s.Files, Signed: string(message(s.Files)), Signature: string(s.Bytes()),
		}, "", "  ")
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v vector
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	seed, _ := hex.DecodeString(v.Seed)
	s, err := New(v.Files, ed25519.NewKeyFromSeed(seed))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(message(v.Files)); got != v.Signed {
		t.Errorf("signed:\n%s\nwant\n%s", got, v.Signed)
	}
	if got := string(s.Bytes()); got != v.Signature {
		t.Errorf("signature:\n%s\nwant\n%s", got, v.Signature)
	}
	read, err := Parse([]byte(v.Signature))
	if err != nil || !read.Holds() {
		t.Fatalf("Parse = %+v, %v", read, err)
	}
	if diff := cmp.Diff(s, read); diff != "" {
		t.Error(diff)
	}
}

// A list has one reading: another spelling of it is refused, even where it means the same.
func TestParseAcceptsOneFormOnly(t *testing.T) {
	t.Parallel()

	good, err := New(testFiles(), testKey("a"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(good.Bytes())
	replace := func(old, by string) string {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", text, old)
		}
		return strings.Replace(text, old, by, 1)
	}
	swapped := testFiles()
	swapped[0], swapped[1] = swapped[1], swapped[0]
	for name, raw := range map[string]string{
		"nothing":                 "",
		"another JSON type":       "[]",
		"no end of line":          strings.TrimSuffix(text, "\n"),
		"a byte-order mark":       "\ufeff" + text,
		"data behind":             text + "{}",
		"an indent":               " " + text,
		"a field twice":           replace(`"version":1,`, `"version":1,"version":1,`),
		"an unknown field":        replace(`"version":1,`, `"version":1,"more":1,`),
		"a field in capitals":     replace(`"version"`, `"Version"`),
		"an escape":               replace("ö", `\u00f6`),
		"another version":         replace(`"version":1`, `"version":2`),
		"no files":                `{"version":1,"files":[],"key":"","signature":""}`,
		"files in another order":  string(Signature{Files: swapped, Key: good.Key, Sum: good.Sum}.Bytes()),
		"a file twice":            replace(`"index.js"`, `"assets/größe.css"`),
		"an absolute path":        replace(`"index.js"`, `"/index.js"`),
		"a path to a parent":      replace(`"assets/größe.css"`, `"../größe.css"`),
		"a path with a line end":  replace(`"index.js"`, `"index\njs"`),
		"the signature itself":    replace(`"manifest.json"`, `"`+Name+`"`),
		"a digest in capitals":    replace(sum("ok"), strings.ToUpper(sum("ok"))),
		"a short digest":          replace(sum("ok"), sum("ok")[2:]),
		"a negative size":         replace(`"size":12`, `"size":-12`),
		"a size with a fraction":  replace(`"size":12`, `"size":12.0`),
		"a short key":             replace(EncodePublic(good.Key), "AAAA"),
		"a key that ends in bits": replace(EncodePublic(good.Key), EncodePublic(good.Key)[:42]+"/="),
		"a short signature":       string(Signature{Files: good.Files, Key: good.Key, Sum: good.Sum[1:]}.Bytes()),
		"more than it may have":   text + strings.Repeat(" ", MaxSize),
	} {
		if s, err := Parse([]byte(raw)); err == nil {
			t.Errorf("%s: Parse = %+v, want an error", name, s)
		}
	}
}

func TestSignatureHoldsForItsListAndKeyOnly(t *testing.T) {
	t.Parallel()

	good, err := New(testFiles(), testKey("a"))
	if err != nil || !good.Holds() {
		t.Fatal(good, err)
	}
	other := good
	other.Key, _ = testKey("b").Public().(ed25519.PublicKey)
	if other.Holds() {
		t.Error("it holds for another key")
	}
	for name, change := range map[string]func(*File){
		"path": func(f *File) { f.Path = "jndex.js" }, "size": func(f *File) { f.Size++ },
		"content": func(f *File) { f.SHA256 = sum("no") },
	} {
		s := good
		s.Files = testFiles()
		change(&s.Files[1])
		if s.Holds() {
			t.Errorf("it holds with another %s", name)
		}
	}
	short := good
	short.Files = good.Files[:2]
	if short.Holds() {
		t.Error("it holds with fewer files")
	}
	bare := good
	bare.Sum = ed25519.Sign(testKey("a"), bytes.TrimPrefix(message(good.Files), []byte(purpose)))
	if bare.Holds() {
		t.Error("it holds without the purpose in what is signed")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()

	a, _ := testKey("a").Public().(ed25519.PublicKey)
	b, _ := testKey("b").Public().(ed25519.PublicKey)
	keys, err := ParseKeys([]string{"shop.example=" + EncodePublic(a), " b2=" + EncodePublic(b)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Keys{{"shop.example", a}, {"b2", b}}, keys); diff != "" {
		t.Error(diff)
	}
	if name, ok := keys.Find(b); !ok || name != "b2" {
		t.Errorf("Find = %q, %v", name, ok)
	}
	if name, ok := keys[:1].Find(b); ok {
		t.Errorf("Find = %q for a key that is not trusted", name)
	}
	if none, err := ParseKeys(nil); err != nil || len(none) != 0 {
		t.Errorf("ParseKeys of nothing = %v, %v", none, err)
	}
	for _, list := range [][]string{
		{EncodePublic(a)},
		{"=" + EncodePublic(a)},
		{"a b=" + EncodePublic(a)},
		{"a=" + EncodePublic(a[1:])},
		{"a=" + EncodePublic(a) + "="},
		{"a=" + EncodePublic(a), "a=" + EncodePublic(b)},
		{"a=" + EncodePublic(a), "b=" + EncodePublic(a)},
		{""},
	} {
		if keys, err := ParseKeys(list); err == nil {
			t.Errorf("ParseKeys(%q) = %v, want an error", list, keys)
		}
	}
}

func TestPrivateKeysComeBack(t *testing.T) {
	t.Parallel()

	text, err := EncodePrivate(testKey("a"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := DecodePrivate(text)
	if err != nil || !key.Equal(testKey("a")) {
		t.Errorf("DecodePrivate: %v", err)
	}
	for _, bad := range []string{
		"", "x", string(text[:40]), string(text) + "more",
		strings.ReplaceAll(string(text), "PRIVATE", "PUBLIC"),
	} {
		_, err := DecodePrivate([]byte(bad))
		if err == nil {
			t.Errorf("DecodePrivate(%q) succeeds", bad)
		} else if bad != "" && bad != "x" && strings.Contains(err.Error(), bad[30:40]) {
			t.Errorf("the error %q tells the key", err)
		}
	}
}

// What is accepted has one form, and only files that an archive can hold.
func FuzzParse(f *testing.F) {
	s, err := New(testFiles(), testKey("a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.Bytes())
	f.Add([]byte(`{"version":1,"files":[{"path":"a","size":0,"sha256":""}],"key":"","signature":""}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Parse(raw)
		if err != nil {
			return
		}
		if !bytes.Equal(s.Bytes(), raw) {
			t.Errorf("accepted %q, which is %q", raw, s.Bytes())
		}
		lines := bytes.Count(message(s.Files), []byte("\n"))
		if len(s.Files) == 0 || lines != len(s.Files)+1 {
			t.Errorf("%d files make %d lines", len(s.Files), lines)
		}
	})
}
