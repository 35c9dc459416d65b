package datafolder

import (
	"fmt"
	"io"
	"os"

	"stoa/internal/data/blob"
	"stoa/internal/data/blob/s3"
	"stoa/internal/operate/settings"
)

// OnDisk is the storage URL of the data folder.
const OnDisk = "disk"

// OpenStorage returns the object storage with the files, and its URL; nil if they are in the data
// folder. Without a setting it uses the storage of the last stoa serve on the folder.
func (f Folder) OpenStorage() (blob.Store, string, error) {
	at := f.StorageURL
	if at == "" {
		last, err := readServed(f.Data)
		if err != nil {
			return nil, "", err
		}
		if last != nil {
			at = last.Storage
		}
	}
	if at == "" || at == OnDisk {
		return nil, "", nil
	}
	store, err := s3.Open(at, os.Getenv)
	if err != nil {
		return nil, "", settings.Wrong(fmt.Errorf("--storage-url: %w", err))
	}
	return store, at, nil
}

// ShowStorage writes to w which object storage a command works on.
func ShowStorage(w io.Writer, at blob.Store) {
	if at != nil {
		fmt.Fprintf(w, "storage: %s\n", at.Address())
	}
}
