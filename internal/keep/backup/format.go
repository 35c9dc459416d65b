package backup

import (
	"errors"
	"fmt"
	"time"

	"stoa/internal/data/database"
)

// The archive is a tar file in a zstd stream, in an age file if it is encrypted. Its entries,
// in this order:
//
//	header.json            what this is, before anything has to be unpacked
//	master.key             only if the archive is encrypted: the key of the database, and in
//	                       a second line the one that a rewrap was replacing
//	files/<path>           the files below the data folder
//	tables/<name>/<n>      rows of a table, as row.go encodes them
//	manifest.json          what there must have been
//
// Nothing follows the manifest, so a truncated archive has none. After the tar file there is
// the digest of digest.go.
const (
	headerEntry    = "header.json"
	keyEntry       = "master.key"
	filesFolder    = "files/"
	tablesFolder   = "tables/"
	manifestEntry  = "manifest.json"
	formatVersion  = 1
	chunkSize      = 1 << 20  // of rows, before they become an entry
	maxDocument    = 64 << 20 // of header and manifest
	maxChunk       = 64 << 20 // a chunk has one row more than fits
	encryptedMagic = "age-encryption.org/"
)

// Header describes an archive, at its beginning.
type Header struct {
	Format int `json:"format"`
	// Stoa is the version of the program that wrote the archive, Schema the number of the
	// last migration of its database, Engine that database's engine.
	Stoa   string `json:"stoa"`
	Schema int64  `json:"schema"`
	Engine string `json:"engine"`

	CreatedAt  time.Time `json:"createdAt"`
	PlatformID string    `json:"platformId"`
	// KeyCheck proves whether a master key is that of the database: it is a value sealed with it.
	// It reveals nothing. It is empty if the database has no key yet.
	KeyCheck string `json:"keyCheck,omitempty"`
	// OldKeyCheck is the same for the key that stoa keys rewrap was replacing, which still opens
	// some of the values.
	OldKeyCheck string `json:"oldKeyCheck,omitempty"`
	// Summed means that a digest follows the archive. Archives of earlier versions have none.
	Summed bool `json:"summed,omitempty"`
	// Tables are the tables in the archive, including those without rows.
	Tables []database.Table `json:"tables"`
}

// Manifest lists what an archive contains, at its end.
type Manifest struct {
	Tables map[string]TableSum `json:"tables"`
	// Sequences are the last numbers of generated columns, by table.
	Sequences map[string]int64 `json:"sequences"`
	Files     []File           `json:"files"`
	// Missing are paths below the data folder that the database refers to but that did not exist
	// when the backup was made.
	Missing []string `json:"missing,omitempty"`
}

// TableSum identifies the rows of a table, in any order.
type TableSum struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"` // the sum of the rows' hashes; see sum
}

// File is a file below the data folder.
type File struct {
	Path   string `json:"path"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Rows returns the number of rows in all tables.
func (m Manifest) Rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

// Bytes returns the size of all files.
func (m Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// ErrDamaged means that an archive is not as it was written.
var ErrDamaged = errors.New("the backup is damaged")

// damaged returns an ErrDamaged with the reason.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// notBackedUp are the tables that belong to an installation and its processes, not to the shop.
var notBackedUp = []string{"backup_jobs", "duties", "master_key_holders"}
