// Command bundle builds the Node program that runs internal plugins: it bundles
// nodehost/src with Fastify into one CommonJS file and collects the licenses of
// what is in it. Run it from the root of the repository, after npm ci in
// nodehost:
//
//	go run ./nodehost/bundle
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	source = "nodehost"
	target = "internal/run/node/dist"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run() error {
	if _, err := os.Stat(filepath.Join(source, "node_modules", "fastify")); err != nil {
		return errors.New("nodehost has no dependencies yet: run npm ci in nodehost (or make build)")
	}
	out, err := bundle()
	if err != nil {
		return err
	}
	licenses, err := licenses(out.Metafile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o755); err != nil { //nolint:gosec // build output, not secret
		return err
	}
	// The licenses first: make takes the bundle as proof that all is there.
	if err := write("THIRD_PARTY_LICENSES.txt", licenses); err != nil {
		return err
	}
	return write("host.cjs", out.OutputFiles[0].Contents)
}

func bundle() (api.BuildResult, error) {
	out := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(source, "src", "main.js")},
		Outfile:     filepath.Join(target, "host.cjs"),
		Bundle:      true,
		Platform:    api.PlatformNode,
		Format:      api.FormatCommonJS,
		Target:      api.ES2022,
		// import() of a plugin's module must stay what it is: require cannot load
		// ES modules.
		Supported:     map[string]bool{"dynamic-import": true},
		Plugins:       []api.Plugin{deferred},
		LegalComments: api.LegalCommentsInline,
		Metafile:      true,
		LogLevel:      api.LogLevelWarning,
	})
	if len(out.Errors) > 0 {
		return out, errors.New("esbuild reported errors")
	}
	return out, nil
}

// deferred loads modules of Node.js that Fastify requires, and the host does not use, when something
// is taken of them. They and what they load are a tenth of a start: with a limit of the heap, V8
// refuses the compiled form of its modules that Node.js brings along.
var deferred = api.Plugin{Name: "deferred", Setup: func(build api.PluginBuild) {
	const namespace = "deferred"
	resolve := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		if args.Namespace == namespace {
			return api.OnResolveResult{}, nil
		}
		if args.Kind != api.ResolveJSRequireCall { // import would copy what the Proxy has: nothing
			return api.OnResolveResult{}, fmt.Errorf("%s imports %s, which can only be required here", args.Importer, args.Path)
		}
		return api.OnResolveResult{Path: args.Path, Namespace: namespace}, nil
	}
	load := func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		module := fmt.Sprintf("module.exports = new Proxy({}, { get: (_, name) => require(%q)[name] })", args.Path)
		return api.OnLoadResult{Contents: &module}, nil
	}
	build.OnResolve(api.OnResolveOptions{Filter: `^node:(https|http2)$`}, resolve)
	build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, load)
}}

// licenses returns the license texts of every npm package with a file in the
// bundle, in the order of the packages' names.
func licenses(metafile string) ([]byte, error) {
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	dirs := make(map[string]bool)
	for input := range meta.Inputs {
		if dir := packageDir(input); dir != "" {
			dirs[dir] = true
		}
	}
	sorted := make([]string, 0, len(dirs))
	for dir := range dirs {
		sorted = append(sorted, dir)
	}
	slices.Sort(sorted)

	var all bytes.Buffer
	all.WriteString("host.cjs contains the following packages.\n")
	for _, dir := range sorted {
		if err := license(&all, dir); err != nil {
			return nil, err
		}
	}
	return all.Bytes(), nil
}

// packageDir returns the folder of the npm package that a source file belongs
// to, or "".
func packageDir(file string) string {
	const modules = "node_modules/"
	i := strings.LastIndex(file, modules)
	if i < 0 {
		return ""
	}
	parts := strings.SplitN(file[i+len(modules):], "/", 3)
	n := 1
	if strings.HasPrefix(parts[0], "@") {
		n = 2
	}
	return file[:i+len(modules)] + strings.Join(parts[:n], "/")
}

func license(w *bytes.Buffer, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "package.json")) //nolint:gosec // a folder that esbuild reported
	if err != nil {
		return err
	}
	var pkg struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		License any    `json:"license"`
	}
	if err := json.Unmarshal(text, &pkg); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	fmt.Fprintf(w, "\n%s\n%s %s (%v)\n\n", strings.Repeat("-", 78), pkg.Name, pkg.Version, pkg.License)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name())) //nolint:gosec // see above
		if err != nil {
			return err
		}
		w.Write(bytes.TrimSpace(text))
		w.WriteString("\n")
	}
	return nil
}

// write replaces a file of the target in one step, so that a build running at
// the same time never embeds half of it.
func write(name string, content []byte) error {
	path := filepath.Join(target, name)
	tmp, err := os.CreateTemp(filepath.Dir(target), ".bundle-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // a no-op once renamed
	if _, err := tmp.Write(content); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Close(),
		os.Chmod(tmp.Name(), 0o644)); err != nil { //nolint:gosec // build output, not secret
		return err
	}
	return os.Rename(tmp.Name(), path)
}
