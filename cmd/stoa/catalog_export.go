package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
)

type catalogExportCmd struct {
	datafolder.Folder

	Path string `arg:"" optional:"" help:"A folder, or a file that ends in .yaml, .yml or .json. Pictures are written to media/ beside the file. Without PATH, the catalog goes to standard output and names pictures by their path on the server." type:"path"`
}

// Run writes all products, and the pictures that stoa keeps of them. A file that
// is there already is replaced.
func (c catalogExportCmd) Run(ctx context.Context, std streams) error {
	return with(ctx, std, c.Folder, func(a *app.App) error {
		if c.Path == "" {
			return explain(a.Catalog.Export(ctx, std.out, product.YAML, nil))
		}
		dir, name, format, err := exportTo(c.Path)
		if err != nil {
			return err
		}
		pictures := filepath.Join(dir, "media")
		if err := os.MkdirAll(pictures, 0o755); err != nil { //nolint:gosec // what is in there is public
			return err
		}
		count := make(map[string]bool)
		var file bytes.Buffer
		err = a.Catalog.Export(ctx, &file, format, func(name string) (string, error) {
			err := copyPicture(ctx, a.Catalog.Media, name, pictures)
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(std.err, "the picture /media/%s is missing in the data folder\n", name)
				return "/media/" + name, nil
			}
			count[name] = true
			return "./media/" + name, err
		})
		if err == nil {
			err = datafolder.ReplaceFile(filepath.Join(dir, name), &file, 0o644)
		}
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "%s written, with %d pictures\n", filepath.Join(dir, name), len(count))
		return nil
	})
}

// exportTo returns what a path asks for: a file of that name, or catalog.yaml in a
// folder. A name that ends like a file's that import does not read is a mistake,
// unless there is such a folder.
func exportTo(path string) (dir, name string, format product.Format, err error) {
	info, err := os.Stat(path)
	extension := strings.ToLower(filepath.Ext(path))
	switch {
	case err == nil && info.IsDir():
	case extension == ".json":
		format = product.JSON
	case extension == ".yaml" || extension == ".yml":
		format = product.YAML
	case err == nil:
		return "", "", "", fmt.Errorf("%s is a file, but does not end in .yaml, .yml or .json", path)
	case extension != "":
		return "", "", "", fmt.Errorf("%s: the name of a file must end in .yaml, .yml or .json. If you mean a folder, "+
			"create it first", path)
	}
	if format == "" {
		return path, "catalog.yaml", product.YAML, nil
	}
	dir, name = filepath.Split(filepath.Clean(path))
	return dir, name, format, nil
}

// copyPicture writes a picture to a folder. It returns fs.ErrNotExist for one
// that stoa does not have.
func copyPicture(ctx context.Context, from catalog.Media, name, dir string) error {
	src, err := from.Get(ctx, name)
	if err != nil {
		return err
	}
	defer src.Close()
	return datafolder.ReplaceFile(filepath.Join(dir, name), src, 0o644)
}
