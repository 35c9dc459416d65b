package settings

import (
	"errors"
	"io/fs"
	"net"
	"os"
)

// wrong is an error that the settings are to blame for.
type wrong struct{ error }

// Unwrap returns the error itself.
func (w wrong) Unwrap() error { return w.error }

// Wrong marks an error as a mistake in the settings: the same command line and environment fail again,
// until somebody corrects them. nil stays nil.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return wrong{err}
}

// WrongUnlessIO is Wrong, except for errors of reading and writing files, which may go away.
func WrongUnlessIO(err error) error {
	if _, is := errors.AsType[*fs.PathError](err); is {
		return err
	}
	if _, is := errors.AsType[*os.LinkError](err); is {
		return err
	}
	return Wrong(err)
}

// WrongAddress is Wrong for an error of listening at an address that no machine has. One that is taken,
// or not there yet, may be free later.
func WrongAddress(err error) error {
	if _, is := errors.AsType[*net.AddrError](err); is {
		return Wrong(err)
	}
	if dns, is := errors.AsType[*net.DNSError](err); is && !dns.Temporary() {
		return Wrong(err)
	}
	return err
}

// IsWrong reports whether an error is a mistake in the settings, or caused by one.
func IsWrong(err error) bool {
	if _, is := errors.AsType[*Faults](err); is {
		return true
	}
	_, is := errors.AsType[wrong](err)
	return is
}
