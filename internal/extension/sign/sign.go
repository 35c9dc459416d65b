// Package sign establishes who published a package. A signed package contains a list of all
// its files, each with its size and SHA-256, and an Ed25519 signature over that list.
//
// The list is a file of the package, so that a signed package stays one archive, and
// packing the same files again does not break the signature. docs/plugins/signing.md
// describes the format for other programs.
//
// Which keys are trusted is the operator's decision (Keys). What archives may hold at
// all is decided by package archive before anything is asked here.
package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Name is the file with the signature, beside the manifest.
	Name = "stoa-signature.json"

	// MaxSize is the size of the largest Name that is read, in bytes: enough for
	// archive.MaxEntries files with long names.
	MaxSize = 8 << 20

	version = 1

	// purpose begins what is signed, so that a signature made for something else with
	// the same key is none of a package.
	purpose = "stoa package signature 1\n"
)

// File is a file of a package, other than Name.
type File struct {
	Path   string `json:"path"` // slash-separated, from the folder with the manifest
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// Signature is the content of Name. Whoever made it, it is well-formed: the files are
// sorted by path and distinct.
type Signature struct {
	Files []File
	Key   ed25519.PublicKey // that the signer claims to have
	Sum   []byte            // the signature itself
}

// document is a Signature in JSON.
type document struct {
	Version   int    `json:"version"`
	Files     []File `json:"files"`
	Key       string `json:"key"`
	Signature string `json:"signature"`
}

// New signs a package with these files, which are sorted by path.
func New(files []File, key ed25519.PrivateKey) (Signature, error) {
	if err := check(files); err != nil {
		return Signature{}, err
	}
	public, _ := key.Public().(ed25519.PublicKey) // always is one
	return Signature{Files: files, Key: public, Sum: ed25519.Sign(key, message(files))}, nil
}

// Holds reports whether the owner of s.Key signed s.Files.
func (s Signature) Holds() bool { return ed25519.Verify(s.Key, message(s.Files), s.Sum) }

// message is what is signed: a line for each file. Paths have no control characters, so
// that two lists never have the same lines.
func message(files []File) []byte {
	b := []byte(purpose)
	for _, f := range files {
		b = append(b, f.SHA256...)
		b = append(b, ' ')
		b = strconv.AppendInt(b, f.Size, 10)
		b = append(b, ' ')
		b = append(b, f.Path...)
		b = append(b, '\n')
	}
	return b
}

// Bytes returns the content of Name.
func (s Signature) Bytes() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// Texts and numbers always encode.
	_ = e.Encode(document{
		Version: version, Files: s.Files, Key: EncodePublic(s.Key), Signature: base64.StdEncoding.EncodeToString(s.Sum),
	})
	return b.Bytes()
}

// Parse reads the content of Name. It accepts exactly what Bytes returns: a list with
// two readings, such as a field given twice, would be another list to another program.
// Its errors are parts of sentences.
func Parse(raw []byte) (Signature, error) {
	if len(raw) > MaxSize {
		return Signature{}, fmt.Errorf("it is larger than %d MiB", MaxSize>>20)
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return Signature{}, errors.New("it is not JSON of the right form")
	}
	if d.Version != version {
		return Signature{}, fmt.Errorf("its version is not %d", version)
	}
	if err := check(d.Files); err != nil {
		return Signature{}, err
	}
	key, err := DecodePublic(d.Key)
	if err != nil {
		return Signature{}, fmt.Errorf("key: %w", err)
	}
	sum, err := base64.StdEncoding.Strict().DecodeString(d.Signature)
	if err != nil || len(sum) != ed25519.SignatureSize {
		return Signature{}, fmt.Errorf("signature is not %d bytes in base64", ed25519.SignatureSize)
	}
	s := Signature{Files: d.Files, Key: key, Sum: sum}
	if !bytes.Equal(raw, s.Bytes()) {
		return Signature{}, errors.New("it is not in the canonical form")
	}
	return s, nil
}

// check returns what is wrong with a list of files.
func check(files []File) error {
	if len(files) == 0 {
		return errors.New("it lists no files")
	}
	last := ""
	for _, f := range files {
		sum, err := hex.DecodeString(f.SHA256)
		switch {
		case !fs.ValidPath(f.Path) || f.Path == "." || f.Path == Name || !utf8.ValidString(f.Path) ||
			strings.ContainsFunc(f.Path, unicode.IsControl):
			return fmt.Errorf("%.200q cannot be the path of a file", f.Path)
		case f.Path <= last:
			return fmt.Errorf("%.200q is not in the order of the paths, or twice", f.Path)
		case f.Size < 0:
			return fmt.Errorf("%.200q has a negative size", f.Path)
		case err != nil || len(sum) != sha256.Size || hex.EncodeToString(sum) != f.SHA256:
			return fmt.Errorf("%.200q has no SHA-256 in lower-case hex", f.Path)
		}
		last = f.Path
	}
	return nil
}
