package main

import (
	"errors"
	"fmt"

	"stoa/internal/extension/sign"
	"stoa/internal/operate/settings"
)

type packageVerifyCmd struct {
	settings.Trusted

	Archive string `arg:"" help:"The ZIP archive." type:"existingfile"`
}

// Run prints who signed a package. It fails unless that is one of the trusted keys.
func (c packageVerifyCmd) Run(std streams) error {
	keys, err := c.Keys()
	if err != nil {
		return err
	}
	f, contents, err := openPackage(c.Archive)
	if err != nil {
		return err
	}
	defer f.Close()
	who, err := sign.Check(contents, keys)
	if err != nil {
		return explainArchive(err)
	}
	if who.Name == "" {
		return errors.New(c.Archive + " is not signed")
	}
	fmt.Fprintf(std.out, "%s: signed by %s, key %s\n", c.Archive, who.Name, sign.EncodePublic(who.Key))
	return nil
}
