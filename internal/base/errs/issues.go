package errs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Issue is one fault in a request. Path is the field's path as the client wrote it
// ("billingInfo.email"), or empty for the request as a whole. Code is stable. Message
// is a sentence for people.
type Issue struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of issues. The same fault has the same code in every part of the API, so
// all codes are declared here. docs/errors.md lists them.
const (
	CodeRequired     = "required"      // a required field is absent or empty
	CodeWrongType    = "wrong_type"    // another JSON type, or a text that is not a number, boolean or time
	CodeOutOfRange   = "out_of_range"  // too small, too large, too long, or with control characters
	CodeUnknownValue = "unknown_value" // not one of the possible values
	CodeInvalid      = "invalid"       // the value breaks another rule of its field
	CodeDuplicate    = "duplicate"     // given twice
	CodeUnknownField = "unknown_field" // a field that does not exist, where those are refused
	CodeMalformed    = "malformed"     // the text cannot be parsed
	CodeNotUnicode   = "not_unicode"   // the text is not UTF-8, or escapes half a character
	CodeUnreadable   = "unreadable"    // the body ended too early

	// Faults of one kind of field or request.
	CodeBadMedia     = "bad_media"     // a picture that cannot be used
	CodeBadSignature = "bad_signature" // a webhook or a package that is not as its sender signed it
	CodeBeforeFrom   = "before_from"   // a period that ends before it begins
	CodeOneFile      = "one_file"      // a form with no file, or with several
	CodeReadOnly     = "read_only"     // a field that never changes
	CodeReserved     = "reserved"      // a name that the platform keeps for itself
	CodeTooCommon    = "too_common"    // a password that is easy to guess
	CodeTooDeep      = "too_deep"      // JSON with too many layers
	CodeUnsupported  = "unsupported"   // a setting that this version does not have
	CodeTwoLengths   = "two_lengths"   // Content-Length together with Transfer-Encoding, or folded headers
	CodeUntrusted    = "untrusted_key" // a package signed with a key that is not trusted
	CodeConflict     = "conflict"      // an item of a bundle that clashes with what is installed
	CodeUnhealthy    = "unhealthy"     // an item of a bundle that does not work

	// CodeMore is the code of the issue that stands for all beyond MaxIssues.
	CodeMore = "more"
)

// MaxIssues is how many issues an error lists: more than people read, but few enough that the
// answer is not much larger than the request. If there are more, a last issue with CodeMore says
// how many.
const MaxIssues = 1000

// maxSentences is how many issues the message of an error repeats.
const maxSentences = 10

// Issues collects the faults of a request, so that one answer can list them all. It
// keeps the first MaxIssues and counts the rest. The zero value is empty and ready for
// use. Issues is not safe for concurrent use.
type Issues struct {
	list []Issue
	more int // issues beyond MaxIssues, which are not kept
}

// Add appends an issue, with a message as by fmt.Sprintf.
func (is *Issues) Add(path, code, format string, args ...any) {
	if len(is.list) >= MaxIssues {
		is.more++
		return
	}
	is.list = append(is.list, Issue{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}

// Require adds an issue with CodeRequired if value is empty. It reports whether value
// is not empty.
func (is *Issues) Require(path, value string) bool {
	if value == "" {
		is.Add(path, CodeRequired, "%s is required.", path)
	}
	return value != ""
}

// OneOf adds an issue with CodeUnknownValue unless value is empty or one of allowed.
func (is *Issues) OneOf(path, value string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		is.Add(path, CodeUnknownValue, "%s must be one of %s.", path, strings.Join(allowed, ", "))
	}
}

// Append appends complete issues.
func (is *Issues) Append(list ...Issue) {
	kept := min(len(list), MaxIssues-len(is.list))
	is.list = append(is.list, list[:kept]...)
	is.more += len(list) - kept
}

// AppendBelow adds the issues of other, which are about the part of the request at path.
func (is *Issues) AppendBelow(path string, other Issues) {
	for _, i := range other.list {
		i.Path = strings.TrimSuffix(path+"."+i.Path, ".")
		is.Append(i)
	}
	is.more += other.more
}

// Merge appends the issues of other, except those with a path that has an issue
// already. A field with an unreadable value looks empty to later checks, which would
// report the same fault again as a missing field.
func (is *Issues) Merge(other Issues) {
	for _, i := range other.list {
		if !is.Has(i.Path) {
			is.Append(i)
		}
	}
	is.more += other.more
}

// Has reports whether one of the first MaxIssues issues has that path.
func (is Issues) Has(path string) bool {
	return slices.ContainsFunc(is.list, func(i Issue) bool { return i.Path == path })
}

// Len returns the number of issues, including those beyond MaxIssues.
func (is Issues) Len() int { return len(is.list) + is.more }

// List returns the first MaxIssues issues in the order in which they were added. The
// caller must not change them.
func (is Issues) List() []Issue { return is.list }

// Err returns a VALIDATION_ERROR with the issues, or nil if there are none. WithIssues
// makes errors with other codes.
func (is Issues) Err() error { return WithIssues(Invalid, CodeValidation, is) }

// CodeValidation is the code of a request that breaks a rule of its shape
// (contract 1.4).
const CodeValidation = "VALIDATION_ERROR"

// IsValidation reports whether err is a VALIDATION_ERROR.
func IsValidation(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == CodeValidation
}

// Validation returns a VALIDATION_ERROR with the given issues, or nil if there are none.
func Validation(issues ...Issue) error {
	var is Issues
	is.Append(issues...)
	return is.Err()
}

// Malformed returns a VALIDATION_ERROR about a request as a whole, to be declared as a
// package variable. Its one issue has no path.
func Malformed(code, message string) *Error {
	return &Error{
		Kind: Invalid, Code: CodeValidation, Message: message,
		Details: map[string]any{"issues": []Issue{{Code: code, Message: message}}},
	}
}

// WithIssues returns an error of the given kind and code whose details list the
// issues, or nil if there is none. The message repeats the first of them.
func WithIssues(kind Kind, code string, is Issues) error {
	if is.Len() == 0 {
		return nil
	}
	list := is.list
	texts := make([]string, 0, maxSentences+1)
	for _, i := range list[:min(len(list), maxSentences)] {
		texts = append(texts, i.Message)
	}
	if omitted := is.Len() - len(texts); omitted > 0 {
		texts = append(texts, fmt.Sprintf("And %d more.", omitted))
	}
	if is.more > 0 {
		list = append(slices.Clone(list), Issue{Code: CodeMore, Message: fmt.Sprintf("There are %d more.", is.more)})
	}
	return &Error{Kind: kind, Code: code, Message: strings.Join(texts, " "), Details: map[string]any{"issues": list}}
}
