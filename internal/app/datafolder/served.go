package datafolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"stoa/internal/data/database"
)

// ServedFile is the file in the data folder to which serve writes its settings for other commands.
const ServedFile = "serve.json"

// Served holds the settings with which stoa serve was last started on a data folder. It holds no
// secrets.
type Served struct {
	// Database is a postgres:// URL without its password, or the path of a SQLite file. A path
	// inside the data folder is relative to it, because the folder may be moved.
	Database string `json:"database"`
	// DatabaseID identifies the database, whatever its URL.
	DatabaseID string `json:"databaseId"`

	// Storage is the URL of the object storage with the files; empty if they are in the data folder.
	Storage string `json:"storage,omitempty"`

	PasswordPolicy string `json:"passwordPolicy"`
	Payments       string `json:"payments"`
	PublicURL      string `json:"publicUrl"`
	Version        string `json:"version"`
}

// readServed returns the settings of the last stoa serve on the data folder, or nil
// if there was none.
func readServed(dataDir string) (*Served, error) {
	path := filepath.Join(dataDir, ServedFile)
	text, err := os.ReadFile(path) //nolint:gosec // the operator's own data folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nil is a folder that was never served
	}
	if err != nil {
		return nil, err
	}
	s := new(Served)
	if err := json.Unmarshal(text, s); err != nil || s.Database == "" || s.DatabaseID == "" {
		return nil, fmt.Errorf("%s cannot be read: restore it, or delete it and set STOA_DATABASE_URL", path)
	}
	return s, nil
}

// Write writes the settings to the data folder, readable by this user only.
func (s Served) Write(dataDir string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dataDir, ServedFile)
	return ReplaceFile(path, bytes.NewReader(append(text, '\n')), 0o600)
}

// databaseURL returns the URL of the database, without its password.
func (s Served) databaseURL(dataDir string) string {
	if database.IsPostgres(s.Database) || filepath.IsAbs(s.Database) {
		return s.Database
	}
	return filepath.Join(dataDir, s.Database)
}

// Recorded returns the URL at as Served.Database spells it.
func Recorded(at, dataDir string) string {
	if database.IsPostgres(at) {
		return WithoutPassword(at)
	}
	path, err := filepath.Abs(at)
	if err != nil {
		return at
	}
	if rel, err := filepath.Rel(dataDir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// WithoutPassword returns the URL of a database without its password, safe to show.
func WithoutPassword(at string) string {
	if !database.IsPostgres(at) {
		if path, err := filepath.Abs(at); err == nil {
			return path
		}
		return at
	}
	u, err := url.Parse(at)
	if err != nil {
		scheme, _, _ := strings.Cut(at, "://")
		return scheme + "://…" // a URL that cannot be parsed may hold a password anywhere
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	q.Del("password")
	q.Del("sslpassword")
	u.RawQuery = q.Encode()
	return u.String()
}
