package backup

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
)

// A row is the sequence of its values. A value is a byte for its type, followed by nothing (null),
// 8 bytes (numbers, big endian), or a length (uvarint) and that many bytes.
const (
	isNull byte = iota
	isInt
	isFloat
	isText
	isBytes
)

// appendRow appends a row of values as database.Conn.EachRow returns them.
func appendRow(to []byte, values []any) ([]byte, error) {
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			to = append(to, isNull)
		case int64:
			to = binary.BigEndian.AppendUint64(append(to, isInt), uint64(v)) //nolint:gosec // the bits, not the number
		case float64:
			to = binary.BigEndian.AppendUint64(append(to, isFloat), math.Float64bits(v))
		case string:
			to = append(binary.AppendUvarint(append(to, isText), uint64(len(v))), v...)
		case []byte:
			to = append(binary.AppendUvarint(append(to, isBytes), uint64(len(v))), v...)
		default:
			return nil, fmt.Errorf("backup: a value is a %T", v)
		}
	}
	return to, nil
}

// cutRow reads a row into values and returns the rest of b. Bytes are shared with b.
func cutRow(b []byte, values []any) ([]byte, error) {
	for i := range values {
		if len(b) == 0 {
			return nil, damaged("a row ends too early")
		}
		kind := b[0]
		b = b[1:]
		switch kind {
		case isNull:
			values[i] = nil
		case isInt, isFloat:
			if len(b) < 8 {
				return nil, damaged("a number ends too early")
			}
			n := binary.BigEndian.Uint64(b)
			if values[i] = int64(n); kind == isFloat { //nolint:gosec // the bits, not the number
				values[i] = math.Float64frombits(n)
			}
			b = b[8:]
		case isText, isBytes:
			n, size := binary.Uvarint(b)
			if size <= 0 || n > math.MaxInt32 || int(n) > len(b)-size {
				return nil, damaged("a value ends too early")
			}
			end := size + int(n)
			text := b[size:end]
			if values[i] = text; kind == isText {
				values[i] = string(text)
			}
			b = b[end:]
		default:
			return nil, damaged("a value has the unknown type %d", kind)
		}
	}
	return b, nil
}

// sum adds up the SHA-256 of rows as numbers of 256 bits, so it does not depend on the order of the
// rows, which differs between engines. It detects damage, not tampering: archives that must be
// tamper-proof are encrypted.
type sum struct {
	words [4]uint64
	rows  int64
}

func (s *sum) add(row []byte) {
	h := sha256.Sum256(row)
	var carry uint64
	for i := range s.words {
		s.words[i], carry = bits.Add64(s.words[i], binary.LittleEndian.Uint64(h[8*i:]), carry)
	}
	s.rows++
}

func (s *sum) table() TableSum {
	var b []byte
	for _, w := range s.words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return TableSum{Rows: s.rows, SHA256: hex.EncodeToString(b)}
}
