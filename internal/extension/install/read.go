package install

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"

	"stoa/internal/extension"
	"stoa/internal/extension/archive"
)

// contents is an archive that may be installed.
type contents struct {
	*archive.Contents

	candidate extension.Candidate
	signedBy  string
	signerKey ed25519.PublicKey // nil: nobody signed the archive itself
}

// read inspects an archive, its signature and its manifest.
func (in *Installer) read(
	ctx context.Context, kind extension.Kind, reg extension.Registry, up *Upload,
) (contents, error) {
	profile := reg.Profile()
	profile.Kind = string(kind)
	if in.Types != nil {
		more, fixed, err := in.Types(ctx, kind)
		if err != nil {
			return contents{}, fmt.Errorf("install: file types: %w", err)
		}
		profile.Types, profile.Fixed = slices.Concat(profile.Types, more), fixed
	}
	c, err := archive.Inspect(up.file, up.Size, profile)
	if err != nil {
		return contents{}, err
	}
	signer, err := in.signer(c, up)
	if err != nil {
		return contents{}, err
	}
	candidate, err := reg.ReadManifest(c.Manifest, c.Has)
	return contents{Contents: c, candidate: candidate, signedBy: signer.Name, signerKey: signer.Key}, err
}
