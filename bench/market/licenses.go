package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"stoa/bench/measure"
	"stoa/internal/base/ids"
	"stoa/internal/shop/license"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// product is the path of what is sold.
const product = "/api/marketplace/products/app"

// instanceID is the instance that every license is activated for.
const instanceID = "shop.example.com"

// fill buys one license over the API and activates it, and copies its rows behind
// stoa's back until there are n: buying as many takes an hour. It returns their
// keys.
func (s *shop) fill(ctx context.Context, n int) (keys []string, err error) {
	first, err := s.buyOne(ctx)
	if err != nil {
		return nil, err
	}
	db, err := s.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	master, err := masterkey.Load("", s.dir)
	if err != nil {
		return nil, err
	}
	hide := license.NewVault(seal.NewKeys(master))
	parsed, err := license.ParseKey(first)
	if err != nil {
		return nil, err
	}
	given, err := readRow(ctx, db, "licenses", "key_hash", hide.Hash(parsed))
	if err != nil {
		return nil, err
	}
	activation, err := readRow(ctx, db, "license_instances", "license_id", given.get("id"))
	if err != nil {
		return nil, err
	}
	keys = append(keys, first)
	const batch = 20_000
	for len(keys) < n {
		var licenses, activations [][]any
		for range min(batch, n-len(keys)) {
			key, id := license.NewKey(), ids.New()
			keys = append(keys, key.Reveal())
			licenses = append(licenses,
				given.with(map[string]any{"id": id, "key_hash": hide.Hash(key), "key_sealed": hide.Seal(key, id)}))
			activations = append(activations, activation.with(map[string]any{"license_id": id}))
		}
		if err := s.insert(ctx, db, given, licenses); err != nil {
			return nil, err
		}
		if err := s.insert(ctx, db, activation, activations); err != nil {
			return nil, err
		}
	}
	if s.postgres != "" {
		for _, statement := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} { // else it goes on while stoa is measured
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return keys, err
			}
		}
	}
	return keys, nil
}

// buyOne has stoa sell and activate a license.
func (s *shop) buyOne(ctx context.Context) (key string, err error) {
	p, err := s.start(ctx, "--ops-addr=off")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	c, err := measure.Dial(ctx, p.Addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	answer, err := c.Do("POST", product+"/purchase", "", []byte(`{"tierId":"pro","paymentMethod":"card"}`))
	if err != nil {
		return "", err
	}
	var bought struct {
		LicenseKey string `json:"licenseKey"`
	}
	if err := json.Unmarshal(answer, &bought); err != nil {
		return "", err
	}
	_, err = c.Do("POST", product+"/activate", "",
		fmt.Appendf(nil, `{"licenseKey":%q,"instanceId":%q}`, bought.LicenseKey, instanceID))
	return bought.LicenseKey, err
}

// record is a row of a table, whatever columns that has.
type record struct {
	table   string
	columns []string
	values  []any
}

func readRow(ctx context.Context, db *sql.DB, table, column string, value any) (r record, err error) {
	//nolint:gosec // names that stand in this file
	rows, err := db.QueryContext(ctx, `SELECT * FROM `+table+` WHERE `+column+` = $1`, value)
	if err != nil {
		return r, err
	}
	defer rows.Close()
	r.table = table
	if r.columns, err = rows.Columns(); err != nil {
		return r, err
	}
	if !rows.Next() {
		return r, errors.Join(fmt.Errorf("no row in %s", table), rows.Err())
	}
	r.values = make([]any, len(r.columns))
	at := make([]any, len(r.columns))
	for i := range at {
		at[i] = &r.values[i]
	}
	return r, rows.Scan(at...)
}

func (r record) get(column string) any { return r.values[slices.Index(r.columns, column)] }

// with returns the row's values with some of them replaced.
func (r record) with(replaced map[string]any) []any {
	values := slices.Clone(r.values)
	for column, v := range replaced {
		values[slices.Index(r.columns, column)] = v
	}
	return values
}

// insert adds rows like r in one transaction.
func (s *shop) insert(ctx context.Context, db *sql.DB, r record, rows [][]any) error {
	if s.postgres != "" {
		return copyRows(ctx, db, r, rows)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // a no-op after Commit
	marks := strings.TrimSuffix(strings.Repeat("?,", len(r.columns)), ",")
	insert, err := tx.PrepareContext(ctx,
		fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, r.table, strings.Join(r.columns, ","), marks))
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, values := range rows {
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// copyRows adds rows with PostgreSQL's COPY.
func copyRows(ctx context.Context, db *sql.DB, r record, rows [][]any) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{r.table}, r.columns, pgx.CopyFromRows(rows))
		return err
	})
}
