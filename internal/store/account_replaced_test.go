package store

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/account"
)

// Replaced tokens are written and read by hand, exactly as encoding/json does.
func TestReplacedTokensAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9_-]{0,43}`), rapid.String())
		at := rapid.Map(rapid.Int64Range(-1<<40, 1<<45), func(ms int64) time.Time { return time.UnixMilli(ms).UTC() })
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) account.Replaced {
			return account.Replaced{
				Refresh: account.Refresh{ID: id.Draw(t, "id"), KeyID: id.Draw(t, "kid"), IssuedAt: at.Draw(t, "iat")},
				At:      at.Draw(t, "at"),
			}
		}), 0, 5).Draw(t, "list")
		if len(list) == 0 {
			list = nil
		}
		text := encodeReplaced(list)
		var rows []replacedRow
		if err := json.Unmarshal([]byte(text), &rows); err != nil || len(rows) != len(list) {
			t.Fatalf("%s is not what encoding/json reads: %v", text, err)
		}
		got, err := decodeReplaced(text)
		if diff := cmp.Diff(got, list); err != nil || diff != "" {
			t.Fatalf("decodeReplaced(%s): %v (-got +want):\n%s", text, err, diff)
		}
	})
}

// What encodeReplaced does not write is read by encoding/json, or refused.
func FuzzDecodeReplaced(f *testing.F) {
	for _, text := range []string{
		"[]", `[{"id":"a","kid":"k","iat":1,"at":2}]`, `[{"id":"a","kid":"k","iat":1,"at":2},]`, "[", "null", "",
		`[ {"kid":"k","id":"a"}]`, `[{"id":"a\\u0041","kid":"k","iat":1,"at":2}]`, `[{"id":"a","kid":"k","iat":01,"at":+2}]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := decodeOwnReplaced(text)
		if !ok {
			return
		}
		var rows []replacedRow
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			t.Fatalf("%q is read by hand, and encoding/json says %v", text, err)
		}
		var want []account.Replaced
		for _, r := range rows {
			want = append(want, r.replaced())
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", text, diff)
		}
	})
}
