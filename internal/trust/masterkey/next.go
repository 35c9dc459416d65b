package masterkey

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stoa/internal/trust/seal"
)

// LoadNext returns the key that replaces the master key: given (64 hexadecimal digits) if it
// is not empty, else the one in NextFile in the data folder. It returns nil if there is none.
func LoadNext(given, dataDir string) (*seal.Key, error) {
	if given != "" {
		key, err := seal.ParseKey(given)
		if err != nil {
			return nil, errors.New("STOA_MASTER_KEY_NEXT must be 64 hexadecimal digits, as made by: openssl rand -hex 32")
		}
		return key, nil
	}
	text, err := read(filepath.Join(dataDir, NextFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nil is no key
	}
	if err != nil {
		return nil, err
	}
	return seal.ParseKey(text)
}

// Successor returns the key that replaces or has replaced the master key, if it can be found:
// the one that LoadNext returns, or else, unless the operator gives the master key, the one in
// File. It may be the master key itself. It returns nil if there is none.
func Successor(given, next, dataDir string) (*seal.Key, error) {
	// In this order: Promote moves the key from one file to the other.
	key, err := LoadNext(next, dataDir)
	if key != nil || err != nil || given != "" {
		return key, err
	}
	text, err := read(filepath.Join(dataDir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nil is no key
	}
	if err != nil {
		return nil, err
	}
	return seal.ParseKey(text)
}

// Known returns the keys at hand: the one that Text returns, and that of LoadNext if there is
// one. It creates none: it returns an error that wraps fs.ErrNotExist without the first.
func Known(given, next, dataDir string) (*seal.Keys, error) {
	text, err := Text(given, dataDir)
	if err != nil {
		return nil, err
	}
	first, err := seal.ParseKey(text)
	if err != nil {
		return nil, err
	}
	second, err := LoadNext(next, dataDir)
	if err != nil {
		return nil, err
	}
	if second == nil || second.ID() == first.ID() {
		return seal.NewKeys(first), nil
	}
	return seal.NewKeys(first, second), nil
}

// CreateNext puts a new key into NextFile, unless there is one, and returns it.
func CreateNext(dataDir string) (*seal.Key, error) {
	if err := createOnce(filepath.Join(dataDir, NextFile)); err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return LoadNext("", dataDir)
}

// Promote makes the key in NextFile the one in File, and keeps the one there in PreviousFile.
// It may be repeated if it was interrupted: File always has one of both keys.
func Promote(dataDir string) error {
	file, next := filepath.Join(dataDir, File), filepath.Join(dataDir, NextFile)
	if _, err := os.Lstat(next); err != nil {
		return fmt.Errorf("master key: %w", err)
	}
	spare := filepath.Join(dataDir, "."+PreviousFile)
	if err := os.Remove(spare); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("master key: %w", err)
	}
	err := os.Link(file, spare)
	if err == nil {
		err = os.Rename(spare, filepath.Join(dataDir, PreviousFile))
	}
	if err == nil {
		err = os.Rename(next, file)
	}
	if err == nil {
		err = syncFolder(dataDir)
	}
	if err != nil {
		return fmt.Errorf("master key: %w", err)
	}
	return nil
}
