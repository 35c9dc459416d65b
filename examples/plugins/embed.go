// Package plugins holds the sources of the example plugins, and builds the
// archives that an administrator would install. The demo and the tests use both.
package plugins

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

//go:embed gift-notes/manifest.json gift-notes/index.js
//go:embed shipping-rates/*.json shipping-rates/*.js
//go:embed loyalty-points/manifest.json loyalty-points/service.js
//go:embed wish-lists order-reports/*.js order-reports/*.json
//go:embed newsletter newsletter-go/manifest.json delivery-dates/*.js delivery-dates/*.json
var sources embed.FS

// packaged are the files of each plugin's archive, in their order. The external
// plugin's archive is only its manifest: the service runs elsewhere.
var packaged = map[string][]string{
	"gift-notes":     {"manifest.json", "index.js"},
	"shipping-rates": {"manifest.json", "package.json", "index.js", "config.js", "rates.js", "token.js"},
	"loyalty-points": {"manifest.json"},
	"order-reports":  {"manifest.json", "index.js"},
	"wish-lists":     {"manifest.json", "index.js", "migrate.js"},
	"newsletter":     {"manifest.json", "index.js"},
	"newsletter-go":  {"manifest.json"},
	"delivery-dates": {"manifest.json", "package.json", "index.js", "dates.js"},

	"wish-lists/1.0.0": {"manifest.json", "index.js"},
}

// Names are the example plugins of the demo: their folders and slugs.
func Names() []string { return []string{"gift-notes", "shipping-rates", "loyalty-points"} }

// Archive returns the installable archive of an example plugin. Overrides take
// the place of top-level fields of its manifest, as externalBaseUrl. The same
// arguments give the same bytes, which an installation recognizes.
func Archive(name string, overrides map[string]any) ([]byte, error) {
	files, known := packaged[name]
	if !known {
		return nil, fmt.Errorf("there is no example plugin %q", name)
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, file := range files {
		content, err := sources.ReadFile(name + "/" + file)
		if err == nil && file == "manifest.json" {
			content, err = override(content, overrides)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		w, err := zw.CreateHeader(&zip.FileHeader{
			Name: file, Method: zip.Deflate, Modified: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Source returns the program of an external example plugin: one JavaScript file
// for Node.js.
func Source(name string) ([]byte, error) { return sources.ReadFile(name + "/service.js") }

func override(manifest []byte, overrides map[string]any) ([]byte, error) {
	if len(overrides) == 0 {
		return manifest, nil
	}
	var fields map[string]any
	if err := json.Unmarshal(manifest, &fields); err != nil {
		return nil, err
	}
	maps.Copy(fields, overrides)
	return json.MarshalIndent(fields, "", "  ")
}
