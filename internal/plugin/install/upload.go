package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"stoa/internal/plugin/archive"
)

// Where things are below the data folder.
const (
	packagesDir = "plugins"
	uploadsDir  = "tmp"
	tmpPrefix   = ".tmp-"
	uploadStart = "upload-"
)

// Upload is a received archive in a temporary file. Close it when done.
type Upload struct {
	Hash string // SHA-256 in hex
	Size int64  // bytes

	// PackageID is the id that the package shall have; empty: any.
	PackageID string

	file *os.File
	root *os.Root
	name string
}

// Close discards the upload.
func (up *Upload) Close() error {
	return errors.Join(up.file.Close(), up.root.Remove(up.name), up.root.Close())
}

// Receive reads an archive to its end into a temporary file. It returns
// ErrTooLarge for one that is larger than a plugin's may be, and a
// VALIDATION_ERROR if the client broke off.
func (in *Installer) Receive(body io.Reader) (*Upload, error) {
	root, err := in.openData()
	if err != nil {
		return nil, err
	}
	up := &Upload{root: root, name: path.Join(uploadsDir, uploadStart+randomName()+".zip")}
	up.file, err = root.OpenFile(up.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("install: %w", err), root.Close())
	}
	if err := up.fill(body); err != nil {
		_ = up.Close() // what stays is swept later
		return nil, err
	}
	return up, nil
}

func (up *Upload) fill(body io.Reader) error {
	sum := sha256.New()
	src := &source{r: io.LimitReader(body, archive.MaxArchive+1)}
	n, err := io.Copy(io.MultiWriter(up.file, sum), src)
	switch {
	case src.err != nil:
		return errUnreadable.Because(src.err)
	case err != nil:
		return fmt.Errorf("install: receive: %w", err)
	case n > archive.MaxArchive:
		return ErrTooLarge
	}
	up.Size, up.Hash = n, hex.EncodeToString(sum.Sum(nil))
	return nil
}

// source remembers whether reading failed, to tell it from writing.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
