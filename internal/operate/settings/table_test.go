package settings

import (
	"regexp"
	"strings"
	"testing"
)

var variable = regexp.MustCompile(`\b(?:STOA|SERVICE_JWT)_[A-Z_]*[A-Z]\b`)

// Every row can be used and read: it is the only one of its flag, and what it says agrees with itself.
func TestEveryRowIsWhole(t *testing.T) {
	t.Parallel()

	seen := make(map[string]bool)
	for _, s := range Table() {
		name := s.Env + s.key()
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		sentence := s.Sentence()
		if !strings.HasSuffix(sentence, ".") {
			t.Errorf("%s: %q is no sentence", name, sentence)
		}
		if s.Flag != "" && !variable.MatchString(s.Env) {
			t.Errorf("%s: the variable is %q, want one that begins with STOA_ or SERVICE_JWT_", name, s.Env)
		}
		if (s.Flag == "") != (s.Mark != "") {
			t.Errorf("%s: only what has no flag has a mark", name)
		}
		for value := range strings.SplitSeq(s.Values, ",") {
			if !regexp.MustCompile(`\b`+value+`\b`).MatchString(sentence) && s.Default != value {
				t.Errorf("%s: the sentence does not name the value %s", name, value)
			}
		}
		if !s.allows(s.Default) {
			t.Errorf("%s: the default %q is not allowed", name, s.Default)
		}
		if strings.Contains(s.Help, "{bounds}") && s.Bounds.text == nil {
			t.Errorf("%s: the sentence needs bounds", name)
		}
		for _, other := range variable.FindAllString(sentence, -1) {
			if _, ok := ByVariable(other); !ok {
				t.Errorf("%s: the sentence names %s, which is no setting", name, other)
			}
		}
		if s.File && !strings.Contains(sentence, s.FileEnv()) {
			t.Errorf("%s: the sentence does not name %s", name, s.FileEnv())
		}
	}
}
