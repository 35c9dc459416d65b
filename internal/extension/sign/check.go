package sign

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/extension/archive"
)

// Signer is who signed a package. The zero value means nobody.
type Signer struct {
	Name string            // among the trusted keys
	Key  ed25519.PublicKey // that the signature was checked with
}

// ErrUnsigned is the INVALID_ARCHIVE error for a package that must be signed and is not.
var ErrUnsigned = archive.Refuse(archive.Fault{
	Entry: Name, Code: errs.CodeRequired, Message: "The package is not signed. Sign it with stoa package sign.",
})

// Check returns who signed a package: nobody if it holds no signature. Every file but the
// signature must be listed, with its size and content, and every listed file must be there.
// The error is an INVALID_ARCHIVE that lists every fault if anything differs, and if the
// signature is broken or made with a key that is not trusted.
func Check(c *archive.Contents, trusted Keys) (Signer, error) {
	files := c.Files()
	at := slices.IndexFunc(files, func(f archive.File) bool { return f.Name == Name })
	if at < 0 {
		return Signer{}, nil
	}
	refuse := func(code, message string) error {
		return archive.Refuse(archive.Fault{Entry: Name, Code: code, Message: message})
	}
	if files[at].Size > MaxSize {
		return Signer{}, refuse(errs.CodeOutOfRange, "The signature is too large.")
	}
	var raw bytes.Buffer
	if err := c.CopyTo(&raw, at); err != nil {
		return Signer{}, err
	}
	s, err := Parse(raw.Bytes())
	if err != nil {
		return Signer{}, refuse(errs.CodeMalformed, "The signature cannot be read: "+err.Error()+".")
	}
	name, known := trusted.Find(s.Key)
	if !known {
		// What a stranger says of the files does not matter.
		return Signer{}, refuse(errs.CodeUntrusted, "The package is signed with the key "+EncodePublic(s.Key)+
			", which is not trusted. Operators trust keys with STOA_TRUSTED_KEYS.")
	}
	if !s.Holds() {
		return Signer{}, refuse(errs.CodeBadSignature, "The signature was not made with the key it names.")
	}
	if err := compare(c, s.Files); err != nil {
		return Signer{}, err
	}
	return Signer{Name: name, Key: s.Key}, nil
}

// compare returns an INVALID_ARCHIVE error unless the files of an archive are those listed.
func compare(c *archive.Contents, listed []File) error {
	var faults []archive.Fault
	fault := func(entry, message string) {
		faults = append(faults, archive.Fault{Entry: entry, Code: errs.CodeBadSignature, Message: message})
	}
	want := make(map[string]File, len(listed))
	for _, f := range listed {
		want[f.Path] = f
	}
	for i, f := range c.Files() {
		if f.Name == Name {
			continue
		}
		as, ok := want[f.Name]
		if !ok {
			fault(f.Name, "The file is not among those that were signed.")
			continue
		}
		delete(want, f.Name)
		sum := ""
		if f.Size == as.Size {
			var err error
			if sum, err = digest(c, i); err != nil {
				return err
			}
		}
		if sum != as.SHA256 {
			fault(f.Name, "The file was changed after it was signed.")
		}
	}
	for _, f := range listed {
		if _, missing := want[f.Path]; missing {
			fault(f.Path, "The file was signed and is missing.")
		}
	}
	return archive.Refuse(faults...)
}

// List returns the files of a package as New takes them: sorted, without a signature.
func List(c *archive.Contents) ([]File, error) {
	var list []File
	for i, f := range c.Files() {
		if f.Name == Name {
			continue
		}
		sum, err := digest(c, i)
		if err != nil {
			return nil, err
		}
		list = append(list, File{Path: f.Name, Size: f.Size, SHA256: sum})
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// digest returns the SHA-256 of the file at index i, in hex.
func digest(c *archive.Contents, i int) (string, error) {
	sum := sha256.New()
	if err := c.CopyTo(sum, i); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
