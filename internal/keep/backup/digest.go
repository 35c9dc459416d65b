package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
)

// An archive ends with the SHA-256 of everything before it in the zstd stream: zstd's own checksum
// covers the content only, and misses bits that do not affect it. The digest is in a skippable
// frame, which other readers of zstd ignore.
const (
	digestMagic = 0x184d2a5e // of a skippable frame
	digestSize  = 8 + sha256.Size
)

func digestFrame(sum []byte) []byte {
	frame := binary.LittleEndian.AppendUint32(make([]byte, 0, digestSize), digestMagic)
	frame = binary.LittleEndian.AppendUint32(frame, sha256.Size)
	return append(frame, sum...)
}

// digestWriter hashes what is written to w. Close adds the digest.
type digestWriter struct {
	w    io.Writer
	hash hash.Hash
}

func newDigestWriter(w io.Writer) *digestWriter { return &digestWriter{w, sha256.New()} }

// Write implements io.Writer.
func (d *digestWriter) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	d.hash.Write(p[:n])
	return n, err
}

// Close implements io.Closer. It does not close w.
func (d *digestWriter) Close() error {
	_, err := d.w.Write(digestFrame(d.hash.Sum(nil)))
	return err
}

// digestReader reads from r, hashes it, and compares the digest at the end. It holds back the last
// bytes, which may be the digest.
type digestReader struct {
	r     io.Reader
	hash  hash.Hash
	held  []byte // was read but not returned; its last digestSize bytes may be the digest
	found bool   // the digest was there
	err   error  // of r
}

func newDigestReader(r io.Reader) *digestReader { return &digestReader{r: r, hash: sha256.New()} }

var errDigest = errors.New("its checksum is wrong")

// Read implements io.Reader.
func (d *digestReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for d.err == nil && len(d.held) <= digestSize {
		size := len(d.held)
		d.held = append(d.held, make([]byte, len(p))...)
		n, err := d.r.Read(d.held[size:])
		d.held, d.err = d.held[:size+n], err
		if err == io.EOF {
			d.end()
		}
	}
	free := len(d.held)
	if d.err == nil {
		free -= digestSize
	}
	if free == 0 {
		return 0, d.err
	}
	n := copy(p, d.held[:free])
	d.hash.Write(p[:n])
	d.held = d.held[:copy(d.held, d.held[n:])]
	return n, nil
}

// end compares the digest if there is one, and removes it from what is returned.
func (d *digestReader) end() {
	size := len(d.held) - digestSize
	if size < 0 || !bytes.Equal(d.held[size:size+8], digestFrame(nil)) {
		return // the archive predates digests, or is damaged
	}
	d.hash.Write(d.held[:size])
	d.found = true
	if !bytes.Equal(d.held[size+8:], d.hash.Sum(nil)) {
		d.err = errDigest
	}
	d.hash = sha256.New() // the rest has been hashed
	d.held = d.held[:size]
}
