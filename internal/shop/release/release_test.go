package release

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
)

func TestTheHighestVersionIsOfferedFirst(t *testing.T) {
	t.Parallel()

	if got := offered(nil); len(got) != 0 {
		t.Errorf("offered of none = %+v", got)
	}
	var got []string
	for _, r := range offered([]Release{
		{Version: "1.9.0"}, {Version: "1.10.0"}, {Version: "2.0.0", WithdrawnAt: time.Unix(1, 0)}, {Version: "1.2.99"},
	}) {
		got = append(got, r.Version)
	}
	if diff := cmp.Diff([]string{"1.10.0", "1.9.0", "1.2.99"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUpdatesAreHigherOffersForWhatTheMarketInstalled(t *testing.T) {
	t.Parallel()

	offer := func(kind extension.Kind, slug, version string) Offer {
		return Offer{Release: Release{Kind: kind, Slug: slug, Version: version}, ProductSlug: "p-" + slug}
	}
	here := func(kind extension.Kind, slug, version string, market bool) extension.Present {
		return extension.Present{Kind: kind, Slug: slug, Version: version, FromMarket: market}
	}
	got := updates([]extension.Present{
		here(extension.Plugin, "behind", "1.9.0", true),
		here(extension.Plugin, "current", "2.0.0", true),
		here(extension.Plugin, "ahead", "3.0.0", true),
		here(extension.Plugin, "uploaded", "1.0.0", false),
		here(extension.Plugin, "withdrawn", "1.0.0", true),
		here(extension.ThemeShop, "behind", "1.0.0", true), // another kind is another package
		here(extension.ThemeShop, "sides", "1.0.0", true), here(extension.ThemeShop, "sides", "2.0.0", true),
	}, []Offer{
		offer(extension.Plugin, "behind", "1.10.0"), offer(extension.Plugin, "behind", "1.2.0"),
		offer(extension.Plugin, "current", "2.0.0"), offer(extension.Plugin, "ahead", "2.0.0"),
		offer(extension.Plugin, "uploaded", "2.0.0"), offer(extension.ThemeShop, "sides", "2.0.0"),
		offer(extension.Plugin, "elsewhere", "2.0.0"),
	})
	want := []Update{{Offer: offer(extension.Plugin, "behind", "1.10.0"), InstalledVersion: "1.9.0"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
