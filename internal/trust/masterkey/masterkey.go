// Package masterkey loads the key that protects the secrets in the database: the one
// that the operator sets, or else one in a file in the data folder, which is created at
// the first start (contract 2.3).
package masterkey

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"stoa/internal/trust/seal"
)

// Names of files in the data folder.
const (
	File = "master.key" // the generated key
	// NextFile is the key that replaces it (package rewrap), PreviousFile the one that was
	// replaced, which opens older backups.
	NextFile     = "master.key.next"
	PreviousFile = "master.key.previous"
)

// Load returns the master key: given (64 hexadecimal digits) if it is not empty, else
// the one in the data folder, in a file that is created with mode 0600 if necessary.
// Processes that start at the same time get the same key.
//
// It refuses a file that other users can read, because the key may have leaked.
func Load(given, dataDir string) (*seal.Key, error) {
	if given == "" {
		if err := createOnce(filepath.Join(dataDir, File)); err != nil {
			return nil, fmt.Errorf("master key: %w", err)
		}
	}
	text, err := Text(given, dataDir)
	if err != nil {
		return nil, err
	}
	return seal.ParseKey(text)
}

// Text returns the master key that Load would, as 64 hexadecimal digits, and creates none:
// it returns an error that wraps fs.ErrNotExist if there is no file.
func Text(given, dataDir string) (string, error) {
	if given != "" {
		if _, err := seal.ParseKey(given); err != nil {
			return "", errors.New("STOA_MASTER_KEY must be 64 hexadecimal digits, as made by: openssl rand -hex 32")
		}
		return strings.TrimSpace(given), nil
	}
	return read(filepath.Join(dataDir, File))
}

// read returns the master key in a file, as 64 hexadecimal digits.
func read(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("master key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %04o); run: chmod 600 %s",
			path, info.Mode().Perm(), path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator's own data folder
	if err != nil {
		return "", fmt.Errorf("master key: %w", err)
	}
	if _, err := seal.ParseKey(string(text)); err != nil {
		return "", fmt.Errorf("%s does not hold a master key; restore it from a backup", path)
	}
	return strings.TrimSpace(string(text)), nil
}

// proof is what Proof seals, and the purpose and the row it is sealed for.
const proof = "master_key_check"

// Proof returns a text by which Proves can tell whether another key is the same. It reveals nothing
// about the key.
func Proof(key *seal.Key) string { return key.Box(proof).Seal([]byte(proof), proof) }

// Proves reports whether Proof was called with key when it returned text.
func Proves(key *seal.Key, text string) bool {
	_, err := key.Box(proof).Open(text, proof)
	return err == nil
}

// Prover returns the one of keys that Proves text, or nil.
func Prover(keys []*seal.Key, text string) *seal.Key {
	for _, key := range keys {
		if Proves(key, text) {
			return key
		}
	}
	return nil
}

// createOnce creates the file with a new key unless it exists. It uses a hard link,
// which is atomic and never replaces a file: if two processes race, both read the key
// of the winner.
func createOnce(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".master.key-") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(seal.GenerateKey() + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Make the file survive a power cut: without the key, all sealed secrets are lost.
	return syncFolder(filepath.Dir(path))
}

func syncFolder(name string) error {
	dir, err := os.Open(name) //nolint:gosec // the operator's own data folder
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
