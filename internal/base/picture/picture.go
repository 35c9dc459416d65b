// Package picture decides which pictures stoa stores and serves: SVGs without active or external
// content, and PNG, JPEG and WebP bitmaps of a sane size. It looks at the content, not at the name.
//
// It stores nothing; package blob does.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// MaxSize is the size of the largest picture in bytes.
const MaxSize = 2 << 20

// maxSide is the maximum width and height of a bitmap in pixels: browsers decode all of it into memory.
const maxSide = 10_000

var errTooWide = fmt.Errorf("it has more than %d pixels on a side", maxSide)

// checks has the check of each format by its extension.
var checks = map[string]func([]byte) error{
	"png":  checkBitmap("png", png.DecodeConfig),
	"jpg":  checkBitmap("jpg", jpeg.DecodeConfig),
	"webp": checkBitmap("webp", webp.DecodeConfig),
	"svg":  checkSVG,
}

// Check returns nil for a harmless picture in the format of an extension: svg, png, jpg or webp. Its
// errors are sentences for people, without the subject's name.
func Check(extension string, content []byte) error {
	check, known := checks[extension]
	if !known {
		return errors.New("it must be a .svg, .png, .jpg or .webp file")
	}
	return check(content)
}

// Extension returns the extension for a harmless picture's format. Its errors are as those of Check.
func Extension(content []byte) (string, error) {
	for _, extension := range []string{"png", "jpg", "webp"} {
		if err := checks[extension](content); err == nil || errors.Is(err, errTooWide) {
			return extension, err
		}
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(start, []byte("<")) {
		return "svg", checkSVG(content)
	}
	return "", errors.New("it is not an SVG, PNG, JPEG or WebP picture")
}

// checkBitmap returns a check that reads a bitmap's header with decode.
func checkBitmap(extension string, decode func(io.Reader) (image.Config, error)) func([]byte) error {
	return func(b []byte) error {
		switch c, err := decode(bytes.NewReader(b)); {
		case err != nil || c.Width < 1 || c.Height < 1:
			return fmt.Errorf("its content is not that of a .%s file", extension)
		case c.Width > maxSide || c.Height > maxSide:
			return fmt.Errorf("%w: %d × %d", errTooWide, c.Width, c.Height)
		}
		return nil
	}
}
