// Command filter builds the filter of common passwords that is embedded in stoa, and puts the license of
// the list beside it. Run it from the root of the repository, after npm ci in passwords:
//
//	go run ./passwords/filter
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stoa/internal/account/breached"
)

const (
	source = "passwords/node_modules/@zxcvbn-ts/language-common"
	target = "internal/account/breached/dist"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "filter:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(filepath.Join(source, "src", "passwords.json"))
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("the list is not there yet: run npm ci in passwords (or make build)")
	} else if err != nil {
		return err
	}
	var words []string
	if err := json.Unmarshal(text, &words); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	license, err := os.ReadFile(filepath.Join(source, "LICENSE.txt"))
	if err != nil {
		return err
	}
	// The license first: make takes the filter as proof that all is there.
	head := "common.filter is built from the list of passwords in @zxcvbn-ts/language-common (MIT).\n\n"
	notice := filepath.Join(target, "THIRD_PARTY_LICENSES.txt")
	err = os.WriteFile(notice, append([]byte(head), license...), 0o600) //nolint:gosec // where the caller wants it
	if err != nil {
		return err
	}
	return build(filepath.Join(target, "common.filter"), words)
}

// build writes the filter whole or not at all.
func build(name string, words []string) error {
	f, err := os.CreateTemp(target, ".common-*")
	if err != nil {
		return err
	}
	_, err = breached.Build(f, breached.Words(words))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
