package node

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// shims are the modules that a plugin may import without shipping them, and their
// named exports. Node.js looks for modules in the node_modules folders above the
// importing file, so a folder above the packages serves require and import alike,
// in every version. The files in it only refer to the host's own modules
// (nodehost/src/modules.js), so a plugin and the host share one Fastify.
var shims = map[string][]string{
	"fastify":        {"fastify", "errorCodes", "LogController"},
	"fastify-plugin": {"fastifyPlugin"},
}

// ShimDir is the folder of these modules, relative to the data folder. It is not
// among the packages, because the installer sweeps whatever has no record there.
const ShimDir = "node_modules"

// writeShims writes the modules and returns their folder. Several processes may
// share a data folder, so it replaces each file in one step, and only if it differs.
func writeShims(dataDir string) (string, error) {
	dir := filepath.Join(dataDir, filepath.FromSlash(ShimDir))
	for name, exports := range shims {
		module := filepath.Join(dir, name)
		if err := os.MkdirAll(module, 0o700); err != nil {
			return "", err
		}
		var code bytes.Buffer
		fmt.Fprintf(&code, "// Written by stoa: the host's own %s.\n", name)
		fmt.Fprintf(&code, "const provided = globalThis[Symbol.for('stoa.modules')]['%s']\nmodule.exports = provided\n", name)
		// One by one: import statements find only exports that are in the text.
		for _, export := range append([]string{"default"}, exports...) {
			fmt.Fprintf(&code, "module.exports.%s = provided.%s\n", export, export)
		}
		pkg := fmt.Sprintf("{\"name\": \"%s\", \"main\": \"index.js\", \"type\": \"commonjs\"}\n", name)
		err := errors.Join(
			replaceFile(filepath.Join(module, "index.js"), code.Bytes()),
			replaceFile(filepath.Join(module, "package.json"), []byte(pkg)))
		if err != nil {
			return "", err
		}
	}
	return filepath.EvalSymlinks(dir)
}

// temporaryPrefix begins the names of files that are being written.
const temporaryPrefix = ".tmp-"

func replaceFile(path string, content []byte) error {
	old, err := os.ReadFile(path) //nolint:gosec // in the data folder
	if err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), temporaryPrefix+"*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // a no-op once renamed
	_, err = tmp.Write(content)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
