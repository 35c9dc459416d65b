package store

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whatever features a license has, decodeFeatures reads what a JSON decoder would.
func TestFeaturesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()

	special := rapid.SampledFrom([]string{`"`, `\`, `,`, `","`, `[`, `]`, `<`, "\n", "", `"]`, `["`, "\u2028"})
	piece := rapid.OneOf(special, rapid.String())
	feature := rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, p := range rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces") {
			text += p
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		text, err := jsonList(rapid.SliceOfN(feature, 0, 5).Draw(t, "features"))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		got, err := decodeFeatures("l", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("%s (-got +want):\n%s", text, diff)
		}
	})
}
