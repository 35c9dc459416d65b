package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"stoa/internal/app/demo/sales"
)

// makeSales makes up the sales before the first start, once for a data folder. A start that was
// interrupted is completed by the next, with the same times and ids.
func (d *Demo) makeSales(ctx context.Context) error {
	done := filepath.Join(d.Dir, "demo", "sales-made")
	if _, err := os.Lstat(done); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	began := time.Now()
	b, err := startOf(filepath.Join(d.Dir, "demo", "sales-begun"), began)
	if err != nil {
		return err
	}
	if err := d.Shop.Make(ctx, b); err != nil {
		return err
	}
	if _, err := createOnce(done, b.At.Format(time.RFC3339)+"\n"); err != nil {
		return err
	}
	d.Log.InfoContext(ctx, "demo: sample sales were made",
		slog.Duration("took", time.Since(began).Round(time.Millisecond)))
	return nil
}

// startOf returns what the file says, which it writes first if there is none.
func startOf(file string, now time.Time) (b sales.Start, err error) {
	text, err := json.Marshal(sales.NewStart(now))
	if err != nil {
		return b, err
	}
	if _, err := createOnce(file, string(text)+"\n"); err != nil {
		return b, err
	}
	if text, err = os.ReadFile(file); err != nil { //nolint:gosec // our own file
		return b, err
	}
	if err := json.Unmarshal(text, &b); err != nil || b.At.IsZero() || b.Seed == "" {
		return b, fmt.Errorf("%s cannot be read; delete it: sample sales that were made stay, and others are made", file)
	}
	return b, nil
}
