package install

import (
	"regexp"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
)

// ErrPlatform is returned for an extension that needs a newer stoa, with the version in its details.
var ErrPlatform = errs.New(errs.Conflict, "CONFLICT",
	"The extension needs a newer version of stoa. details.minPlatform is the lowest that it works on.")

// release is the version in front of what a build adds to it.
var release = regexp.MustCompile(`^v?(\d+\.\d+\.\d+)`)

// fits returns ErrPlatform for an extension that needs a newer stoa than this one.
func (in *Installer) fits(c extension.Candidate) error { return in.Fits(c.Needs().MinPlatform) }

// Fits returns ErrPlatform if this stoa is older than the lowest version that something works on; empty is any.
func (in *Installer) Fits(least string) error {
	own := release.FindStringSubmatch(in.Platform)
	if least == "" || own == nil || manifest.CompareVersions(own[1], least) >= 0 {
		return nil
	}
	return ErrPlatform.With("minPlatform", least)
}
