package store

import (
	"context"

	"stoa/internal/account"
	"stoa/internal/data/database"
	"stoa/internal/shop/license"
)

// minIDPart is how many characters of an id a search needs. Ids are random: every
// shorter text is part of many.
const minIDPart = 4

// search returns the arguments of a condition for what an administrator looks for:
// $1 is the pattern of a text that contains it, $2 that of an id, and $3 the last
// group of a key. Of the last two, one that the text cannot be matches nothing.
func search(text string) []any {
	pattern, id := database.Like(account.Key(text)), "-"
	if len(text) >= minIDPart {
		id = pattern
	}
	return []any{pattern, id, license.KeyTail(text)}
}

// searchBy is search, whose last value finds no key if noTails is set.
func searchBy(text string, noTails bool) []any {
	args := search(text)
	if noTails {
		args[len(args)-1] = "" // no key has it
	}
	return args
}

// LicensesWithoutTail implements license.Tails.
func (s *Licenses) LicensesWithoutTail(ctx context.Context, limit int) ([]license.License, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (l license.License, err error) {
		err = row.Scan(&l.ID, &l.KeySealed)
		return l, err
	}, `SELECT id, key_sealed FROM licenses WHERE key_tail IS NULL ORDER BY id LIMIT $1`, limit)
}

// SetKeyTail implements license.Tails.
func (s *Licenses) SetKeyTail(ctx context.Context, licenseID, tail string) error {
	_, err := s.Write.ExecContext(ctx, `UPDATE licenses SET key_tail = $1 WHERE id = $2`, tail, licenseID)
	return err
}
