package archive

import (
	"errors"
	"fmt"
	"strings"

	"stoa/internal/base/errs"
)

// CodeInvalid is the code of an archive that breaks a rule (contract 4.2).
const CodeInvalid = "INVALID_ARCHIVE"

// maxFaults is how many faults an error lists (contract 4.2). If there are more, a last
// one with errs.CodeMore gives the number of the others.
const maxFaults = 100

// Fault is a rule that an archive breaks. Entry names the entry as the archive does;
// it is empty for the archive as a whole.
type Fault struct {
	Entry   string `json:"entry"`
	Code    string `json:"code"` // one of the codes of package errs
	Message string `json:"message"`
}

// fault returns an INVALID_ARCHIVE error about an entry, or about the archive as a whole
// if entry is empty.
func fault(entry, code, format string, args ...any) *errs.Error {
	f := Fault{Entry: entry, Code: code, Message: fmt.Sprintf(format, args...)}
	message := f.Message
	if entry != "" {
		message = fmt.Sprintf("%.200s: %s", readable(entry), f.Message)
	}
	return errs.New(errs.Invalid, CodeInvalid, "%s", message).With("issues", []Fault{f})
}

// readable returns a name with the characters that make it look like another one written out.
func readable(name string) string {
	if !strings.ContainsFunc(name, disguises) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if disguises(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Refuse returns an INVALID_ARCHIVE error that lists the faults, for rules about archives
// that other packages check. It returns nil if there are none.
func Refuse(list ...Fault) error {
	var f faults
	for _, one := range list {
		_ = f.add(fault(one.Entry, one.Code, "%s", one.Message))
	}
	return f.err()
}

// Faults returns the faults that an INVALID_ARCHIVE error lists; ok is false for any other
// error.
func Faults(err error) (list []Fault, ok bool) {
	e, is := errors.AsType[*errs.Error](err)
	if !is || e.Code != CodeInvalid {
		return nil, false
	}
	list, ok = e.Details["issues"].([]Fault)
	return list, ok
}

// faults collects what is wrong with an archive, so that one answer lists everything.
// The zero value is empty and ready for use.
type faults struct {
	first *errs.Error
	list  []Fault
	more  int // faults beyond maxFaults, which are not kept
	types Missing
}

// add keeps the faults in err, which may be nil. It returns what else err is: an error
// that is not about the archive, after which nothing more can be checked.
func (f *faults) add(err error) error {
	e, is := errors.AsType[*errs.Error](err)
	if !is || e.Code != CodeInvalid {
		return err
	}
	if f.first == nil {
		f.first = e
	}
	f.types.Add(e)
	found, _ := e.Details["issues"].([]Fault)
	kept := min(len(found), maxFaults-len(f.list))
	f.list = append(f.list, found[:kept]...)
	f.more += len(found) - kept
	return nil
}

// err returns one INVALID_ARCHIVE error with everything that was added, or nil. Its
// message is that of the first fault, and says how many others there are.
func (f *faults) err() error {
	others := len(f.list) + f.more - 1
	if others <= 0 {
		if f.first == nil {
			return nil
		}
		return f.first
	}
	list := f.list
	if f.more > 0 {
		list = append(list, Fault{Code: errs.CodeMore, Message: fmt.Sprintf("There are %d more.", f.more)})
	}
	e := *f.first
	e.Message += fmt.Sprintf(" And %d more.", others)
	return f.types.In(e.With("issues", list))
}
