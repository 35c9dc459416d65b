package mail

import "context"

// Letter is a mail as a site with that name sends it.
type Letter func(site string) Message

// Recorder seals messages to be recorded in the database, and sends them later; *Outbox is one.
type Recorder interface {
	// Seal returns a message for AddMail of a Store.
	Seal(m Message) (Sealed, error)

	// Wake starts sending what is recorded, and does not wait for it.
	Wake()
}

// Box is what InTx needs to record letters. Without an Outbox it records none, because no mail arrives.
type Box struct {
	Outbox   Recorder
	SiteName func(ctx context.Context) string // what mails call the platform
}

// InTx runs fn in a transaction that inTx begins, for a change that people hear of by mail: what fn posts is recorded
// in the transaction, and sent once it is committed.
func InTx[S interface {
	AddMail(ctx context.Context, m Sealed) error
}](
	ctx context.Context, box Box, inTx func(context.Context, func(S) error) error,
	fn func(tx S, post func(Letter) error) error,
) error {
	site := ""
	if box.Outbox != nil { // before the transaction, which must not wait for another connection
		site = box.SiteName(ctx)
	}
	posted := false
	err := inTx(ctx, func(tx S) error {
		posted = false
		return fn(tx, func(l Letter) error {
			if box.Outbox == nil {
				return nil
			}
			sealed, err := box.Outbox.Seal(l(site))
			if err != nil {
				return err
			}
			posted = true
			return tx.AddMail(ctx, sealed)
		})
	})
	if err == nil && posted {
		box.Outbox.Wake()
	}
	return err
}
