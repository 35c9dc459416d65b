-- +goose Up
-- Changes of plan and renewals: further orders of a license.

-- kind is 'change' or 'renewal'; empty for orders that issued or bought their license.
ALTER TABLE orders ADD COLUMN kind TEXT NOT NULL DEFAULT '';
CREATE INDEX orders_change_invoice ON orders (payment_invoice) WHERE kind = 'change' AND payment_invoice <> '';

-- What a change begins with the next period; empty without one.
ALTER TABLE licenses ADD COLUMN next_terms TEXT NOT NULL DEFAULT ''; -- JSON

-- price_minor is what the plan costs from then on. later says that it begins with the next period. applied is what the
-- license had before, once the order has taken effect. undo says that the payment provider is to take the plan back.
ALTER TABLE order_terms ADD COLUMN price_minor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE order_terms ADD COLUMN later INTEGER NOT NULL DEFAULT 0;
ALTER TABLE order_terms ADD COLUMN applied TEXT NOT NULL DEFAULT ''; -- JSON
ALTER TABLE order_terms ADD COLUMN undo INTEGER NOT NULL DEFAULT 0;
CREATE INDEX order_terms_undo ON order_terms (order_id) WHERE undo;
