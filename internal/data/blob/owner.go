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

// OwnerKey is the object that says whose files the others are.
const OwnerKey = "stoa.json"

type owner struct {
	PlatformID string `json:"platformId"`
}

// Owner returns the id of the shop whose files are in a store; "" if nobody claimed it.
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
		return "", fmt.Errorf("%s/%s does not say to which shop the files belong", s.Address(), OwnerKey)
	}
	return who.PlatformID, nil
}

// Claim says that the files in a store are those of a shop.
func Claim(ctx context.Context, s Store, platformID string) error {
	text, err := json.Marshal(owner{platformID})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	return s.Put(ctx, OwnerKey, bytes.NewReader(text), int64(len(text)), hex.EncodeToString(sum[:]))
}
