package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// OwnerKey is the object that names the shop whose files the others are.
const OwnerKey = "stoa.json"

type owner struct {
	PlatformID string `json:"platformId"`
}

// Owner returns the id of the shop that owns the files in a store; "" if no shop has claimed it.
func Owner(ctx context.Context, s Store) (platformID string, err error) {
	body, _, err := s.Get(ctx, OwnerKey)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer body.Close()
	const limit = 1 << 10
	text, err := io.ReadAll(io.LimitReader(body, limit))
	if err != nil {
		return "", err
	}
	var who owner
	if err := json.Unmarshal(text, &who); err != nil || who.PlatformID == "" {
		return "", fmt.Errorf("%s/%s does not name the shop that owns the files", s.Address(), OwnerKey)
	}
	return who.PlatformID, nil
}

// Claim records that the files in a store belong to a shop.
func Claim(ctx context.Context, s Store, platformID string) error {
	text, err := json.Marshal(owner{platformID})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	return s.Put(ctx, OwnerKey, bytes.NewReader(text), int64(len(text)), hex.EncodeToString(sum[:]))
}
