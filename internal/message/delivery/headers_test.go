package delivery_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/message/delivery"
)

func TestHeaderLines(t *testing.T) {
	t.Parallel()

	line := "x-big: " + strings.Repeat("a", delivery.MaxHeaders-len("x-big: \n"))
	for name, tt := range map[string]struct {
		header http.Header
		want   string
	}{
		"none":              {nil, ""},
		"sorted":            {http.Header{"X-B": {"2"}, "X-A": {"1", "one"}}, "x-a: 1, one\nx-b: 2"},
		"no cookies":        {http.Header{"Set-Cookie": {"a=b"}, "Set-Cookie2": {"a=b"}}, ""},
		"not text":          {http.Header{"X-A": {"\xff\x00"}}, "x-a: \uFFFD\uFFFD"},
		"at the limit":      {http.Header{"X-Big": {line[7:]}}, line},
		"beyond the limit":  {http.Header{"X-Big": {line[7:] + "a"}, "X-C": {"3"}}, "x-c: 3"},
		"no room for all":   {http.Header{"X-Big": {line[7:]}, "X-C": {"3"}}, line},
		"an empty value":    {http.Header{"X-A": {""}}, "x-a: "},
		"a name in capital": {http.Header{"ETAG": {"x"}}, "etag: x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := delivery.HeaderLines(tt.header); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
