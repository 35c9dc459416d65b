package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"stoa/internal/extension/archive"
)

type packageCmd struct {
	Keygen packageKeygenCmd `cmd:"" help:"Generate a key to sign packages with."`
	Sign   packageSignCmd   `cmd:"" help:"Sign a package: add a signed list of its files (docs/plugins/signing.md)."`
	Verify packageVerifyCmd `cmd:"" help:"Check the signature of a package, and print who signed it."`
}

// manifests are the names of manifests, by which the top of a package is known.
var manifests = []string{"manifest.json", "theme.json", "theme-app.json", "bundle.json"}

// maxPackage is the size of the largest package of any kind (contract 4.2).
const maxPackage = 500 << 20

// openPackage inspects a package of any kind, as strictly as an install. File types are
// left to the stoa that installs it, because each has its own setting for them.
func openPackage(name string) (*os.File, *archive.Contents, error) {
	f, err := os.Open(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, nil, err
	}
	c, err := inspectPackage(f)
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, explainArchive(err))
	}
	return f, c, nil
}

func inspectPackage(f *os.File) (*archive.Contents, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	profile := archive.Profile{Manifest: manifests[0], MaxSize: maxPackage}
	// What cannot be read here, Inspect explains better.
	if zr, err := zip.NewReader(f, info.Size()); err == nil {
		for _, e := range zr.File {
			profile.Types = append(profile.Types, strings.ToLower(path.Ext(e.Name)), strings.ToLower(path.Base(e.Name)))
		}
		if _, manifest := topOf(zr); manifest != "" {
			profile.Manifest = manifest
		}
		slices.Sort(profile.Types)
		profile.Types = slices.Compact(profile.Types)
	}
	return archive.Inspect(f, info.Size(), profile)
}

// topOf returns the folder around everything in a package, with a slash at its end or empty
// if there is none, and the name of the manifest in it. Both are empty for no package.
func topOf(zr *zip.Reader) (folder, manifest string) {
	for _, e := range zr.File {
		in, name := path.Split(e.Name)
		switch {
		case !slices.Contains(manifests, name):
		case in == "":
			return "", name
		case strings.Count(in, "/") == 1:
			folder, manifest = in, name
		}
	}
	return folder, manifest
}

// explainArchive returns every fault of an archive, one a line.
func explainArchive(err error) error {
	list, ok := archive.Faults(err)
	if !ok {
		return err
	}
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = strings.TrimPrefix(f.Entry+": "+f.Message, ": ")
	}
	return errors.New(strings.Join(texts, "\n  "))
}

// readSmall reads a file that is expected to be small.
func readSmall(name string) ([]byte, error) {
	f, err := os.Open(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<16))
}
