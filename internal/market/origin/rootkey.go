package origin

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"stoa/internal/extension/sign"
)

// WriteRootKey makes a root key and writes it to a file that does not exist yet, as PKCS #8 in PEM, which only this
// user may read.
func WriteRootKey(name string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	text, err := sign.EncodePrivate(key)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator's own choice
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close(), syncFolder(name)); err != nil {
		return nil, errors.Join(err, os.Remove(name))
	}
	return key, nil
}

// syncFolder makes the name of a new file last.
func syncFolder(name string) error {
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// ReadRootKey reads the file that WriteRootKey wrote. The errors say nothing of its content.
func ReadRootKey(name string) (ed25519.PrivateKey, error) {
	f, err := os.Open(name) //nolint:gosec // the operator's own choice
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return nil, err
	}
	key, err := sign.DecodePrivate(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return key, nil
}
