package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
)

// findDatabase returns the URL of the database to work on: the one that is set, else
// the one of the last stoa serve on this data folder, else stoa.db in the folder. It
// creates nothing, and returns an error if the setting names another database than
// the one that was served: whoever mistypes a URL would otherwise work on the wrong
// database without noticing.
func (s storage) findDatabase(ctx context.Context) (string, error) {
	last, err := readServed(s.Data)
	switch {
	case err != nil:
		return "", err
	case last == nil && s.DatabaseURL == "":
		return filepath.Join(s.Data, "stoa.db"), nil
	case last == nil:
		return s.DatabaseURL, nil
	case s.DatabaseURL == "":
		return last.databaseURL(s.Data), nil
	case recorded(s.DatabaseURL, s.Data) == last.Database:
		return s.DatabaseURL, nil
	}
	// Another address may still be the same database: another user, a pooler, a moved
	// server.
	facts, err := inspect(ctx, s.DatabaseURL)
	if err != nil {
		return "", err
	}
	if facts.id != last.DatabaseID {
		return "", fmt.Errorf("the database is set to %s, but this data folder belongs to another one: "+
			"stoa serve last used %s. Correct --data or STOA_DATABASE_URL; to give the folder to the new database, "+
			"delete %s first",
			withoutPassword(s.DatabaseURL), withoutPassword(last.databaseURL(s.Data)), filepath.Join(s.Data, servedFile))
	}
	return s.DatabaseURL, nil
}

// facts are what findDatabase and openExisting need to know of a database.
type facts struct {
	exists bool
	id     string // empty if no stoa has used the database yet
	sealed bool   // a master key belongs to it
}

// inspect looks at a database. It creates nothing: no file, no table.
func inspect(ctx context.Context, at string) (f facts, err error) {
	if !database.IsPostgres(at) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
			return facts{}, nil
		}
	}
	db, err := database.Open(at)
	if err != nil {
		return facts{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if f.exists, err = db.HasTable(ctx, "settings"); err != nil || !f.exists {
		return f, err
	}
	settings := store.NewSettings(db)
	if f.id, _, err = settings.Find(ctx, store.SettingPlatformID); err == nil {
		_, f.sealed, err = settings.Find(ctx, store.SettingMasterKeyCheck)
	}
	return f, err
}

// openExisting returns the URL of the database to work on, which exists, and says on
// std which one it is. Only serve and migrate create databases: a command that did
// would report success on an empty one.
func (s storage) openExisting(ctx context.Context, std streams) (string, error) {
	at, err := s.findDatabase(ctx)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(std.err, "database: %s\n", withoutPassword(at))
	f, err := inspect(ctx, at)
	switch {
	case err != nil && s.DatabaseURL == "" && database.IsPostgres(at):
		return "", fmt.Errorf("%w\nThis is the database of the last stoa serve, from %s, which holds no password: set "+
			"STOA_DATABASE_URL or PGPASSWORD",
			err, filepath.Join(s.Data, servedFile))
	case err != nil:
		return "", err
	case !f.exists:
		return "", fmt.Errorf("there is no stoa database at %s. Set STOA_DATABASE_URL or --data as for stoa serve; "+
			"stoa serve and stoa migrate create a new database", withoutPassword(at))
	}
	if f.sealed && os.Getenv(envMasterKey) == "" {
		if _, err := os.Stat(filepath.Join(s.Data, masterkey.File)); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the master key of this database is missing: set %s, or set --data to the folder with %s",
				envMasterKey, masterkey.File)
		}
	}
	return at, nil
}
