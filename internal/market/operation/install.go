package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/install"
	"stoa/internal/extension/manifest"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/sign"
	"stoa/internal/market/remote"
)

// install brings the package to the version that the market offers now.
func (w *work) install(ctx context.Context) error {
	pkg, err := w.current(ctx)
	if err != nil {
		return w.lasting(err)
	}
	if err := w.s.free(ctx, w.o); err != nil {
		return err
	}
	ctx, err = w.asActor(ctx)
	if err != nil {
		return err
	}
	installed, err := w.s.Installer.Installed(ctx)
	if err != nil {
		return err
	}
	if p, ok := present(installed, pkg.Kind, pkg.Slug); ok && manifest.CompareVersions(p.Version, pkg.Version) >= 0 {
		return w.installed(ctx) // by an earlier attempt, or only its license is another one
	}
	if pkg.Size > w.s.Installer.MaxSize(pkg.Kind) {
		return w.s.Installer.TooLarge(pkg.Kind)
	}
	up, err := w.fetch(ctx, pkg)
	if err != nil {
		return w.lasting(err)
	}
	defer up.Close() // what stays is swept later
	if err := w.reach(ctx, Downloaded); err != nil {
		return err
	}
	if err := w.verify(ctx, pkg, up); errors.Is(err, remote.ErrUntrusted) {
		return w.lasting(err)
	} else if err != nil { // what this stoa does not take: no other download helps
		return err
	}
	if err := w.reach(ctx, Verified); err != nil {
		return err
	}
	if err := w.license(ctx); err != nil {
		return err
	}
	up.PackageID = w.o.ID
	up.FromMarket = true
	up.Origin = extension.Origin{Market: w.o.Market, Product: w.o.Product, ProductName: w.o.ProductName}
	up.Setup.Consent = append([]string{}, w.o.Grants...)
	if _, err := w.s.Installer.Install(ctx, pkg.Kind, up); err != nil {
		return err
	}
	return w.installed(ctx)
}

// current returns the package that the market offers now.
func (w *work) current(ctx context.Context) (remote.Package, error) {
	list, err := w.s.Markets.Packages(ctx, w.o.Market, w.o.Product)
	e, ok := errors.AsType[*errs.Error](err)
	if ok && errors.Is(err, remote.ErrUntrusted) && e.Details["state"] == remote.Stale {
		return remote.Package{}, unanswered(err) // it was away for long, and may come back
	} else if err != nil {
		return remote.Package{}, err
	}
	if len(list) == 0 {
		return remote.Package{}, ErrNothing
	}
	if list[0].Kind != w.o.Package.Kind || list[0].Slug != w.o.Package.Slug {
		return remote.Package{}, ErrOther
	}
	return list[0], nil
}

// asActor returns a context in which whoever began the operation acts, with the rights of now. The error is ErrRights.
func (w *work) asActor(ctx context.Context) (context.Context, error) {
	who, err := w.s.Rights(ctx, w.o.Actor)
	if err != nil {
		return nil, err
	}
	if !who.May(permission.InstallExtensions) {
		return nil, ErrRights
	}
	ctx = reqctx.WithCaller(ctx, who)
	return ctx, plugin.CheckConsent(ctx, w.o.Grants)
}

// installed gives the package what the administrator consented to, and records the step.
func (w *work) installed(ctx context.Context) error {
	if err := w.license(ctx); err != nil {
		return err
	}
	all, err := w.s.Installer.Installed(ctx)
	if err != nil {
		return err
	}
	for _, p := range all { // with the items of a bundle
		if p.Kind != extension.Plugin || !cameFrom(p, w.o.Market, w.o.Product) {
			continue
		}
		if err := w.s.Plugins.Grant(ctx, p.Slug, w.o.Grants); err != nil {
			return err
		}
	}
	return w.reach(ctx, Installed)
}

// fetch downloads a package whose size and hash are those that were signed.
func (w *work) fetch(ctx context.Context, pkg remote.Package) (*install.Upload, error) {
	key := ""
	if w.o.Licensed {
		key = w.o.Secrets.Key
	}
	var up *install.Upload
	err := w.at.download(ctx, w.o.Product, pkg, key, func(body io.Reader) (err error) {
		up, err = w.s.Installer.Receive(pkg.Kind, body)
		return err
	})
	switch {
	case err != nil && up != nil:
		return nil, errors.Join(err, up.Close())
	case err != nil:
		return nil, unanswered(err)
	case up.Size != pkg.Size || up.Hash != pkg.Hash:
		return nil, errors.Join(w.distrust(ctx, "it served another package than it signed"), up.Close())
	}
	return up, nil
}

// verify compares what an archive is with what was signed.
func (w *work) verify(ctx context.Context, pkg remote.Package, up *install.Upload) error {
	public, err := sign.DecodePublic(pkg.Publisher.Key)
	if err != nil {
		return err // it was read before
	}
	up.FromMarket = true
	up.Publisher = sign.Key{Name: signer(pkg.Publisher.Name, public), Public: public}
	found, err := w.s.Installer.Inspect(ctx, pkg.Kind, up)
	switch {
	case badlySigned(err):
		return w.distrust(ctx, "a package is not signed by the publisher that it names")
	case err != nil:
		return err
	case found.Slug != pkg.Slug || found.Version != pkg.Version || found.SignerKey != pkg.Publisher.Key:
		return w.distrust(ctx, "a package has another slug, version or publisher than it signed")
	case len(missing(pkg.Permissions, found.Needs.Permissions)) > 0:
		return w.distrust(ctx, "a package asks for more permissions than it signed")
	}
	return nil
}

// signer names the key of a package. A market chooses names, and consents go on with code that the same key signed
// (contract 2.30): so the name has a part that comes from the key.
func signer(name string, public []byte) string {
	const shown = 10 // bytes
	sum := sha256.Sum256(public)
	return words(name, maxName) + " (" + hex.EncodeToString(sum[:shown]) + ")"
}

// badlySigned reports whether an archive was refused for its signature.
func badlySigned(err error) bool {
	faults, _ := archive.Faults(err)
	for _, f := range faults {
		if f.Entry == sign.Name || f.Code == errs.CodeBadSignature {
			return true
		}
	}
	return false
}

// distrust records that the market cannot be trusted, and returns remote.ErrUntrusted.
func (w *work) distrust(ctx context.Context, reason string) error {
	if err := w.s.Markets.Distrust(ctx, w.o.Market, reason); err != nil {
		return err
	}
	return remote.NotAsAMarket(reason)
}
