package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/manifest"
)

// CodeInvalidBundle is the code of a bundle with an item that cannot be installed
// (contract 4.18).
const CodeInvalidBundle = "INVALID_BUNDLE"

// maxItemsUnpacked is how many bytes the items of a collection may unpack to, all together.
const maxItemsUnpacked = 2 << 30

// InvalidBundle returns INVALID_BUNDLE with every fault of the items, or nil.
func InvalidBundle(faults errs.Issues) error {
	return errs.WithIssues(errs.Invalid, CodeInvalidBundle, faults)
}

// part is an item on its way.
type part struct {
	Item
	contents

	reg   extension.Registry
	up    *Upload
	adopt bool // it was installed from the same archive before
}

// openAll reads the archives of all items and checks everything that can be checked
// without writing files. The error lists all faults. The caller closes the uploads of the
// parts, also after an error.
func (in *Installer) openAll(ctx context.Context, up *Upload, read contents, all Collection) ([]*part, error) {
	items, faults := all.Items()
	parts := make([]*part, 0, len(items))
	seen := make(map[[2]string]bool)
	var missing archive.Missing // file types
	var unpacked int64
	for _, item := range items {
		p := &part{Item: item}
		err := in.open(ctx, p, up, read, &faults)
		if p.up != nil {
			parts = append(parts, p)
		}
		missing.Add(err)
		if err != nil && !p.blame(err, &faults) {
			return parts, err
		}
		if p.candidate == nil {
			continue // what it is, nobody knows
		}
		name := [2]string{string(p.Kind), p.candidate.Slug()}
		if seen[name] {
			faults.Add(p.At+".path", errs.CodeDuplicate, "%s: another item is the %s %s, too.", p.Path, name[0], name[1])
		}
		seen[name] = true
		was := unpacked
		for _, f := range p.Files() {
			unpacked += f.Size
		}
		if was <= maxItemsUnpacked && unpacked > maxItemsUnpacked {
			faults.Add(p.At+".path", errs.CodeOutOfRange, "The items unpack to more than %d MiB together.",
				maxItemsUnpacked>>20)
		}
	}
	return parts, missing.In(InvalidBundle(faults))
}

// open reads the archive of an item. It adds the faults of the setup to faults; what is
// wrong with the archive is the error.
func (in *Installer) open(ctx context.Context, p *part, up *Upload, read contents, faults *errs.Issues) (err error) {
	if err := in.openItem(ctx, p, up, read); err != nil {
		return err
	}
	if err := in.fits(p.candidate); err != nil {
		return err
	}
	// The error is a conflict for an archive whose extension was uninstalled: a bundle
	// brings it back.
	_, p.adopt, err = p.reg.FindArchive(ctx, p.up.Hash)
	if errs.KindOf(err) == errs.Conflict {
		p.adopt, err = true, nil
	}
	if err == nil && !p.adopt {
		err = p.candidate.CheckFree(ctx, up.Replace)
	}
	var own errs.Issues
	if err := p.candidate.CheckSetup(ctx, p.Setup, &own); err != nil {
		return err
	}
	faults.AppendBelow(p.At, own)
	return err
}

// openItem reads the archive of an item, whatever is installed.
func (in *Installer) openItem(ctx context.Context, p *part, up *Upload, read contents) (err error) {
	if p.reg, err = in.Kinds.Get(p.Kind); err != nil {
		return err
	}
	if p.up, err = in.unwrap(p.Kind, read.Contents, p.Path); err != nil {
		return err
	}
	p.up.Replace, p.up.FromMarket, p.up.around = up.Replace, up.FromMarket, read.signedBy
	p.up.Publisher, p.up.Origin = up.Publisher, up.Origin
	p.contents, err = in.read(ctx, p.Kind, p.reg, p.up)
	return err
}

// unwrap unpacks the archive of an item from the archive it came in.
func (in *Installer) unwrap(kind extension.Kind, around *archive.Contents, name string) (*Upload, error) {
	for i, f := range around.Files() {
		if f.Name != name {
			continue
		}
		if f.Size > in.MaxSize(kind) {
			return nil, in.TooLarge(kind)
		}
		up, err := in.newUpload()
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		if err := around.CopyTo(io.MultiWriter(up.file, sum), i); err != nil {
			_ = up.Close() // what stays is swept later
			return nil, err
		}
		up.Size, up.Hash = f.Size, hex.EncodeToString(sum.Sum(nil))
		return up, nil
	}
	return nil, fmt.Errorf("install: the manifest of a bundle names %s, which is not in it", name)
}

// prepareAll puts the files of all items in place and makes them ready to be recorded. After
// an error no files are left. The error lists the faults of all items.
func (in *Installer) prepareAll(ctx context.Context, parts []*part) (ready []placed, err error) {
	var faults errs.Issues
	late := false
	for _, p := range parts {
		one, err := in.prepareItem(ctx, p)
		late = late || errs.KindOf(err) == errs.Conflict
		switch {
		case err == nil:
			ready = append(ready, one)
		case !p.blame(err, &faults):
			in.Discard(ctx, places(ready)...)
			return nil, err
		}
	}
	if err := InvalidBundle(faults); err != nil {
		in.Discard(ctx, places(ready)...)
		return nil, raced(err, late)
	}
	return ready, nil
}

func (in *Installer) prepareItem(ctx context.Context, p *part) (placed, error) {
	if !p.adopt {
		return in.prepare(ctx, p.reg, p.up, p.contents, p.Setup)
	}
	ready, err := p.candidate.Adopt(ctx, p.up.Hash, p.Setup)
	return placed{Prepared: ready}, err
}

// blame adds why an item cannot be installed to faults. It returns false for an error that
// is not the item's fault.
func (item Item) blame(err error, faults *errs.Issues) bool {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return false
	}
	if list, is := archive.Faults(err); is {
		for _, f := range list {
			faults.Add(item.At+".path", f.Code, "%s: %s", item.Path+named(f.Entry), f.Message)
		}
		return true
	}
	if list, is := e.Details["issues"].([]errs.Issue); is {
		var own errs.Issues
		own.Append(list...)
		at := item.At
		if e.Code == manifest.CodeInvalid {
			at += ".manifest"
		}
		faults.AppendBelow(at, own)
		return true
	}
	switch e.Kind {
	case errs.Unsupported:
		faults.Add(item.At+".kind", errs.CodeUnsupported, "%s", e.Message)
	case errs.TooLarge:
		faults.Add(item.At+".path", errs.CodeOutOfRange, "%s: %s", item.Path, e.Message)
	case errs.Unprocessable:
		faults.Add(item.At+".path", errs.CodeUnhealthy, "%s: %s", item.Path, cause(e))
	case errs.Conflict, errs.NotFound:
		faults.Add(item.At+".path", errs.CodeConflict, "%s: %s", item.Path, e.Message)
	default:
		return false
	}
	return true
}

// named names the entry of a package for a message that begins with the package's path.
func named(entry string) string {
	if entry == "" {
		return ""
	}
	return " (" + entry + ")"
}

// cause returns why an extension does not work, in its own words if there are any.
func cause(e *errs.Error) string {
	why := e.Details["reason"]
	if failure, ok := e.Details["lastError"].(map[string]any); ok {
		why = failure["message"]
	}
	if why == nil {
		return e.Message
	}
	return fmt.Sprintf("It does not become healthy: %v", why)
}
