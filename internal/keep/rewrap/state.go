package rewrap

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/trust/seal"
)

// progress is the setting master_key_rewrap.
type progress struct {
	From string `json:"from"` // masterkey.Proof of the old key
	// Table and After are the position of the current pass: rows of Table up to the key After are
	// done, and all tables before it.
	Table string `json:"table,omitempty"`
	After string `json:"after,omitempty"`
	// Changed is how many values this pass has sealed again so far.
	Changed int `json:"changed"`
	// Total is how many values all passes have sealed again.
	Total int `json:"total"`
}

// state is what the database records about its master key.
type state struct {
	check  string    // masterkey.Proof of the key that seals; empty on a new database
	rewrap *progress // nil unless a rewrap is going on
}

// readState reads both settings in one snapshot.
func readState(ctx context.Context, conn database.Conn) (s state, err error) {
	err = conn.InSnapshot(ctx, func(conn database.Conn) error {
		settings := store.Settings{Conn: conn}
		if s.check, _, err = settings.Find(ctx, store.SettingMasterKeyCheck); err != nil {
			return err
		}
		s.rewrap, err = parseProgress(settings.Find(ctx, store.SettingRewrap))
		return err
	})
	return s, err
}

// lockProgress returns the progress of the rewrap that is going on, or nil if there is none, and
// locks it until the transaction ends.
func lockProgress(ctx context.Context, tx database.Conn) (*progress, error) {
	return parseProgress((&store.Settings{Conn: tx}).FindLocked(ctx, store.SettingRewrap))
}

func parseProgress(text string, found bool, err error) (*progress, error) {
	if err != nil || !found {
		return nil, err
	}
	p := new(progress)
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("the setting %s: %w", store.SettingRewrap, err)
	}
	return p, nil
}

// OldKeyCheck returns the masterkey.Proof of the key that a rewrap is replacing, as conn sees it.
// It is empty if no rewrap is going on.
func OldKeyCheck(ctx context.Context, conn database.Conn) (string, error) {
	s, err := readState(ctx, conn)
	if err != nil || s.rewrap == nil {
		return "", err
	}
	return s.rewrap.From, nil
}

// retiredKeys returns the names of the keys that rewraps replaced.
func retiredKeys(ctx context.Context, conn database.Conn) ([]string, error) {
	text, _, err := (&store.Settings{Conn: conn}).Find(ctx, store.SettingRetiredKeys)
	return strings.Fields(text), err
}

// retire records that next replaces old.
func retire(ctx context.Context, conn database.Conn, old, next *seal.Key) error {
	retired, err := retiredKeys(ctx, conn)
	if err != nil {
		return err
	}
	retired = slices.DeleteFunc(retired, func(id string) bool { return id == old.ID() || id == next.ID() })
	text := strings.Join(append(retired, old.ID()), " ")
	return (&store.Settings{Conn: conn}).Put(ctx, store.SettingRetiredKeys, text)
}

// put writes progress.
func (p progress) put(ctx context.Context, conn database.Conn) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return (&store.Settings{Conn: conn}).Put(ctx, store.SettingRewrap, string(text))
}
