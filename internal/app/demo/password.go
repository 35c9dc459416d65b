package demo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// AdminEmail is the demo administrator's address.
const AdminEmail = "admin@example.com"

// publicPassword was the demo administrator's password before each demo got a random one. In data
// folders of that time it is replaced.
const publicPassword = "stoa-demo-admin"

// Password is the demo administrator's password and the file that holds it.
type Password struct {
	Text string
	File string
	New  bool // created by this call
}

// LoadPassword returns the password stored below a data folder. The first call creates a random
// one, in a file for this user only. Two processes that start together get the same password.
func LoadPassword(dataDir string) (Password, error) {
	dir := filepath.Join(dataDir, "demo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Password{}, err
	}
	p := Password{File: filepath.Join(dir, "admin-password")}
	made, err := createOnce(p.File, rand.Text()+"\n")
	if err != nil {
		return Password{}, err
	}
	p.New = made
	if err := os.Chmod(p.File, 0o600); err != nil { // it may come from a copy
		return Password{}, err
	}
	text, err := os.ReadFile(p.File)
	if err != nil {
		return Password{}, err
	}
	p.Text = strings.TrimSpace(string(text))
	if p.Text == "" {
		return Password{}, fmt.Errorf("%s is empty; delete it to get a new password", p.File)
	}
	return p, nil
}

// createOnce writes a file for this user only, unless it exists, and reports whether it did. The
// file appears whole or not at all.
func createOnce(path, text string) (made bool, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-") // mode 0600
	if err != nil {
		return false, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(text)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return false, err
	}
	err = os.Link(tmp.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}
