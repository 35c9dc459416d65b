package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"stoa/internal/extension/sign"
)

type packageKeygenCmd struct {
	File string `arg:"" help:"The file to create, with the private key. Keep it secret: whoever has it publishes in your name." type:"path"`
}

// Run writes a new private key and prints its public key. It never replaces a file.
func (c packageKeygenCmd) Run(std streams) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text, err := sign.EncodePrivate(private)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(c.File))
	}
	fmt.Fprintln(std.out, sign.EncodePublic(public))
	fmt.Fprintf(std.err, "The private key is in %s. Above is the public key: shops that trust you add it to "+
		"STOA_TRUSTED_KEYS as name=key.\n", c.File)
	return nil
}
