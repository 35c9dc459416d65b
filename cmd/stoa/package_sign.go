package main

import (
	"archive/zip"
	"cmp"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"stoa/internal/app/datafolder"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/sign"
)

type packageSignCmd struct {
	Archive string `arg:"" help:"The ZIP archive." type:"existingfile"`
	Key     string `type:"existingfile"`
	Out     string `type:"path"`
}

// Run adds a signature to an archive, in place of an earlier one. The other entries are
// copied as they are.
func (c packageSignCmd) Run(std streams) error {
	text, err := readSmall(c.Key)
	if err != nil {
		return err
	}
	key, err := sign.DecodePrivate(text)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Key, err)
	}
	f, contents, err := openPackage(c.Archive)
	if err != nil {
		return err
	}
	defer f.Close()
	signature, err := signContents(contents, key)
	if err != nil {
		return explainArchive(err)
	}
	to := cmp.Or(c.Out, c.Archive)
	copied, err := os.CreateTemp(filepath.Dir(to), ".tmp-*.zip")
	if err != nil {
		return err
	}
	defer os.Remove(copied.Name())
	defer copied.Close()
	if err := addSignature(copied, f, signature.Bytes()); err != nil {
		return err
	}
	// An archive that was not written by this program may not survive the copy.
	if check, err := inspectPackage(copied); err != nil {
		return fmt.Errorf("the signed archive: %w", explainArchive(err))
	} else if _, err := sign.Check(check, sign.Keys{{Name: "own", Public: signature.Key}}); err != nil {
		return fmt.Errorf("the signed archive: %w", explainArchive(err))
	}
	if _, err := copied.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := datafolder.ReplaceFile(to, copied, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %d files signed with the key %s\n",
		to, len(signature.Files), sign.EncodePublic(signature.Key))
	return nil
}

func signContents(c *archive.Contents, key ed25519.PrivateKey) (sign.Signature, error) {
	files, err := sign.List(c)
	if err != nil {
		return sign.Signature{}, err
	}
	return sign.New(files, key)
}

// addSignature writes the entries of an archive and a signature at the top of the package
// to w. Entries that a stoa leaves out are left out here.
func addSignature(w io.Writer, from *os.File, signature []byte) error {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	zr, err := zip.NewReader(from, info.Size())
	if err != nil {
		return err
	}
	top, _ := topOf(zr)
	zw := zip.NewWriter(w)
	for _, e := range zr.File {
		if e.Name == top+sign.Name || archive.LeftOut(e.Name) {
			continue
		}
		if err := zw.Copy(e); err != nil {
			return err
		}
	}
	entry, err := zw.CreateHeader(&zip.FileHeader{Name: top + sign.Name, Method: zip.Deflate})
	if err == nil {
		_, err = entry.Write(signature)
	}
	return errors.Join(err, zw.Close())
}
