package httpapi

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/errs"
)

func TestReadJSON(t *testing.T) {
	t.Parallel()

	type body struct {
		Name  string `json:"name"`
		Count int    `json:"count"`
		Inner struct {
			Flag bool `json:"flag"`
		} `json:"inner"`
	}
	tests := []struct {
		name, body string
		want       []string // "path code" of every issue; none means it is read
	}{
		{"an object", `{"name":"é😀","count":1,"other":[]}`, nil},
		{"an escaped pair", `{"name":"\ud83d\ude00"}`, nil},
		{"an escaped backslash before u", `{"name":"\\ud83d"}`, nil},
		{"half a pair", `{"name":"\ud83d"}`, []string{" not_unicode"}},
		{"half a pair and text", `{"name":"\ud83dxxxxxx"}`, []string{" not_unicode"}},
		{"the second half alone", `{"name":"\ude00"}`, []string{" not_unicode"}},
		{"a pair in the wrong order", `{"name":"\ude00\ud83d"}`, []string{" not_unicode"}},
		{"bytes that are not UTF-8", "{\"name\":\"\xff\"}", []string{" not_unicode"}},
		{"an array", `[]`, []string{" not_an_object"}},
		{"null", `null`, []string{" not_an_object"}},
		{"nothing", ``, []string{" malformed"}},
		{"two objects", `{}{}`, []string{" malformed"}},
		{"half an escape", `{"name":"\u12"}`, []string{" malformed"}},
		{"one wrong type", `{"name":1}`, []string{"name wrong_type"}},
		{"every wrong type", `{"count":"1","name":1,"inner":{"flag":0}}`, []string{"name wrong_type", "count wrong_type", "inner.flag wrong_type"}},
		{"a wrong type under a name in another case", `{"NAME":1}`, []string{"name wrong_type"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(tt.body))
			_, err := readJSON[body](httptest.NewRecorder(), r)
			var got []string
			if e, ok := errors.AsType[*errs.Error](err); ok {
				for _, is := range e.Details["issues"].([]errs.Issue) {
					got = append(got, is.Path+" "+is.Code)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}
