package store

import (
	"context"
	"strings"
	"time"

	"stoa/internal/data/database"
)

// KeyHolder is a process and the master keys it knows.
type KeyHolder struct {
	ID   string
	Name string   // for people
	Keys []string // seal.Key.ID of each, the one that seals first
}

// MasterKeys records which master keys each process knows. It uses the clock of
// the database.
type MasterKeys struct{ database.Conn }

// NewMasterKeys returns the MasterKeys of db.
func NewMasterKeys(db *database.DB) *MasterKeys { return &MasterKeys{db.Conn()} }

// Report records which keys a process knows now.
func (s *MasterKeys) Report(ctx context.Context, h KeyHolder) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO master_key_holders (id, name, keys, seen_at_ms) VALUES ($1, $2, $3, `+s.Clock()+`)
		ON CONFLICT (id) DO UPDATE SET keys = excluded.keys, seen_at_ms = excluded.seen_at_ms`,
		h.ID, h.Name, strings.Join(h.Keys, " "))
	return err
}

// Leave forgets a process, and those that were not seen for a day.
func (s *MasterKeys) Leave(ctx context.Context, id string) error {
	_, err := s.Write.ExecContext(ctx, `
		DELETE FROM master_key_holders WHERE id = $1 OR seen_at_ms < `+s.Clock()+` - $2`,
		id, (24 * time.Hour).Milliseconds())
	return err
}

// Holders returns the processes that were seen within a time, by name.
func (s *MasterKeys) Holders(ctx context.Context, within time.Duration) ([]KeyHolder, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (h KeyHolder, err error) {
		var keys string
		err = row.Scan(&h.ID, &h.Name, &keys)
		h.Keys = strings.Fields(keys)
		return h, err
	}, `
		SELECT id, name, keys FROM master_key_holders WHERE seen_at_ms > `+s.Clock()+` - $1 ORDER BY name, id`,
		within.Milliseconds())
}
