package license

import (
	"context"
	"strings"
)

// Tail returns the last group of the key. Administrators find a license by it: a
// customer can name it without giving the key away.
func (k Key) Tail() string {
	text := k.Reveal()
	return text[len(text)-keyGroup:]
}

// Masked returns a key as people see it who may not use it: the last group of it.
func (k Key) Masked() string { return keyPrefix + "-…-" + k.Tail() }

// KeyTail returns the last group of a key that a person wrote, as Key.Tail spells it.
// It returns "-", with which no key ends, for a text that is no such group.
func KeyTail(text string) string {
	if len(text) != keyGroup {
		return "-"
	}
	tail := make([]byte, keyGroup)
	for i := range keyGroup {
		v, ok := symbolValue(text[i])
		if !ok {
			return "-"
		}
		tail[i] = alphabet[v]
	}
	return string(tail)
}

// Tails are the last groups of keys that were issued before the database kept them.
type Tails interface {
	// LicensesWithoutTail returns up to limit licenses whose last group of the key is
	// not in the database yet, with their ID and KeySealed only.
	LicensesWithoutTail(ctx context.Context, limit int) ([]License, error)
	// SetKeyTail keeps the last group of a license's key.
	SetKeyTail(ctx context.Context, licenseID, tail string) error
}

// FillTails adds the last groups of all keys that lack them. It may be repeated, and
// does nothing once all are there.
func (v *Vault) FillTails(ctx context.Context, store Tails) error {
	const batch = 200
	for {
		list, err := store.LicensesWithoutTail(ctx, batch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, l := range list {
			tail := "" // of a key that cannot be read: it is not tried again
			if key, err := v.Open(l); err == nil {
				tail = key.Tail()
			}
			if err := store.SetKeyTail(ctx, l.ID, tail); err != nil {
				return err
			}
		}
	}
}

// KeyPart returns the characters of a part of a key, such as a half, as Key.EndsWith takes
// it. It reads what people write as ParseKey does, and returns "" for a text that is no part
// of a key, or too short a part to tell keys apart.
func KeyPart(text string) string {
	if len(text) > maxKeyInput {
		return ""
	}
	part := make([]byte, 0, len(keyPrefix)+keySymbols)
	for i := range len(text) {
		if c := text[i]; c == '-' || c == ' ' {
			continue
		}
		v, ok := symbolValue(text[i])
		if !ok || len(part) == cap(part) {
			return ""
		}
		part = append(part, alphabet[v])
	}
	if len(part) < keyGroup {
		return ""
	}
	return string(part)
}

// PartTail returns the last group of a part of a key, or "" for an empty part.
func PartTail(part string) string {
	if len(part) < keyGroup {
		return ""
	}
	return part[len(part)-keyGroup:]
}

// EndsWith reports whether the key ends with a part of a key (KeyPart).
func (k Key) EndsWith(part string) bool { return strings.HasSuffix(KeyPart(k.Reveal()), part) }
