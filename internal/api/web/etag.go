package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// Conditional requests (RFC 9110, 13). Entity tags are strong everywhere; a tag
// is passed around with its quotes.

// SetETag gives an answer an entity tag.
func SetETag(w http.ResponseWriter, tag string) { w.Header().Set("ETag", tag) }

// VersionTag returns the entity tag of something with a version number.
func VersionTag(version int64) string { return Tag(strconv.FormatInt(version, 10)) }

// Tag returns the entity tag with the given text, which must be free of quotes
// and backslashes.
func Tag(text string) string { return `"` + text + `"` }

// ContentTag returns the entity tag of a body that is the same for everyone.
func ContentTag(body []byte) string {
	sum := sha256.Sum256(body)
	return Tag(hex.EncodeToString(sum[:16]))
}

// IfMatch reads If-Match for something with a version number. It returns nil
// without the header, and else reports whether the present version satisfies it.
func IfMatch(r *http.Request) func(version int64) bool {
	match := ifMatchTag(r)
	if match == nil {
		return nil
	}
	return func(version int64) bool { return match(VersionTag(version)) }
}

// IfMatchText is IfMatch for something whose entity tag is a text (Tag).
func IfMatchText(r *http.Request) func(text string) bool {
	match := ifMatchTag(r)
	if match == nil {
		return nil
	}
	return func(text string) bool { return match(Tag(text)) }
}

// ifMatchTag reads If-Match (RFC 9110, 13.1.1): a list of entity tags, one of
// which must be the present one, or * for any. Weak tags never match.
func ifMatchTag(r *http.Request) func(tag string) bool {
	values := r.Header.Values("If-Match")
	if len(values) == 0 {
		return nil
	}
	return func(present string) bool {
		for tag := range strings.SplitSeq(strings.Join(values, ","), ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || tag == present {
				return true
			}
		}
		return false
	}
}

// NotModified answers 304 if If-None-Match names tag (RFC 9110, 13.1.2): the
// client has the body already. It reports whether it did.
func NotModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	for candidate := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == tag || candidate == "*" {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// WriteCached answers with a body that is the same for everyone, or with 304 if
// the client has it already. Caches ask again before each use, so a new version
// shows at once.
func WriteCached(w http.ResponseWriter, r *http.Request, contentType, tag string, body []byte) {
	if !stillCurrent(w, r, tag) {
		writeTyped(w, contentType, body)
	}
}

// stillCurrent gives an answer that is the same for everyone its tag, and answers 304
// if the client has it already. It reports whether it did.
func stillCurrent(w http.ResponseWriter, r *http.Request, tag string) bool {
	SetETag(w, tag)
	w.Header().Set("Cache-Control", "no-cache")
	return NotModified(w, r, tag)
}

func writeTyped(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(body) // as in WriteJSON
}
