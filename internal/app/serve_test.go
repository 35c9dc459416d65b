package app_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/operate/settings"
)

// What tests and commands leave out, a server does.
func TestAServerDoesWhatIsDue(t *testing.T) {
	t.Parallel()

	cfg, err := app.FromServe(settings.Serve{}, settings.Site{})
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.Upkeep || !cfg.Deliver || !cfg.CheckFiles || !cfg.KeepThemeApps || !cfg.MakeCopies || !cfg.PollMarkets {
		t.Errorf("a server does not do everything: %+v", cfg)
	}
}

// A setting that nothing reads would be documented and do nothing.
func TestEverySettingOfServeIsRead(t *testing.T) {
	t.Parallel()

	var code strings.Builder
	for _, name := range []string{
		"serve.go", "folder.go", "datafolder/folder.go", "datafolder/database.go", "datafolder/storage.go",
		"../operate/settings/serve.go", "../operate/settings/site.go", "../operate/settings/observability.go",
		"../operate/settings/plugins.go", "../operate/settings/accounts.go", "../../cmd/stoa/serve.go",
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[settings.Serve]()) {
		if !f.Anonymous && !regexp.MustCompile(`\.`+f.Name+`\b`).MatchString(code.String()) {
			t.Errorf("nothing reads %s: internal/app/serve.go turns settings into the configuration", f.Name)
		}
	}
}
