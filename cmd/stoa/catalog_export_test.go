package main

import (
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/shop/product"
)

func TestExportTo(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	for _, folder := range []string{"shop", "v1.2", "old.yaml"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, folder, name string // name "" is refused
		format             product.Format
	}{
		{"shop", "shop", "catalog.yaml", product.YAML},
		{"new", "new", "catalog.yaml", product.YAML},
		{"v1.2", "v1.2", "catalog.yaml", product.YAML},
		{"old.yaml", "old.yaml", "catalog.yaml", product.YAML},
		{"c.yaml", ".", "c.yaml", product.YAML},
		{"c.YAML", ".", "c.YAML", product.YAML},
		{"c.Yml", ".", "c.Yml", product.YAML},
		{"shop/c.JSON", "shop", "c.JSON", product.JSON},
		{"x.txt", "", "", ""},
		{"x.yaml.gz", "", "", ""},
		{"notes", "", "", ""},
	} {
		folder, name, format, err := exportTo(filepath.Join(dir, tt.path))
		if tt.name == "" {
			if err == nil {
				t.Errorf("%s: %s in %s, want it refused", tt.path, name, folder)
			}
			continue
		}
		if err != nil || filepath.Clean(folder) != filepath.Join(dir, tt.folder) || name != tt.name || format != tt.format {
			t.Errorf("%s = %s, %s, %s, %v", tt.path, folder, name, format, err)
		}
	}
}
