package sign

import (
	"bytes"
	"crypto/ed25519"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/archive"
	"stoa/internal/testkit/ziptest"
)

func inspect(tb testing.TB, entries ...ziptest.Entry) *archive.Contents {
	tb.Helper()
	raw := ziptest.Build(tb, entries...)
	c, err := archive.Inspect(bytes.NewReader(raw), int64(len(raw)), archive.Profile{
		Manifest: "manifest.json", MaxSize: 1 << 20, Types: []string{".json", ".js"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// signed returns the entries with a signature by the key of that seed.
func signed(tb testing.TB, seed string, entries ...ziptest.Entry) []ziptest.Entry {
	tb.Helper()
	files, err := List(inspect(tb, entries...))
	if err != nil {
		tb.Fatal(err)
	}
	s, err := New(files, testKey(seed))
	if err != nil {
		tb.Fatal(err)
	}
	return append(slices.Clone(entries), ziptest.Entry{Name: Name, Body: string(s.Bytes())})
}

func trust(seeds ...string) (keys Keys) {
	for _, seed := range seeds {
		public, _ := testKey(seed).Public().(ed25519.PublicKey)
		keys = append(keys, Key{Name: "key-" + seed, Public: public})
	}
	return keys
}

var plain = []ziptest.Entry{
	{Name: "manifest.json", Body: "{}"}, {Name: "index.js", Body: "1"}, {Name: "lib/a.js", Body: "2"},
}

// faults returns the faults of an INVALID_ARCHIVE error.
func faults(tb testing.TB, err error) []string {
	tb.Helper()
	found, ok := archive.Faults(err)
	if !ok {
		tb.Fatalf("error = %v, want an INVALID_ARCHIVE", err)
	}
	var list []string
	for _, f := range found {
		list = append(list, f.Entry+" "+f.Code)
	}
	return list
}

func TestTrustedSignatureTellsTheSigner(t *testing.T) {
	t.Parallel()

	who, err := Check(inspect(t, signed(t, "b", plain...)...), trust("a", "b"))
	if err != nil || who.Name != "key-b" || !who.Key.Equal(testKey("b").Public()) {
		t.Errorf("Check = %+v, %v", who, err)
	}
	// The folder around everything is not part of the paths.
	inside := make([]ziptest.Entry, 0, 4)
	for _, e := range signed(t, "a", plain...) {
		e.Name = "pkg-1.0/" + e.Name
		inside = append(inside, e)
	}
	if who, err := Check(inspect(t, inside...), trust("a")); err != nil || who.Name != "key-a" {
		t.Errorf("in a folder: Check = %+v, %v", who, err)
	}
}

func TestUnsignedPackageHasNoSigner(t *testing.T) {
	t.Parallel()

	if who, err := Check(inspect(t, plain...), trust("a")); err != nil || who.Name != "" {
		t.Errorf("Check = %+v, %v", who, err)
	}
}

func TestChangedSignedPackagesAreRefused(t *testing.T) {
	t.Parallel()

	whole := signed(t, "a", plain...)
	at := func(name string) int {
		return slices.IndexFunc(whole, func(e ziptest.Entry) bool { return e.Name == name })
	}
	with := func(name, body string) []ziptest.Entry {
		entries := slices.Clone(whole)
		entries[at(name)].Body = body
		return entries
	}
	for _, test := range []struct {
		name    string
		entries []ziptest.Entry
		trusted Keys
		want    []string
	}{
		{
			"an unlisted file", append(slices.Clone(whole), ziptest.Entry{Name: "lib/b.js", Body: "3"}),
			trust("a"),
			[]string{"lib/b.js bad_signature"},
		},
		{
			"an empty unlisted file", append(slices.Clone(whole), ziptest.Entry{Name: "b.js"}),
			trust("a"),
			[]string{"b.js bad_signature"},
		},
		{
			"a missing file", slices.Delete(slices.Clone(whole), at("lib/a.js"), at("lib/a.js")+1),
			trust("a"),
			[]string{"lib/a.js bad_signature"},
		},
		{"a changed byte", with("index.js", "2"), trust("a"), []string{"index.js bad_signature"}},
		{"another length", with("index.js", "11"), trust("a"), []string{"index.js bad_signature"}},
		{
			"files that changed places", slices.Concat(with("index.js", "2")[:2], with("lib/a.js", "1")[2:]),
			trust("a"),
			[]string{"index.js bad_signature", "lib/a.js bad_signature"},
		},
		{"a foreign key", whole, trust("b"), []string{Name + " untrusted_key"}},
		{"a foreign key where nobody is trusted", whole, nil, []string{Name + " untrusted_key"}},
		{"a foreign signature under a trusted key", with(Name, forged(t)), trust("a"), []string{Name + " bad_signature"}},
		{"no list at all", with(Name, "{}"), trust("a"), []string{Name + " malformed"}},
		{"an empty list", with(Name, ""), trust("a"), []string{Name + " malformed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			who, err := Check(inspect(t, test.entries...), test.trusted)
			if who.Name != "" || who.Key != nil {
				t.Errorf("the signer is %+v", who)
			}
			if diff := cmp.Diff(test.want, faults(t, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// forged is a signature by b that names the key of a.
func forged(tb testing.TB) string {
	tb.Helper()
	files, err := List(inspect(tb, plain...))
	if err != nil {
		tb.Fatal(err)
	}
	s, err := New(files, testKey("b"))
	if err != nil {
		tb.Fatal(err)
	}
	s.Key = trust("a")[0].Public
	return string(s.Bytes())
}
