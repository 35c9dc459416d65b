package testkit

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"

	"stoa/internal/testkit/ziptest"
)

// Entry is one entry of an archive; see ziptest.Entry.
type Entry = ziptest.Entry

// Archive returns a ZIP archive with the given entries, even if they are not valid.
func Archive(tb testing.TB, entries ...Entry) []byte {
	tb.Helper()
	return ziptest.Build(tb, entries...)
}

// PluginArchive returns a plugin package with manifest.json and the files, by name. The
// same arguments give the same bytes.
func PluginArchive(tb testing.TB, manifest map[string]any, files map[string]string) []byte {
	tb.Helper()
	return ziptest.Plugin(tb, manifest, files)
}

// ExternalManifest returns a new minimal manifest of an external plugin.
func ExternalManifest(slug, baseURL string) map[string]any {
	return map[string]any{
		"schemaVersion": 1, "slug": slug, "name": "Plugin " + slug, "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": baseURL,
	}
}

// InternalManifest returns a new minimal manifest of an internal plugin.
func InternalManifest(slug, entryModule string) map[string]any {
	return map[string]any{
		"schemaVersion": 1, "slug": slug, "name": "Plugin " + slug, "version": "1.0.0",
		"runtimeType": "internal-fastify", "entryModule": entryModule,
	}
}

// ExternalPlugin returns the archive of an external plugin whose manifest is
// ExternalManifest with changes.
func ExternalPlugin(tb testing.TB, slug string, changes map[string]any) []byte {
	tb.Helper()
	m := ExternalManifest(slug, "https://plugin.example")
	maps.Copy(m, changes)
	return PluginArchive(tb, m, nil)
}

// ThemePack returns the archive of a theme pack with theme.json, a stylesheet and the
// files, by name. Changes are to the manifest.
func ThemePack(tb testing.TB, slug, version string, changes map[string]any, files map[string]string) []byte {
	tb.Helper()
	m := map[string]any{
		"schemaVersion": 1, "slug": slug, "name": "Theme " + slug, "version": version, "entry": "theme.css",
	}
	maps.Copy(m, changes)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	entries := []Entry{
		{Name: "theme.json", Body: string(text)}, {Name: "theme.css", Body: "/* " + slug + " " + version + " */"},
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, Entry{Name: name, Body: files[name]})
	}
	return Archive(tb, entries...)
}

// BundleManifest returns a new minimal manifest of a bundle with those items.
func BundleManifest(slug, version string, items ...map[string]any) map[string]any {
	return map[string]any{"schemaVersion": 1, "slug": slug, "name": "Bundle " + slug, "version": version, "items": items}
}

// Bundle returns the archive of a bundle with bundle.json and the archives of its items, by
// name.
func Bundle(tb testing.TB, manifest map[string]any, archives map[string][]byte) []byte {
	tb.Helper()
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	entries := []Entry{{Name: "bundle.json", Body: string(text)}}
	for _, name := range slices.Sorted(maps.Keys(archives)) {
		entries = append(entries, Entry{Name: name, Body: string(archives[name]), Store: true})
	}
	return Archive(tb, entries...)
}

// ThemeApp returns the archive of a theme app with theme-app.json and the files, by name.
// Its program is server.js. Changes are to the manifest.
func ThemeApp(tb testing.TB, slug, version string, changes map[string]any, files map[string]string) []byte {
	tb.Helper()
	m := map[string]any{
		"schemaVersion": 1, "slug": slug, "name": "App " + slug, "version": version,
		"runtime": map[string]any{"entry": "server.js"}, "healthCheck": map[string]any{"path": "/health"},
	}
	maps.Copy(m, changes)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	entries := []Entry{{Name: "theme-app.json", Body: string(text)}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, Entry{Name: name, Body: files[name]})
	}
	return Archive(tb, entries...)
}

// Form returns a multipart body with those files, and its header.
func Form(tb testing.TB, files ...[]byte) (body []byte, header http.Header) {
	tb.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	_ = w.WriteField("comment", "a field that is no file")
	for _, content := range files {
		part, err := w.CreateFormFile("whatever", "my plugin.zip")
		if err != nil {
			tb.Fatal(err)
		}
		_, _ = part.Write(content)
	}
	_ = w.Close()
	return buf.Bytes(), http.Header{"Content-Type": {w.FormDataContentType()}}
}

// Install sends an archive to the install route of a kind.
func (a *App) Install(tb testing.TB, token, kind string, archive []byte) Response {
	tb.Helper()
	return a.Do(tb, Request{
		Method: http.MethodPost, Path: "/api/v1/admin/extensions/" + kind + "/install", Token: token,
		Body: archive, Header: http.Header{"Content-Type": {"application/zip"}},
	})
}
