package masterkey_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

func TestLoadKeepsTheGeneratedKeyToItself(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	first, err := masterkey.Load("", dir)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, masterkey.File))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v; want mode 0600", info.Mode(), err)
	}
	again, err := masterkey.Load("", dir)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.Derive("x")) != string(again.Derive("x")) {
		t.Error("the second start got another key")
	}
}

func TestLoadGivesParallelStartsTheSameKey(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	var (
		wg   sync.WaitGroup
		keys [8]*seal.Key
	)
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = masterkey.Load("", dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, k := range keys {
		if k == nil || string(k.Derive("x")) != string(keys[0].Derive("x")) {
			t.Fatal("two starts got different keys")
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, given, file string
		mode              os.FileMode
		want              string // part of the error
	}{
		{"a given key that is too short", "abcd", "", 0, "64 hexadecimal digits"},
		{"a file that others may read", "", seal.GenerateKey(), 0o640, "chmod 600"},
		{"a file that holds something else", "", "not a key", 0o600, "does not hold a master key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			if tt.file != "" {
				path := filepath.Join(dir, masterkey.File)
				if err := os.WriteFile(path, []byte(tt.file), tt.mode); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tt.mode); err != nil { // whatever the umask is
					t.Fatal(err)
				}
			}
			if _, err := masterkey.Load(tt.given, dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load = %v, want an error with %q", err, tt.want)
			} else if tt.given != "" && strings.Contains(err.Error(), tt.given) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}
