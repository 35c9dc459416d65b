package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stoa/internal/data/database"
	"stoa/internal/operate/settings"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
)

// FindDatabase returns the URL of the database to work on: the configured one, else the one of the
// last stoa serve on this data folder, else stoa.db in the folder. It creates nothing. It returns an
// error if the configured database is not the one last served, so that a mistyped URL does not make
// a command work on the wrong database unnoticed.
func (f Folder) FindDatabase(ctx context.Context) (string, error) {
	last, err := readServed(f.Data)
	switch {
	case err != nil:
		return "", err
	case last == nil && f.DatabaseURL == "":
		return filepath.Join(f.Data, "stoa.db"), nil
	case last == nil:
		return f.DatabaseURL, nil
	case f.DatabaseURL == "":
		return last.databaseURL(f.Data), nil
	case Recorded(f.DatabaseURL, f.Data) == last.Database:
		return f.DatabaseURL, nil
	}
	// Another URL may still lead to the same database: with another user, over a pooler, or after
	// the server has moved.
	facts, err := Inspect(ctx, f.DatabaseURL)
	if err != nil {
		return "", err
	}
	if facts.ID != last.DatabaseID {
		return "", settings.Wrong(fmt.Errorf("the database is set to %s, but this data folder belongs to another one: "+
			"stoa serve last used %s. Correct --data or STOA_DATABASE_URL; to give the folder to the new database, "+
			"delete %s first",
			WithoutPassword(f.DatabaseURL), WithoutPassword(last.databaseURL(f.Data)), filepath.Join(f.Data, ServedFile)))
	}
	return f.DatabaseURL, nil
}

// Facts describe a database before it is used.
type Facts struct {
	Exists bool
	ID     string // empty if no stoa has used the database yet
	sealed bool   // it holds secrets sealed with a master key
}

// Inspect looks at a database. It creates nothing: no file, no table.
func Inspect(ctx context.Context, at string) (f Facts, err error) {
	if !database.IsPostgres(at) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
			return Facts{}, nil
		}
	}
	db, err := database.Open(at)
	if err != nil {
		return Facts{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if f.Exists, err = db.HasTable(ctx, "settings"); err != nil || !f.Exists {
		return f, err
	}
	kept := store.NewSettings(db)
	if f.ID, _, err = kept.Find(ctx, store.SettingPlatformID); err == nil {
		_, f.sealed, err = kept.Find(ctx, store.SettingMasterKeyCheck)
	}
	return f, err
}

// OpenExisting returns the URL of the database to work on, and writes it to w. The database must
// exist: only serve and migrate create one, because any other command would report success on an
// empty database.
func (f Folder) OpenExisting(ctx context.Context, w io.Writer) (string, error) {
	at, err := f.FindDatabase(ctx)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w, "database: %s\n", WithoutPassword(at))
	db, err := Inspect(ctx, at)
	switch {
	case err != nil && f.DatabaseURL == "" && database.IsPostgres(at):
		return "", fmt.Errorf("%w\nThis is the database of the last stoa serve, from %s, which holds no password: set "+
			"STOA_DATABASE_URL or PGPASSWORD",
			err, filepath.Join(f.Data, ServedFile))
	case err != nil:
		return "", err
	case !db.Exists:
		return "", settings.Wrong(fmt.Errorf("there is no stoa database at %s. Set STOA_DATABASE_URL or --data as for "+
			"stoa serve; stoa serve and stoa migrate create a new database", WithoutPassword(at)))
	}
	if db.sealed && settings.MasterKey.Value() == "" {
		if _, err := os.Stat(filepath.Join(f.Data, masterkey.File)); errors.Is(err, fs.ErrNotExist) {
			return "", settings.Wrong(fmt.Errorf("the master key of this database is missing: set %s, or set --data to the "+
				"folder with %s", settings.MasterKey.Env, masterkey.File))
		}
	}
	return at, nil
}
