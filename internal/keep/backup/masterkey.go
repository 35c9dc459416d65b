package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// keyFiles are the contents of files with master keys, by file name.
type keyFiles map[string]string

// masterKeys returns the files to write to the data folder: none if the operator has the keys.
// packed is the archive's key entry. The error says which key is missing or wrong.
func (t Target) masterKeys(h Header, packed string) (keyFiles, error) {
	own, err := masterkey.Known(t.MasterKey, t.NextMasterKey, t.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || h.KeyCheck == "" {
		return nil, err
	}
	if err == nil {
		return nil, provesAll(own.Known(), h)
	}
	if packed == "" {
		return nil, fmt.Errorf("the master key of the backup is missing, and the backup is not encrypted, so it has none: "+
			"set STOA_MASTER_KEY, or put the file %s into the data folder", masterkey.File)
	}
	lines := strings.Fields(packed)
	keys := make([]*seal.Key, len(lines))
	for i, line := range lines {
		if keys[i], err = seal.ParseKey(line); err != nil {
			return nil, damaged("%s: %w", keyEntry, err)
		}
	}
	if provesAll(keys, h) != nil {
		return nil, damaged("%s is not the key of its database", keyEntry)
	}
	files := keyFiles{masterkey.File: lines[0] + "\n"}
	if h.OldKeyCheck != "" { // as if the rewrap had started here: master.key.next is the new one
		old, sealing := masterkey.Prover(keys, h.OldKeyCheck), masterkey.Prover(keys, h.KeyCheck)
		files = keyFiles{masterkey.File: old.Reveal() + "\n", masterkey.NextFile: sealing.Reveal() + "\n"}
	}
	return files, nil
}

// provesAll returns an error unless keys has all keys of the archive's database.
func provesAll(keys []*seal.Key, h Header) error {
	switch {
	case masterkey.Prover(keys, h.KeyCheck) == nil:
		return errors.New("the backup belongs to another master key than the one in STOA_MASTER_KEY or the data folder")
	case h.OldKeyCheck != "" && masterkey.Prover(keys, h.OldKeyCheck) == nil:
		return errors.New("the backup was made while stoa keys rewrap replaced the master key: " +
			"set STOA_MASTER_KEY and STOA_MASTER_KEY_NEXT to both keys")
	}
	return nil
}
