package plugin_test

import (
	"strings"
	"testing"

	"stoa/internal/base/errs"
	kinds "stoa/internal/extension"
	"stoa/internal/extension/plugin"
)

// A setup is checked before its change, and the config may have grown since.
func TestARestoreAddsNoMoreConfigThanThereMayBe(t *testing.T) {
	t.Parallel()

	s, _, in := service(t)
	half := `"` + strings.Repeat("x", 40_000) + `"`
	_, err := s.UpdateInstance(t.Context(), "pay", in.Instance.ID, plugin.Input{Config: raw(`{"a":` + half + `}`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Uninstall(t.Context(), "pay"); err != nil {
		t.Fatal(err)
	}
	c, err := plugin.Registry{Service: s}.ReadManifest([]byte(in.Package.Manifest.Raw), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{half: "instances[1].config", `"y"`: ""} {
		prepared, err := c.Adopt(t.Context(), "h", kinds.Setup{Instances: []kinds.Instance{
			{Key: raw(`"eu"`)}, {Key: raw(`"default"`), Config: raw(`{"b":` + value + `}`)},
		}})
		if want == "" {
			if err != nil || prepared == nil {
				t.Errorf("a config that fits: %v", err)
			}
			continue
		}
		if got := issuePath(t, err); got != want {
			t.Errorf("the fault is at %q, want %q: %v", got, want, err)
		}
	}
}

func issuePath(tb testing.TB, err error) string {
	tb.Helper()
	e, ok := err.(*errs.Error) //nolint:errorlint // as it is answered
	if !ok {
		return ""
	}
	list, _ := e.Details["issues"].([]errs.Issue)
	if len(list) != 1 {
		return ""
	}
	return list[0].Path
}
