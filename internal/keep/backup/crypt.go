package backup

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
)

// Lock defines who can read an archive: the owners of the recipients' keys, or those who know the
// passphrase. The zero value does not encrypt.
type Lock struct {
	// Recipients are public keys of age: age1….
	Recipients []string
	// Passphrase is an alternative to Recipients.
	Passphrase string

	work int // the logarithm of how often the passphrase is hashed; 0 leaves it to age
}

// On reports whether archives are encrypted.
func (l Lock) On() bool { return len(l.Recipients) > 0 || l.Passphrase != "" }

// recipients returns the lock as age recipients.
func (l Lock) recipients() ([]age.Recipient, error) {
	if l.Passphrase != "" {
		if len(l.Recipients) > 0 {
			return nil, errors.New("encrypt for recipients or with a passphrase, not both")
		}
		r, err := age.NewScryptRecipient(l.Passphrase)
		if err == nil && l.work > 0 {
			r.SetWorkFactor(l.work)
		}
		return []age.Recipient{r}, err
	}
	var all []age.Recipient
	for _, text := range l.Recipients {
		found, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%q is no recipient: write a public key of age, age1…", text)
		}
		all = append(all, found...)
	}
	return all, nil
}

// Check returns an error if the lock cannot encrypt.
func (l Lock) Check() error {
	_, err := l.recipients()
	return err
}

// seal returns a writer that encrypts to w. Close completes the file, and does not close w.
func (l Lock) seal(w io.Writer) (io.WriteCloser, error) {
	if !l.On() {
		return plainWriter{w}, nil
	}
	to, err := l.recipients()
	if err != nil {
		return nil, err
	}
	return age.Encrypt(w, to...)
}

// plainWriter is a writer that needs no Close.
type plainWriter struct{ io.Writer }

// Close implements io.Closer.
func (plainWriter) Close() error { return nil }

// Key opens encrypted archives.
type Key struct {
	// Identities is the text of a file of age with secret keys: AGE-SECRET-KEY-1….
	Identities string
	Passphrase string
}

var (
	// ErrLocked means that an archive is encrypted and there is no key.
	ErrLocked = errors.New("the backup is encrypted: give its passphrase or the file with the secret key")
	// ErrWrongKey means that the key does not open the archive.
	ErrWrongKey = errors.New("the backup was encrypted for another key or with another passphrase")
)

// open returns a reader of the archive in r, and whether it is encrypted.
func (k Key) open(r io.Reader) (content io.Reader, encrypted bool, err error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	begin, _ := buffered.Peek(len(encryptedMagic)) // a shorter file is not encrypted
	if !bytes.Equal(begin, []byte(encryptedMagic)) {
		return buffered, false, nil
	}
	var keys []age.Identity
	if k.Identities != "" {
		if keys, err = age.ParseIdentities(strings.NewReader(k.Identities)); err != nil {
			return nil, true, fmt.Errorf("the file with the secret key: %w", err)
		}
	}
	if k.Passphrase != "" {
		id, err := age.NewScryptIdentity(k.Passphrase)
		if err != nil {
			return nil, true, err
		}
		id.SetMaxWorkFactor(22)
		keys = append(keys, id)
	}
	if len(keys) == 0 {
		return nil, true, ErrLocked
	}
	content, err = age.Decrypt(buffered, keys...)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, true, ErrWrongKey
	}
	if err != nil {
		return nil, true, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return content, true, nil
}
