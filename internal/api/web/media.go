package web

import (
	"mime"
	"strings"
)

// isJSON reports whether a Content-Type names JSON. An absent one counts as
// JSON: many clients leave it out, and nothing else is read there.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// SVG is the media type of SVG, which browsers treat as a document with scripts.
const SVG = "image/svg+xml"

// pictureTypes are the media types of the pictures that products show.
var pictureTypes = map[string]string{
	".svg":  SVG,
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".webp": "image/webp",
}

// PictureType returns the media type of pictures with a file name extension,
// which begins with a dot. ok is false for anything that is not a picture.
func PictureType(extension string) (media string, ok bool) {
	media, ok = pictureTypes[extension]
	return media, ok
}

// PictureTypes returns the media types of pictures.
func PictureTypes() []string { return []string{SVG, "image/png", "image/jpeg", "image/webp"} }
