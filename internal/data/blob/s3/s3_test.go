package s3_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/blob"
	"stoa/internal/data/blob/s3"
	"stoa/internal/testkit/s3test"
	"stoa/internal/testkit/waittest"
)

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

func put(t *testing.T, to blob.Store, key, content string) {
	t.Helper()
	err := to.Put(t.Context(), key, strings.NewReader(content), int64(len(content)), sum([]byte(content)))
	if err != nil {
		t.Fatal(err)
	}
}

// Both implementations keep the promises of blob.Store.
func TestStores(t *testing.T) {
	t.Parallel()

	server := s3test.New(t)
	for name, open := range map[string]func(*testing.T) blob.Store{
		"folder": func(t *testing.T) blob.Store {
			t.Helper()
			f, err := blob.OpenFolder(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = f.Close() })
			return f
		},
		"s3":            func(t *testing.T) blob.Store { t.Helper(); return server.Open(t, "with-prefix", "a/b", "") },
		"s3, no prefix": func(t *testing.T) blob.Store { t.Helper(); return server.Open(t, "without-prefix", "", "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testStore(t, open(t))
		})
	}
}

func testStore(t *testing.T, s blob.Store) {
	t.Helper()
	ctx := t.Context()
	big := strings.Repeat("0123456789abcdef", 20<<16) // 20 MiB: more than a part
	put(t, s, "media/a.svg", "first")
	put(t, s, "media/a.svg", "picture")
	put(t, s, "plugins/p/1.zip", big)

	if got, err := s.Stat(ctx, "media/a.svg"); err != nil || got.SHA256 != sum([]byte("picture")) || got.Size != 7 ||
		time.Since(got.Modified).Abs() > time.Hour {
		t.Errorf("Stat = %+v, %v", got, err)
	}
	for _, key := range []string{"media/b.svg", "media", "nothing/at/all"} {
		if _, err := s.Stat(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat(%s) = %v, want not exist", key, err)
		}
		if _, _, err := s.Get(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%s) = %v, want not exist", key, err)
		}
		if err := s.Delete(ctx, "media/b.svg"); err != nil {
			t.Errorf("Delete(%s) = %v", key, err)
		}
	}
	var got bytes.Buffer
	if n, err := blob.Copy(ctx, s, "plugins/p/1.zip", sum([]byte(big)), &got); err != nil || n != int64(len(big)) ||
		got.String() != big {
		t.Errorf("Copy = %d, %v", n, err)
	}
	if _, err := blob.Copy(ctx, s, "media/a.svg", sum([]byte("other")), io.Discard); !errors.Is(err, blob.ErrAltered) {
		t.Errorf("Copy of another content = %v, want ErrAltered", err)
	}
	for prefix, want := range map[string][]string{
		"":       {"media/a.svg", "plugins/p/1.zip"},
		"media/": {"media/a.svg"}, "plugins/p/": {"plugins/p/1.zip"}, "themes/": nil,
	} {
		list, err := s.List(ctx, prefix)
		var keys []string
		for _, o := range list {
			keys = append(keys, o.Key)
		}
		if err != nil || !cmp.Equal(keys, want) {
			t.Errorf("List(%q) = %q, %v, want %q", prefix, keys, err, want)
		}
	}
	if err := s.Delete(ctx, "media/a.svg"); err != nil {
		t.Error(err)
	}
	if _, err := s.Stat(ctx, "media/a.svg"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat after Delete = %v", err)
	}
}

// If the storage is down, silent or refuses access, calls soon return ErrUnavailable, and the error has no
// secrets.
func TestStorageThatFails(t *testing.T) {
	t.Parallel()

	server := s3test.New(t)
	put(t, server.Open(t, "shop", "", ""), "k", "content")
	s := server.Open(t, "shop", "", "&timeout=500ms")
	check := func(name string, s blob.Store) {
		t.Helper()
		_, statErr := s.Stat(t.Context(), "k")
		_, listErr := s.List(t.Context(), "")
		body, _, getErr := s.Get(t.Context(), "k")
		if getErr == nil {
			_, getErr = io.ReadAll(body)
			_ = body.Close()
		}
		putErr := s.Put(t.Context(), "new", strings.NewReader("x"), 1, sum([]byte("x")))
		for method, err := range map[string]error{
			"Stat": statErr, "List": listErr, "Get": getErr, "Put": putErr, "Delete": s.Delete(t.Context(), "old"),
		} {
			if name == "no bucket" && method == "Stat" {
				continue // an answer to HEAD does not show that the bucket is missing
			}
			if !errors.Is(err, blob.ErrUnavailable) || strings.Contains(err.Error(), s3test.SecretKey) {
				t.Errorf("%s: %s = %v, want ErrUnavailable without secrets", name, method, err)
			}
		}
	}
	server.Down(true)
	check("away", s)
	server.Down(false)
	server.Stall(true)
	check("silent", s)
	server.Stall(false)
	waittest.Until(t, "what comes afterwards", func() error { // a busy machine may be late for once
		_, err := s.Stat(t.Context(), "k")
		return err
	})
	wrong, err := s3.Open(server.URL(t, "shop", "", ""), func(name string) string {
		return strings.Replace(s3test.Getenv(name), s3test.SecretKey, s3test.SecretKey+"-wrong", 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	check("closed", wrong)
	nowhere, err := s3.Open("s3://no-bucket?path-style=on&endpoint=http://"+server.Addr, s3test.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	check("no bucket", nowhere)
}

// A stream exists once it is committed; parts of one that is aborted, or whose process was
// killed, do not stay.
func TestStreams(t *testing.T) {
	t.Parallel()

	server := s3test.New(t)
	s := server.Open(t, "shop", "backups", "")
	content := bytes.Repeat([]byte("0123456789abcdef"), 5<<20) // 80 MiB: three parts
	up, err := s.Create(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.Write(content); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), "one"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v, want not exist", err)
	}
	if err := up.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := blob.Copy(t.Context(), s, "one", sum(content), io.Discard); err != nil {
		t.Error(err)
	}
	up, err = s.Create(t.Context(), "two")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := up.Abort(); err != nil {
		t.Errorf("Abort = %v", err)
	}
	if list, err := s.List(t.Context(), ""); err != nil || len(list) != 1 {
		t.Errorf("List = %v, %v, want one alone", list, err)
	}
	if err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Errorf("Sweep = %v", err)
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()

	for url, want := range map[string]string{
		"s3://shop": "",
		"s3://shop/a/b/?region=eu-west-1&timeout=3s":  "",
		"s3://shop?endpoint=https://s3.example:9000/": "",
		"https://shop":                  "is a URL like",
		"s3://":                         "name of a bucket",
		"s3://UPPER/x":                  "name of a bucket",
		"s3://key:hush@shop":            "AWS_ACCESS_KEY_ID",
		"s3://shop/a//b":                "single slashes",
		"s3://shop/../x%20y":            "single slashes",
		"s3://shop?secret=hush":         "has a parameter besides",
		"s3://shop?endpoint=s3.example": "without a path",
		"s3://shop?endpoint=https://a:hush@s3.example": "without a path",
		"s3://shop?timeout=hush":                       "timeout",
		"s3://shop?path-style=yes":                     "on or off",
	} {
		_, err := s3.Open(url, s3test.Getenv)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("Open(%s) = %v, want %q", url, err, want)
		}
	}
	_, err := s3.Open("s3://shop", func(string) string { return "" })
	if err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials = %v", err)
	}
}
