package extension_test

import (
	"errors"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
)

type registry struct{ extension.Registry }

// A kind can be installed as soon as it has a Registry. A kind without one gets another error
// than what is no kind at all.
func TestRegistriesDecideWhatCanBeInstalled(t *testing.T) {
	t.Parallel()

	theme := registry{}
	kinds := extension.Registries{extension.ThemeShop: theme}
	if got, err := kinds.Get("theme-shop"); got != theme || err != nil {
		t.Errorf("Get(theme-shop) = %v, %v", got, err)
	}
	_, err := kinds.Get("plugin")
	if e, ok := errors.AsType[*errs.Error](err); !errors.Is(err, extension.ErrUnsupported) || !ok ||
		e.Details["kind"] != "plugin" {
		t.Errorf("Get(plugin) = %v, want ErrUnsupported with the kind", err)
	}
	for _, k := range []extension.Kind{"", "Theme-shop", "widget"} {
		if _, err := kinds.Get(k); !errors.Is(err, extension.ErrKind) {
			t.Errorf("Get(%q) = %v, want ErrKind", k, err)
		}
	}
}
