package mail

import "context"

// Recorder seals messages to be recorded in the database, and sends them later; *Outbox is one.
type Recorder interface {
	// Seal returns a message for AddMail of a Store.
	Seal(m Message) (Sealed, error)

	// Wake starts sending what is recorded, and does not wait for it.
	Wake()
}

// InTx runs fn in a transaction that inTx begins, for a change that people hear of by mail: what fn posts is recorded
// in the transaction, and sent once it is committed. Without an outbox nothing is recorded, because no mail arrives.
func InTx[S interface {
	AddMail(ctx context.Context, m Sealed) error
}](
	ctx context.Context, outbox Recorder, inTx func(context.Context, func(S) error) error,
	fn func(tx S, post func(Message) error) error,
) error {
	posted := false
	err := inTx(ctx, func(tx S) error {
		posted = false
		return fn(tx, func(m Message) error {
			if outbox == nil {
				return nil
			}
			sealed, err := outbox.Seal(m)
			if err != nil {
				return err
			}
			posted = true
			return tx.AddMail(ctx, sealed)
		})
	})
	if err == nil && posted {
		outbox.Wake()
	}
	return err
}
