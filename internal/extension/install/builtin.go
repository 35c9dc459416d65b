package install

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"

	"stoa/internal/extension"
)

// Builtins is a Registry of a kind whose packages may be built in. plugin.Registry
// implements it.
type Builtins interface {
	extension.Registry

	// HasBuiltin reports whether the archive with that SHA-256, in hex, is installed as the
	// built-in version of the package.
	HasBuiltin(ctx context.Context, slug, zipHash string) (bool, error)

	// ReleaseBuiltins makes ordinary packages of the built-in ones without those slugs, and
	// returns their slugs.
	ReleaseBuiltins(ctx context.Context, except []string) ([]string, error)
}

// InstallBuiltins installs the plugins in a folder of archives as built-in ones, in the order
// of their names, unless they are installed already. Built-in plugins that are not in there
// any more become ordinary ones. Whatever goes wrong is logged: a plugin that cannot be
// installed keeps stoa from nothing else.
func (in *Installer) InstallBuiltins(ctx context.Context, dir string) error {
	reg, ok := in.Kinds[extension.Plugin].(Builtins)
	if !ok {
		return errors.New("install: no plugins can be built in")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("install: built-in plugins: %w", err)
	}
	var slugs []string
	unknown := false // of which package an archive is
	for _, e := range entries {
		if e.IsDir() || !strings.EqualFold(path.Ext(e.Name()), archiveSuffix) {
			continue
		}
		slug, err := in.installBuiltin(ctx, reg, dir, e.Name())
		if slug == "" {
			unknown = true
		}
		if err == nil && slices.Contains(slugs, slug) {
			err = fmt.Errorf("another archive in the folder has the plugin %s, too", slug)
		}
		slugs = append(slugs, slug)
		if err != nil {
			in.Log.WarnContext(ctx, "a built-in plugin could not be installed", slog.String("archive", e.Name()),
				slog.String("slug", slug), slog.Any("err", err))
		}
	}
	if unknown {
		return nil
	}
	released, err := reg.ReleaseBuiltins(ctx, slugs)
	if len(released) > 0 {
		in.Log.InfoContext(ctx, "plugins are not built in any more", slog.Any("slugs", released))
	}
	return err
}

// installBuiltin installs an archive as a built-in plugin. It returns the plugin's slug, which
// is empty if the archive cannot be read.
func (in *Installer) installBuiltin(ctx context.Context, reg Builtins, dir, name string) (slug string, err error) {
	f, err := os.OpenInRoot(dir, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	up, err := in.Receive(extension.Plugin, f)
	if err != nil {
		return "", err
	}
	defer up.Close()
	up.Builtin = true
	read, err := in.read(ctx, extension.Plugin, reg, up)
	if err != nil {
		return "", err
	}
	c := read.candidate
	if has, err := reg.HasBuiltin(ctx, c.Slug(), up.Hash); has || err != nil {
		return c.Slug(), err
	}
	p, err := in.prepare(ctx, reg, up, read, extension.Setup{})
	if err != nil {
		return c.Slug(), err
	}
	err = in.Records.InTx(ctx, func(tx extension.Tx) error {
		_, err := p.Record(ctx, tx)
		return err
	})
	if err != nil {
		if undone(err) {
			in.Discard(ctx, p.place)
		}
		// Another replica may have been faster.
		if has, found := reg.HasBuiltin(ctx, c.Slug(), up.Hash); has && found == nil {
			return c.Slug(), nil
		}
		return c.Slug(), err
	}
	p.Committed()
	in.logInstalled(ctx, extension.Plugin, c)
	return c.Slug(), nil
}
