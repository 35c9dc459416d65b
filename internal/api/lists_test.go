package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// farthest are the largest numbers that parsers of integers take, and those beyond.
var farthest = []string{
	"2147483647", "2147483648", "4294967296", "9223372036854775806", "9223372036854775807", "9223372036854775808",
	"18446744073709551615", "18446744073709551616", "1" + strings.Repeat("0", 400),
}

// A page may be as far away as its number can say: it is empty, on every list of the API document. A
// number that is no page, such as a limit without end, is refused.
func TestTheFarthestPageOfEachListIsEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lists := 0
	for _, op := range testkit.Operations(t) {
		if op.Method != http.MethodGet || op.Relayed {
			continue
		}
		at := w.at(t, op, "", "")
		for _, p := range op.Params {
			if p.In != "query" || p.Type != "integer" && p.Name != "page" && p.Name != "cursor" && p.Name != "reviews" {
				continue
			}
			lists++
			values := slices.Concat(farthest, []string{"-9223372036854775808"})
			if p.Name == "cursor" {
				values = []string{base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("\xff", 4000)))}
			}
			for _, value := range values {
				for _, limit := range []string{"", "&limit=1", "&limit=100"} {
					path := at + "?" + url.Values{p.Name: {value}}.Encode()
					if p.Name == "page" && strings.Contains(op.Path, "/api/") {
						path += limit
					}
					res := w.Do(t, w.request(t, op, path))
					far := p.Name == "page" && !strings.HasPrefix(value, "-")
					if res.Status != http.StatusOK && (far || res.Status != http.StatusBadRequest) {
						t.Errorf("GET %.120s = %d %.200s", path, res.Status, res.Body)
					}
				}
			}
		}
	}
	if lists < 50 {
		t.Errorf("%d parameters of lists were tried; the document has more", lists)
	}
}
