package rewrap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/trust/seal"
)

// batchRows is how many rows one transaction seals again. It is small, so that requests hardly wait
// for a batch.
const batchRows = 100

// pass is one pass over all sealed values.
type pass struct {
	rewrap     Rewrap
	old, next  *seal.Key
	boxes      map[string][2]*seal.Box                       // by purpose: of the old and the new key
	hashes     map[string]func(plain []byte) (string, error) // by the new key, by column
	unreadable []string
	// alone marks a pass outside of a rewrap, which must not touch the progress of one that runs at
	// the same time.
	alone   bool
	changed int // values that were sealed again by all runs
}

// value is a sealed value.
type value struct {
	row, box, bound, text string
}

// run processes all sealed values. clean reports whether it started at the first and found none to
// seal again. A pass that was interrupted before is completed, and is not clean.
func (p *pass) run(ctx context.Context) (clean bool, err error) {
	conn := p.rewrap.DB.Conn()
	now, err := readState(ctx, conn)
	if err != nil {
		return false, err
	}
	if p.alone || now.rewrap == nil { // finished before, and is checked again
		now.rewrap = new(progress)
	}
	at, tables := *now.rewrap, Tables()
	from := max(0, slices.IndexFunc(tables, func(t Table) bool { return t.Name == at.Table }))
	clean, p.unreadable = at.Table == "", nil
	p.boxes, p.hashes = make(map[string][2]*seal.Box), make(map[string]func([]byte) (string, error))
	for _, table := range tables[from:] {
		if at.Table != table.Name {
			at.Table, at.After = table.Name, ""
		}
		for more := true; more; {
			began := time.Now()
			if more, err = p.batch(ctx, table, &at); err != nil {
				return false, fmt.Errorf("%s: %w", table.Name, err)
			}
			// Leave other work as much time as this took.
			if err := sleep(ctx, time.Since(began)); err != nil {
				return false, err
			}
		}
	}
	clean = clean && at.Changed == 0
	at.Table, at.After, at.Changed = "", "", 0
	return clean, at.keep(ctx, conn)
}

// keep records progress, unless another, faster run has finished the rewrap. Recording it then
// would make a rewrap seem to be going on, and processes that know only the new key would not
// start.
func (p progress) keep(ctx context.Context, conn database.Conn) error {
	if p.From == "" {
		return nil
	}
	return conn.InTx(ctx, func(tx database.Conn) error {
		now, err := lockProgress(ctx, tx)
		if err != nil || now == nil || now.From != p.From {
			return err
		}
		return p.put(ctx, tx)
	})
}

// batch seals the next rows of a table again, and reports whether more may follow.
func (p *pass) batch(ctx context.Context, table Table, at *progress) (more bool, err error) {
	rows, err := p.rows(ctx, table, at.After)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	var updates []update
	for _, values := range rows {
		for i, v := range values {
			u, due, err := p.seal(table, table.Columns[i], v)
			if err != nil {
				return false, err
			}
			if due {
				updates = append(updates, u)
			}
		}
	}
	to := *at
	to.After = rows[len(rows)-1][0].row
	to.Changed, to.Total = at.Changed+len(updates), at.Total+len(updates)
	err = p.rewrap.DB.Conn().InTx(ctx, func(tx database.Conn) error {
		for _, u := range updates {
			if _, err := tx.Write.ExecContext(ctx, u.statement, u.args...); err != nil {
				return err
			}
		}
		return to.keep(ctx, tx)
	})
	if err == nil {
		p.changed += len(updates)
	}
	*at = to
	return len(rows) == batchRows, err
}

// rows returns the sealed values of the next rows.
func (p *pass) rows(ctx context.Context, table Table, after string) ([][]value, error) {
	columns := []string{table.Key}
	for _, c := range table.Columns {
		columns = append(columns, c.Box, c.Row, c.Name)
	}
	where := table.Key + ` > $1`
	if table.Where != "" {
		where += ` AND ` + table.Where
	}
	query := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + table.Name + ` WHERE ` + where +
		` ORDER BY ` + table.Key + ` LIMIT $2`
	return database.All(ctx, p.rewrap.DB.Conn().Read, func(row database.Scanner) ([]value, error) {
		values, key := make([]value, len(table.Columns)), ""
		targets := []any{&key}
		for i := range values {
			targets = append(targets, &values[i].box, &values[i].bound, &values[i].text)
		}
		err := row.Scan(targets...)
		for i := range values {
			values[i].row = key
		}
		return values, err
	}, query, after, batchRows)
}

// update is a statement that replaces a value, unless it has changed in the meantime.
type update struct {
	statement string
	args      []any
}

// seal returns the update that seals a value again; due is false if that is unnecessary or
// impossible.
func (p *pass) seal(table Table, column Column, v value) (u update, due bool, err error) {
	if v.text == "" {
		return u, false, nil
	}
	boxes, ok := p.boxes[v.box]
	if !ok {
		boxes = [2]*seal.Box{p.old.Box(v.box), p.next.Box(v.box)}
		p.boxes[v.box] = boxes
	}
	if _, err := boxes[1].Open(v.text, v.bound); err == nil {
		return u, false, nil
	}
	plain, err := boxes[0].Open(v.text, v.bound)
	if err != nil {
		p.unreadable = append(p.unreadable, table.Name+"."+column.Name+" of "+v.row)
		return u, false, nil //nolint:nilerr // neither key opens it; it is reported
	}
	set, args := column.Name+` = $1`, []any{boxes[1].Seal(plain, v.bound), v.row, v.text}
	if column.Rehash != nil {
		name := table.Name + "." + column.Name
		if p.hashes[name] == nil {
			p.hashes[name] = column.Rehash(p.next)
		}
		hash, err := p.hashes[name](plain)
		if err != nil {
			return u, false, fmt.Errorf("%s of %s: %w", column.Name, v.row, err)
		}
		set += `, ` + column.Hash + ` = $4`
		args = append(args, hash)
	}
	statement := `UPDATE ` + table.Name + ` SET ` + set + ` WHERE ` + table.Key + ` = $2 AND ` + column.Name + ` = $3`
	return update{statement, args}, true, nil
}
