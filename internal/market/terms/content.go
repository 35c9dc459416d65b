package terms

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
	"stoa/internal/extension/sign"
)

// Market is the content of MarketFile.
type Market struct {
	Name       string `json:"name"`
	URL        string `json:"url"`
	PlatformID string `json:"platformId"`

	// MinPlatform is the version of stoa from which on it can use the market; nil: any.
	MinPlatform *string `json:"minPlatform"`
}

// Publisher is who signed a package.
type Publisher struct {
	Name string `json:"name"` // as the market's operator calls the key
	Key  string `json:"key"`  // of the signature in the package, as sign.EncodePublic writes it
}

// Custom is what the metadata of a product's role says of a package.
type Custom struct {
	Kind        extension.Kind `json:"kind"`
	Slug        string         `json:"slug"` // the package's
	Version     string         `json:"version"`
	PublishedAt time.Time      `json:"publishedAt"`
	Permissions []string       `json:"permissions"`
	Publisher   Publisher      `json:"publisher"`
	Paid        bool           `json:"paid"`

	// MinPlatform is the version of stoa that the package needs; nil: any.
	MinPlatform *string `json:"minPlatform"`
}

// timeFormat is that of all times of the API: RFC 3339 with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// Bytes returns the JSON of c. It is the same for the same c.
func (c Custom) Bytes() ([]byte, error) {
	if c.Permissions == nil {
		c.Permissions = []string{}
	}
	type plain Custom
	return json.Marshal(struct {
		plain

		PublishedAt string `json:"publishedAt"` // in place of the one in plain
	}{plain(c), c.PublishedAt.UTC().Format(timeFormat)})
}

// ParseCustom reads what Bytes returns. It ignores fields that it does not know: the market may be
// newer. The errors are parts of sentences.
func ParseCustom(raw []byte) (Custom, error) {
	var c Custom
	if err := json.Unmarshal(raw, &c); err != nil {
		return Custom{}, errors.New("it is not JSON of the right form")
	}
	switch {
	case !c.Kind.Known():
		return Custom{}, fmt.Errorf("%.40q is no kind of extension", c.Kind)
	case !manifest.IsSlug(c.Slug):
		return Custom{}, fmt.Errorf("%.40q is no slug of a package", c.Slug)
	case !manifest.IsVersion(c.Version):
		return Custom{}, fmt.Errorf("%.40q is no version", c.Version)
	case c.PublishedAt.IsZero():
		return Custom{}, errors.New("it does not say when the package was published")
	case c.Permissions == nil:
		return Custom{}, errors.New("it does not say which permissions the package asks for")
	case c.Publisher.Name == "":
		return Custom{}, errors.New("it does not say who signed the package")
	case c.MinPlatform != nil && !manifest.IsVersion(*c.MinPlatform):
		return Custom{}, fmt.Errorf("%.40q is no version of stoa", *c.MinPlatform)
	}
	if _, err := sign.DecodePublic(c.Publisher.Key); err != nil {
		return Custom{}, err
	}
	return c, nil
}

// Recalls is the content of RecallsFile.
type Recalls struct {
	Version int64             `json:"version"`
	Recalls []json.RawMessage `json:"recalls"`
}

// NoRecalls returns the content of RecallsFile while nothing was recalled.
func NoRecalls() []byte { return []byte(`{"version":1,"recalls":[]}`) }
