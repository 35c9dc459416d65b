package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/base/errs"
)

type catalogCmd struct {
	Import catalogImportCmd `cmd:"" help:"Create and update products from a YAML or JSON file (docs/catalog.md)."`
	Export catalogExportCmd `cmd:"" help:"Write all products, with their pictures, as a file that import reads."`
}

type catalogImportCmd struct {
	datafolder.Folder

	File string `arg:"" help:"The catalog file. The pictures it names are read from its folder." type:"existingfile"`
}

// Run imports the whole file or nothing of it.
func (c catalogImportCmd) Run(ctx context.Context, std streams) error {
	dir, err := os.OpenRoot(filepath.Dir(c.File))
	if err != nil {
		return err
	}
	defer dir.Close()
	ctx = asOperator(ctx)
	return with(ctx, std, c.Folder, func(a *app.App) error {
		res, err := a.Catalog.Import(ctx, dir.FS(), filepath.Base(c.File))
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(std.out, "%d products created, %d updated, %d unchanged\n", res.Created, res.Updated, res.Unchanged)
		return nil
	})
}

// explain turns an error made for clients into one for the command line: the
// message, and each issue on a line of its own.
func explain(err error) error {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err
	}
	list, ok := e.Details["issues"].([]errs.Issue)
	if !ok {
		return errors.New(e.Message)
	}
	all := make([]error, len(list))
	for i, is := range list {
		all[i] = errors.New(is.Message)
		if is.Path != "" {
			all[i] = fmt.Errorf("%s: %s", is.Path, is.Message)
		}
	}
	return errors.Join(all...)
}
