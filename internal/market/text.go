package market

import (
	"fmt"

	"stoa/internal/errs"
)

// issues collects what is wrong with what a caller sent.
type issues []errs.Issue

func (is *issues) add(path, code, format string, args ...any) {
	*is = append(*is, errs.Issue{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}
