package store

import (
	"context"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
)

// Extensions implements install.Transactions.
type Extensions struct {
	conn    database.Conn
	plugins *Plugin
}

var _ install.Transactions = (*Extensions)(nil)

// NewExtensions returns transactions of db for all kinds of extensions. The plugins share their
// cache and their change callback.
func NewExtensions(db *database.DB, plugins *Plugin) *Extensions {
	return &Extensions{conn: db.Conn(), plugins: plugins}
}

// InTx implements install.Transactions.
func (e *Extensions) InTx(ctx context.Context, fn func(extension.Tx) error) error {
	return e.conn.InTx(ctx, func(tx database.Conn) error { return fn(extensionTx{e, tx}) })
}

// InTurn implements install.Transactions.
func (e *Extensions) InTurn(ctx context.Context, fn func(extension.Tx) error) error {
	return e.conn.InTurn(ctx, "bundles", func(tx database.Conn) error { return fn(extensionTx{e, tx}) })
}

// extensionTx is an extension.Tx: it has a method for the Store of each kind.
type extensionTx struct {
	e  *Extensions
	tx database.Conn
}

var (
	_ interface{ Plugins() plugin.Store }      = extensionTx{}
	_ interface{ Themes() theme.Store }        = extensionTx{}
	_ interface{ Bundles() bundle.Store }      = extensionTx{}
	_ interface{ Origins() extension.Origins } = extensionTx{}
)

// Plugins returns the packages and instances. The end of the transaction calls the change callback.
func (x extensionTx) Plugins() plugin.Store {
	return x.e.plugins.part(x.tx.OnWrite(x.e.plugins.changes.notify))
}

// Themes returns the themes.
func (x extensionTx) Themes() theme.Store { return &Theme{audited{x.tx}} }

// Bundles returns the bundles.
func (x extensionTx) Bundles() bundle.Store { return &Bundles{audited{x.tx}} }

// Origins returns where archives came from.
func (x extensionTx) Origins() extension.Origins { return origins{x.tx} }
