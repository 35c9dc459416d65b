package web

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
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
		{"an array", `[]`, []string{" wrong_type"}},
		{"null alone", `null`, []string{" wrong_type"}},
		{"nothing", ``, []string{" malformed"}},
		{"two objects", `{}{}`, []string{" malformed"}},
		{"half an escape", `{"name":"\u12"}`, []string{" malformed"}},
		{"one wrong type", `{"name":1}`, []string{"name wrong_type"}},
		{
			"every wrong type", `{"count":"1","name":1,"inner":{"flag":0}}`,
			[]string{"name wrong_type", "count wrong_type", "inner.flag wrong_type"},
		},
		{"an integer that is none", `{"count":1.5}`, []string{"count wrong_type"}},
		{"an integer beyond all", `{"count":99999999999999999999}`, []string{"count out_of_range"}},
		{"an integer below all", `{"count":-99999999999999999999}`, []string{"count out_of_range"}},
		{"an object that is none", `{"inner":[]}`, []string{"inner wrong_type"}},
		{"null", ` { "name" : null , "count" : null , "inner" : null } `, nil},
		{"a wrong type under a name in another case", `{"NAME":1,"Count":"","inner":{"FLAG":1},"\u006eame":""}`, nil},
		{"twice, the last right", `{"name":1,"name":"a"}`, nil},
		{"twice, the last wrong", `{"name":"a","name":1}`, []string{"name wrong_type"}},
		{"a rule and a type", `{"name":"bad","count":""}`, []string{"count wrong_type", "name bad"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(tt.body))
			_, err := ReadJSON(httptest.NewRecorder(), r, func(b body) (found errs.Issues) {
				if b.Name == "bad" || b.Count < 0 {
					found.Add("name", "bad", "")
				}
				return found
			})
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

// Whatever is sent, nothing panics, and what is decoded is what encoding/json
// decodes, except for names in another case and fields of another type, which are
// all reported.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a","count":1,"flag":true,"maybe":false,"raw":[1],"inner":{"text":"b"}}`,
		`{"TEXT":"a","Inner":{"text":1}}`, `{"text":1,"text":"a"}`,
		`{"inner":{"text":"a"},"inner":{}}`, `{"text":null,"raw":null}`,
		`{"text":"\ud83d\ude00"}`, `{"text":"\ud83d"}`, `{"text":"\\ud83d"}`,
		"{\"text\":\"\xff\"}", `{}{}`, `null`, ` {"raw" : 1e999 }`, `{"count":1e2}`,
		`{"inner":[]}`, `{"":1}`, `{"text`, strings.Repeat(`{"inner":`, 20), `{"count":12345678901234567890}`,
	} {
		f.Add(seed)
	}
	type inner struct {
		Text string `json:"text"`
	}
	type body struct {
		Text  string          `json:"text"`
		Count int             `json:"count"`
		Flag  bool            `json:"flag"`
		Maybe *bool           `json:"maybe"`
		Raw   json.RawMessage `json:"raw"`
		Inner *inner          `json:"inner"`
		None  string
	}
	f.Fuzz(func(t *testing.T, sent string) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(sent))
		got, err := ReadJSON[body](httptest.NewRecorder(), r, nil)
		if errors.Is(err, errNotUnicode) || errors.Is(err, errBodyTooLarge) {
			return // encoding/json is less strict
		}
		var fields map[string]json.RawMessage
		object := json.Unmarshal([]byte(sent), &fields) == nil && fields != nil
		if whole := errors.Is(err, errMalformed) || errors.Is(err, errNotObject); whole || !object {
			if whole == object {
				t.Fatalf("error = %v, encoding/json finds an object: %v", err, object)
			}
			return
		}
		var want body
		wrong := false
		decode := func(raw json.RawMessage, into any) bool {
			bad := raw != nil && json.Unmarshal(raw, into) != nil
			wrong = wrong || bad
			return !bad
		}
		decode(fields["text"], &want.Text)
		decode(fields["count"], &want.Count)
		decode(fields["flag"], &want.Flag)
		decode(fields["maybe"], &want.Maybe)
		want.Raw = fields["raw"]
		var in map[string]json.RawMessage
		if decode(fields["inner"], &in) && in != nil {
			want.Inner = new(inner)
			decode(in["text"], &want.Inner.Text)
		}
		if wrong != (err != nil) {
			t.Fatalf("error = %v, but a field of the wrong type: %v", err, wrong)
		}
		if diff := cmp.Diff(want, got); !wrong && diff != "" {
			t.Errorf("decoded (-want +got):\n%s", diff)
		}
	})
}

// One answer names everything, and nothing is checked twice.
func TestAServiceIsAskedOnlyAboutRefusedInput(t *testing.T) {
	t.Parallel()

	type body struct {
		Name  string `json:"name"`
		Count int    `json:"count"`
	}
	asked := 0
	issues := func(in body) (is errs.Issues) {
		asked++
		is.Require("name", in.Name)
		return is
	}
	read := func(text string) error {
		r := httptest.NewRequest("POST", "/", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		_, err := ReadInput(httptest.NewRecorder(), r, issues)
		return err
	}
	if err := read(`{"count":1}`); err != nil || asked != 0 {
		t.Errorf("input without faults of type: %v, and the service was asked %d times", err, asked)
	}
	err := read(`{"count":"1"}`)
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || asked != 1 || len(e.Details["issues"].([]errs.Issue)) != 2 {
		t.Errorf("input with a fault of type: %v, and the service was asked %d times", err, asked)
	}
}
