package main

import (
	"fmt"
	"io"
	"os"

	"stoa/internal/data/blob"
	"stoa/internal/data/blob/s3"
)

// onDisk is the storage URL of the data folder.
const onDisk = "disk"

// openStorage returns the object storage with the files, and its URL; nil if they are in the
// data folder. Without a setting it is that of the last stoa serve on the folder.
func (s storage) openStorage() (blob.Store, string, error) {
	at := s.StorageURL
	if at == "" {
		last, err := readServed(s.Data)
		if err != nil {
			return nil, "", err
		}
		if last != nil {
			at = last.Storage
		}
	}
	if at == "" || at == onDisk {
		return nil, "", nil
	}
	store, err := s3.Open(at, os.Getenv)
	if err != nil {
		return nil, "", fmt.Errorf("--storage-url: %w", err)
	}
	return store, at, nil
}

// showStorage says on which object storage a command works.
func showStorage(w io.Writer, at blob.Store) {
	if at != nil {
		fmt.Fprintf(w, "storage: %s\n", at.Address())
	}
}
