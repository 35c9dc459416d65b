package remote_test

import (
	"strings"
	"testing"

	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit/tuftest"
)

// FuzzMetadata serves any bytes in place of a file. None may end the process, or make the market more
// than untrusted or unreachable.
func FuzzMetadata(f *testing.F) {
	m, b, known := added(f)
	paths := []string{
		tuftest.TimestampPath, metadataPath(terms.Root, 2), metadataPath(terms.Snapshot, m.Snapshot.Signed.Version),
		metadataPath(terms.Targets, m.Targets.Signed.Version), metadataPath("p-mail-courier", m.Roles["mail-courier"].Signed.Version),
		metadataPath(terms.Root, 1),
	}
	for i, path := range paths {
		f.Add(uint8(i), m.File(path))
		for _, hole := range []string{`"keys":`, `"roles":`, `"meta":`, `"delegations":`, `"signatures":`, `"targets":`} {
			f.Add(uint8(i), []byte(strings.Replace(string(m.File(path)), hole, hole+`null,"x":`, 1)))
		}
	}
	files, err := b.Store.Files(f.Context(), known.ID)
	if err != nil {
		f.Fatal(err)
	}
	honest := m.Files()
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		path := paths[int(which)%len(paths)]
		m.Restore(clone(honest))
		m.Put(path, content)
		held := remote.Files{terms.Root: files[terms.Root]} // the rest is asked for
		if strings.HasSuffix(path, "/1.root.json") {
			held = remote.Files{terms.Root: content}
		}
		remote.Refresh(t.Context(), b.Service, m.URL, held)
	})
}

func clone(files map[string][]byte) map[string][]byte {
	all := make(map[string][]byte, len(files))
	for path, content := range files {
		all[path] = content
	}
	return all
}

func FuzzAddress(f *testing.F) {
	f.Add("https://market.example.com")
	f.Add("http://[::1]:80/")
	f.Fuzz(func(t *testing.T, text string) {
		address, ok := remote.Address(text)
		if !ok {
			return
		}
		if again, ok := remote.Address(address); !ok || again != address {
			t.Errorf("%q becomes %q, and that %q %t", text, address, again, ok)
		}
	})
}
