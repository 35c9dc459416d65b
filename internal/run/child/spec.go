package child

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"stoa/internal/run/egress"
	"stoa/internal/run/sandbox"
)

// Spec is what a child is given. Log, Output, Input, Dir, Data, Args, HeapMiB and Stall
// are required.
type Spec struct {
	Log    *slog.Logger // gets what stoa says of the process
	Output *Output      // gets what the process prints
	Input  io.Reader    // its standard input

	// Dir is its working directory: a folder with a real path, which it may read. Data
	// is the data folder, above Dir. Folders and Files, real paths too, are what it may
	// read besides Dir.
	Dir, Data      string
	Folders, Files []string

	// Args are the program that Node.js runs, after options for it. Every user of the
	// machine can see them.
	Args []string

	// Network returns what the child may connect to. It is called if the machine can give
	// the child a network of its own. nil: the child connects to nothing.
	Network func() *egress.Plan

	HeapMiB int // limit of the JavaScript heap

	// Stall is how long the child may block its event loop while it is called, and six
	// times as long otherwise. The program writes a byte to descriptor 4 every
	// BeatInterval of it.
	Stall time.Duration

	// Report gets each report of a child that makes several: lines of JSON. Ready does not
	// work for such a child. nil: the first line says whether the child is ready.
	Report func(line []byte)

	WithoutFlags bool // no permission flags of Node.js; tests set it
}

// args returns the arguments of Node.js.
func (s Spec) args(m *Machine) []string {
	node := m.node
	args := memoryArgs(s.HeapMiB)
	if s.WithoutFlags {
		return append(args, s.Args...)
	}
	args = append(args, node.flags()...)
	for _, file := range s.Files {
		args = append(args, "--allow-fs-read="+file)
	}
	for _, folder := range append([]string{s.Dir}, s.Folders...) {
		args = append(args, "--allow-fs-read="+folder+"/*")
	}
	if m.Temporary() {
		args = append(args, "--allow-fs-read="+sandbox.TempDir+"/*", "--allow-fs-write="+sandbox.TempDir+"/*")
	}
	return slices.Concat(args, node.scopeFlags(s.Dir, s.Data), s.Args)
}

// memoryArgs returns the limits that Node.js keeps itself.
func memoryArgs(heapMiB int) []string {
	return []string{
		"--max-old-space-size=" + strconv.Itoa(heapMiB),
		// The gateway adds its context headers to the client's.
		"--max-http-header-size=65536",
	}
}

// environment returns the environment of every program of Node.js.
func environment() []string { return []string{"NODE_ENV=production", "TZ=UTC"} }

// RealPaths returns the real paths of a folder below the data folder, and of a file in
// it. Both are given slash-separated, relative to the data folder and to the folder.
func RealPaths(dataDir, folder, file string) (dir, path string, err error) {
	folder, file = filepath.FromSlash(folder), filepath.FromSlash(file)
	if !filepath.IsLocal(folder) || !filepath.IsLocal(file) {
		return "", "", fmt.Errorf("the package's folder %q or entry module %q is not a path inside the data folder",
			folder, file)
	}
	// The permission flags compare real paths, without links.
	dir, err = filepath.EvalSymlinks(filepath.Join(dataDir, folder))
	if err != nil {
		return "", "", fmt.Errorf("the package's files are missing: %w", err)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	return dir, filepath.Join(dir, file), nil
}
