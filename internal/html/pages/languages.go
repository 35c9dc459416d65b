package pages

import (
	"fmt"
	"strings"

	"stoa/internal/html/wording"
)

// choice is a language that a page offers, as those who speak it call it.
type choice struct {
	Tag, Name string
	Current   bool
}

// choices are the languages that a page in one of them offers.
func (s Site) choices(own string) ([]choice, error) {
	built, err := wording.Built()
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	var list []choice
	for tag := range strings.FieldsSeq(s.Languages) {
		words, ok := built.Words[tag]
		if !ok {
			continue
		}
		name, err := words.Text("shop.foot.languageName")
		if err != nil {
			return nil, fmt.Errorf("pages: %w", err)
		}
		list = append(list, choice{tag, name, tag == own})
	}
	return list, nil
}
