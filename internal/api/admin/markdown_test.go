package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestAPreviewReadsMarkdownAsTheShopDoes(t *testing.T) {
	t.Parallel()

	const path = "/api/v1/admin/markdown"
	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	read := manage(t, a, admin, http.MethodPost, path,
		map[string]any{"text": "# A\n\n- [b](https://a.example) <i>\n\n[c](javascript:c)"}, http.StatusOK)
	for _, want := range []string{`"kind":"heading","level":1`, `"href":"https://a.example"`, "<i>"} {
		if !strings.Contains(string(read.Body), want) {
			t.Errorf("no %s in %s", want, read.Body)
		}
	}
	if strings.Contains(string(read.Body), "javascript") {
		t.Errorf("a link leads where it may not: %s", read.Body)
	}
	manage(t, a, admin, http.MethodPost, path, map[string]any{"text": strings.Repeat("a", 50_001)}, http.StatusBadRequest)
}
