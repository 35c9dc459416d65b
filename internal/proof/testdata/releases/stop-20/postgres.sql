-- {"licenseKey":"STOA-5AH3J-NNB9E-1PXMQ-T12ZE-3N62A-TY5TK","rows":{"audit_log":12,"audit_streams":0,"backup_jobs":2,"bundle_items":1,"bundles":1,"deliveries":2,"delivery_attempts":2,"delivery_queues":1,"duties":1,"events":20,"idempotency_keys":1,"license_instances":2,"license_renewals":1,"licenses":4,"mail_allowances":1,"master_key_holders":0,"order_claims":1,"order_links":2,"orders":4,"password_resets":1,"payment_events":1,"plugin_event_use":1,"plugin_failures":1,"plugin_generation":1,"plugin_health":1,"plugin_instances":3,"plugin_packages":2,"plugin_previous_versions":1,"plugin_remains":0,"plugin_secrets":2,"plugin_storage":1,"plugin_storage_use":1,"product_counts":1,"product_packages":1,"products":1,"receipts":4,"reviews":1,"sessions":2,"settings":4,"shop_settings":1,"signing_keys":6,"theme_targets":2,"theme_versions":1,"users":2,"webhooks":1}}
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.audit_log_refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END;
$$;
CREATE FUNCTION public.products_count() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- Those who write products come one at a time (Catalogue.InTx): two that count
    -- categories in different orders would wait for each other.
    IF TG_OP <> 'INSERT' THEN
        UPDATE product_counts SET products = products - 1 WHERE published = OLD.published AND category = OLD.category;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO product_counts AS c (published, category, products) VALUES (NEW.published, NEW.category, 1)
        ON CONFLICT (published, category) DO UPDATE SET products = c.products + 1;
    END IF;
    RETURN NULL;
END;
$$;
CREATE FUNCTION public.raise_plugin_generation() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('stoa.generation_raised_in', true) IS DISTINCT FROM txid_current()::text THEN
        PERFORM set_config('stoa.generation_raised_in', txid_current()::text, true);
        UPDATE plugin_generation SET number = number + 1;
        PERFORM pg_notify('stoa_plugin_generation', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TABLE public.audit_log (
    seq bigint NOT NULL,
    id text NOT NULL,
    at_ms bigint NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    action text NOT NULL,
    target_type text NOT NULL,
    target_id text NOT NULL,
    address text NOT NULL,
    request_id text NOT NULL,
    details_json text NOT NULL
);
ALTER TABLE public.audit_log ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_streams (
    name text NOT NULL COLLATE pg_catalog."C",
    sent_seq bigint NOT NULL,
    lease text NOT NULL COLLATE pg_catalog."C",
    lease_until_ms bigint NOT NULL,
    failures bigint NOT NULL,
    error text NOT NULL
);
CREATE TABLE public.backup_jobs (
    kind text NOT NULL,
    leased_until_ms bigint DEFAULT 0 NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    began_at_ms bigint DEFAULT 0 NOT NULL,
    ok_at_ms bigint DEFAULT 0 NOT NULL,
    ok_name text DEFAULT ''::text NOT NULL,
    ok_bytes bigint DEFAULT 0 NOT NULL,
    ok_took_ms bigint DEFAULT 0 NOT NULL,
    failed_at_ms bigint DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    CONSTRAINT backup_jobs_kind_check CHECK ((kind = ANY (ARRAY['backup'::text, 'verify'::text])))
);
CREATE TABLE public.bundle_items (
    bundle_slug text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    package_id text NOT NULL COLLATE pg_catalog."C",
    owned boolean NOT NULL,
    listed boolean NOT NULL
);
CREATE TABLE public.bundles (
    slug text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    from_market boolean NOT NULL,
    signed_by text NOT NULL COLLATE pg_catalog."C",
    manifest_json text NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);
CREATE TABLE public.deliveries (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    payload text NOT NULL,
    keeps text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    tries bigint NOT NULL,
    due_ms bigint,
    created_at_ms bigint NOT NULL,
    finished_at_ms bigint,
    cause text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.deliveries ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.deliveries_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.delivery_attempts (
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    at_ms bigint NOT NULL,
    duration_us bigint NOT NULL,
    status bigint NOT NULL,
    error text NOT NULL,
    response text NOT NULL
);
CREATE TABLE public.delivery_queues (
    name text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    lease text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    due_ms bigint,
    leased_until_ms bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.duties (
    name text NOT NULL,
    holder text NOT NULL,
    until_ms bigint NOT NULL
);
CREATE TABLE public.events (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    occurred_at_ms bigint NOT NULL,
    data_json text NOT NULL,
    spread boolean DEFAULT false NOT NULL,
    cause text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.idempotency_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL,
    seed text NOT NULL,
    owner text NOT NULL,
    attempts integer NOT NULL,
    lease_until_ms bigint NOT NULL,
    answer_sealed text NOT NULL,
    expires_at_ms bigint NOT NULL
);
CREATE TABLE public.license_instances (
    license_id text NOT NULL COLLATE pg_catalog."C",
    instance_id text NOT NULL COLLATE pg_catalog."C",
    activated_at_ms bigint NOT NULL,
    development boolean DEFAULT false NOT NULL,
    staging_of text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.license_renewals (
    license_id text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL COLLATE pg_catalog."C",
    at_ms bigint NOT NULL
);
CREATE TABLE public.licenses (
    id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    tier_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    key_hash text NOT NULL COLLATE pg_catalog."C",
    key_sealed text NOT NULL,
    type text NOT NULL,
    features text NOT NULL,
    max_instances bigint NOT NULL,
    paid boolean NOT NULL,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    created_at_ms bigint NOT NULL,
    period_months bigint DEFAULT 0 NOT NULL,
    anchor_ms bigint,
    periods bigint DEFAULT 0 NOT NULL,
    instances bigint DEFAULT 0 NOT NULL,
    development_instances bigint DEFAULT 0 NOT NULL,
    churn_ms bigint,
    version bigint DEFAULT 1 NOT NULL,
    key_tail text,
    leeway_ms bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.mail_allowances (
    name text NOT NULL COLLATE pg_catalog."C",
    until_ms bigint NOT NULL
);
CREATE TABLE public.master_key_holders (
    id text NOT NULL,
    name text NOT NULL,
    keys text NOT NULL,
    seen_at_ms bigint NOT NULL
);
CREATE TABLE public.order_claims (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.order_links (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.orders (
    id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    tier_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    payment_method text NOT NULL,
    billing_info text,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    status text NOT NULL,
    license_id text NOT NULL COLLATE pg_catalog."C",
    created_at_ms bigint NOT NULL,
    billing_period text DEFAULT ''::text NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    payment_url text DEFAULT ''::text NOT NULL,
    payment_session text DEFAULT ''::text NOT NULL,
    payment_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    payment_invoice text DEFAULT ''::text NOT NULL,
    payment_subscription text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    paid_at_ms bigint,
    refunded_at_ms bigint,
    cancelled_at_ms bigint,
    billing_email_key text COLLATE pg_catalog."C",
    sweep_tries integer DEFAULT 0 NOT NULL,
    sweep_at_ms bigint,
    subscription_ended_at_ms bigint,
    partly_refunded_minor bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.password_resets (
    token_hash text NOT NULL,
    user_id text NOT NULL,
    open boolean NOT NULL,
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.payment_events (
    provider text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    at_ms bigint NOT NULL
);
CREATE TABLE public.plugin_event_use (
    installation_id text NOT NULL COLLATE pg_catalog."C",
    spent_until_ms bigint NOT NULL
);
CREATE TABLE public.plugin_failures (
    installation_id text NOT NULL,
    instance_version bigint NOT NULL,
    zip_hash text NOT NULL,
    failed_at_ms bigint NOT NULL,
    message text NOT NULL,
    file text NOT NULL,
    line bigint NOT NULL
);
CREATE TABLE public.plugin_generation (
    id integer NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT plugin_generation_id_check CHECK ((id = 1))
);
CREATE TABLE public.plugin_health (
    package_slug text NOT NULL COLLATE pg_catalog."C",
    due_ms bigint NOT NULL,
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    healthy boolean,
    since_ms bigint,
    failed_at_ms bigint,
    message text NOT NULL
);
CREATE TABLE public.plugin_instances (
    id text NOT NULL,
    package_slug text NOT NULL,
    instance_key text NOT NULL,
    enabled boolean NOT NULL,
    config_sealed text NOT NULL,
    granted text NOT NULL,
    version bigint NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    deleted_at_ms bigint
);
CREATE TABLE public.plugin_packages (
    id text NOT NULL,
    slug text NOT NULL,
    source text NOT NULL,
    install_path text NOT NULL,
    zip_hash text NOT NULL,
    manifest_json text NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    deleted_at_ms bigint,
    settings_json text DEFAULT '{}'::text NOT NULL,
    environment_sealed text DEFAULT ''::text NOT NULL,
    keep_running boolean DEFAULT false NOT NULL,
    settings_version bigint DEFAULT 0 NOT NULL,
    upgrade_id text DEFAULT ''::text NOT NULL,
    signed_by text DEFAULT ''::text NOT NULL,
    theme_extensions boolean DEFAULT true NOT NULL,
    subscribes boolean DEFAULT false NOT NULL,
    external boolean DEFAULT false NOT NULL
);
CREATE TABLE public.plugin_previous_versions (
    package_slug text NOT NULL,
    source text NOT NULL,
    install_path text NOT NULL,
    zip_hash text NOT NULL,
    manifest_json text NOT NULL,
    signed_by text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.plugin_remains (
    package_id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    install_path text NOT NULL COLLATE pg_catalog."C",
    previous_path text NOT NULL COLLATE pg_catalog."C",
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    signed_by text NOT NULL COLLATE pg_catalog."C",
    manifest_json text NOT NULL,
    settings_json text NOT NULL,
    environment_sealed text NOT NULL,
    settings_version bigint NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    current_sealed text NOT NULL,
    previous_sealed text NOT NULL,
    previous_until_ms bigint
);
CREATE TABLE public.plugin_secrets (
    package_slug text NOT NULL,
    current_sealed text NOT NULL,
    previous_sealed text NOT NULL,
    previous_until_ms bigint
);
CREATE TABLE public.plugin_storage (
    installation_id text NOT NULL COLLATE pg_catalog."C",
    key bytea NOT NULL,
    content_type text NOT NULL COLLATE pg_catalog."C",
    etag text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    expires_at_ms bigint,
    value bytea NOT NULL
);
CREATE TABLE public.plugin_storage_use (
    installation_id text NOT NULL COLLATE pg_catalog."C",
    keys bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.product_counts (
    published boolean NOT NULL,
    category text NOT NULL COLLATE pg_catalog."C",
    products bigint NOT NULL
);
CREATE TABLE public.product_packages (
    kind text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    signed_by text NOT NULL,
    size bigint NOT NULL,
    published_at_ms bigint NOT NULL,
    withdrawn_at_ms bigint
);
CREATE TABLE public.products (
    id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    name_sort text NOT NULL COLLATE pg_catalog."C",
    search_text text NOT NULL,
    description text NOT NULL,
    short_description text NOT NULL,
    icon text NOT NULL,
    category text NOT NULL COLLATE pg_catalog."C",
    screenshots text NOT NULL,
    highlights text NOT NULL,
    pricing_type text NOT NULL,
    price_minor bigint NOT NULL,
    price_currency text NOT NULL,
    price_rank bigint NOT NULL,
    rating double precision NOT NULL,
    review_count bigint NOT NULL,
    download_base bigint NOT NULL,
    download_count bigint NOT NULL,
    featured boolean NOT NULL,
    trending boolean NOT NULL,
    published boolean NOT NULL,
    detail text NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    rating_base double precision DEFAULT 0 NOT NULL,
    review_base bigint DEFAULT 0 NOT NULL,
    star_sum bigint DEFAULT 0 NOT NULL,
    star_count bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.receipts (
    order_id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    attempts bigint NOT NULL,
    lease text NOT NULL,
    due_ms bigint,
    created_at_ms bigint NOT NULL,
    finished_at_ms bigint
);
CREATE TABLE public.reviews (
    id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL,
    rating bigint NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    hidden boolean NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    CONSTRAINT reviews_rating_check CHECK (((rating >= 1) AND (rating <= 5)))
);
CREATE TABLE public.sessions (
    id text NOT NULL,
    user_id text NOT NULL,
    refresh_id text NOT NULL,
    refresh_key_id text NOT NULL,
    refresh_issued_at_ms bigint NOT NULL,
    replaced_json text NOT NULL,
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL
);
CREATE TABLE public.settings (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.shop_settings (
    id integer NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    accent text DEFAULT ''::text NOT NULL,
    support_email text DEFAULT ''::text NOT NULL,
    support_url text DEFAULT ''::text NOT NULL,
    terms_url text DEFAULT ''::text NOT NULL,
    privacy_url text DEFAULT ''::text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    updated_at_ms bigint,
    CONSTRAINT shop_settings_id_check CHECK ((id = 1))
);
CREATE TABLE public.signing_keys (
    id text NOT NULL,
    stage text NOT NULL,
    sealed text NOT NULL,
    created_at_ms bigint NOT NULL,
    stage_since_ms bigint NOT NULL,
    purpose text DEFAULT 'account'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT signing_keys_stage_check CHECK ((stage = ANY (ARRAY['next'::text, 'current'::text, 'previous'::text])))
);
CREATE TABLE public.theme_targets (
    target text NOT NULL COLLATE pg_catalog."C",
    active_slug text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    active_version text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    active_config_sealed text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    previous_slug text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    previous_version text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    previous_config_sealed text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.theme_versions (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    install_path text NOT NULL COLLATE pg_catalog."C",
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    from_market boolean NOT NULL,
    signed_by text NOT NULL COLLATE pg_catalog."C",
    manifest_json text NOT NULL,
    replaced boolean NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    deleted_at_ms bigint
);
CREATE TABLE public.users (
    id text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL COLLATE pg_catalog."C",
    username text NOT NULL,
    username_key text NOT NULL COLLATE pg_catalog."C",
    password_hash text NOT NULL,
    role text NOT NULL,
    avatar text NOT NULL,
    referral_code text NOT NULL,
    active boolean NOT NULL,
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.webhooks (
    id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    events_json text NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text NOT NULL,
    failing_since_ms bigint,
    current_sealed text NOT NULL,
    previous_sealed text NOT NULL,
    previous_until_ms bigint,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (1, 'x1u4x70hdfi33vijau1in7ov', 1795371573901, 'cli', 'root', '', 'product.create', 'product', 'o3swmp2l4qdqtpq8tcgv0bnq', '', '', '{"published":true,"slug":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (2, 'e7cbkc01y38voho51w82eo2z', 1795371573901, 'cli', 'root', '', 'catalog.import', 'catalog', '', '', '', '{"created":1,"unchanged":0,"updated":0}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (3, 'vmbffut73ikpybcg22svdh4p', 1795371573995, 'system', '', '', 'user.create', 'user', 'q8cii68d1ude3rruc7jpdmel', '', '', '{"email":"root@example.com","role":"ADMIN"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (4, 'ja74k43vresgqgdejpavonpx', 1795371574183, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'order.refund', 'order', 'g7mkk12rvvgpkbg5pb1f8of1', '127.0.0.1', '01a2047c-239e-7b02-bbc0-0a4a13a21f22', '{"amount":90,"currency":"EUR","licenseId":"w72mmarkwwjvhsnbj9kcsktw","product":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (5, 'hoxryjliz5vcuoj6qr99p330', 1795371574203, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'webhook.create', 'webhook', 'z1q9f3w6hhli8ydlzv4zt7e4', '127.0.0.1', '01a2047c-23ba-731f-9049-1393658079df', '{"enabled":true,"events":["order.*"],"host":"hooks.example.com"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (6, 'pqkzg9q15bpbahbnr7dtly2k', 1795371574344, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'plugin.install', 'plugin', 'greeter', '127.0.0.1', '01a2047c-23bc-7cbc-b252-2511e249020f', '{"installationId":"526d53b5-9d0c-4d0b-ab1a-2447df677e6f","permissions":["storage.read","storage.write","events.publish"],"runtimeType":"internal-fastify","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"0edf98b7c5c011b50b52ea7782de2ef81d1412dcae7f1725c07db820c30550ae"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (7, 'bcoy3u25rqhtxx1a7oe15id1', 1795371574493, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'plugin.upgrade', 'plugin', 'greeter', '127.0.0.1', '01a2047c-244e-7d08-9ce0-b74251e57013', '{"addedPermissions":[],"previousVersion":"1.0.0","signedBy":"","source":"local-zip","version":"1.1.0","zipHash":"62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (8, 'spyujfyjvm58pd49owi4rvka', 1795371574502, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'instance.create', 'instance', '33ff40d7-5788-409d-abd7-8c475acb0576', '127.0.0.1', '01a2047c-24e4-7c0f-a667-141f4cd17d98', '{"enabled":true,"grantedPermissions":["storage.read","storage.write","events.publish"],"instanceKey":"second","slug":"greeter"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (9, 'u4nu97nf0oyd7tr3dzusu3b5', 1795371574509, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'plugin.update', 'plugin', 'greeter', '127.0.0.1', '01a2047c-24eb-742b-b78d-b4da3232da3d', '{"settings":["environment"]}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (10, 'ydh9yd2ytqwboqwulhivf4sp', 1795371574519, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'plugin.install', 'plugin', 'hooked', '127.0.0.1', '01a2047c-24f0-729f-a405-0e6b4aa53557', '{"installationId":"b2aa859e-5214-4aa1-a56b-adb015138f8e","permissions":[],"runtimeType":"external-http","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"6302de0c652b0d092c96a119cd94fef37e70dc0165d1f1ecc0577fb64c8f4500"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (11, 'i1utv3430n6rhxl67ozynzst', 1795371574667, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'theme.install', 'theme-shop', 'plain', '127.0.0.1', '01a2047c-257f-7c3c-b7a4-07b962e35ba8', '{"version":"1.0.0","zipHash":"4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (12, 'l9oyojxr8k15zdgtmp9qg1kf', 1795371574672, 'user', 'q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'theme.activate', 'theme', 'shop', '127.0.0.1', '01a2047c-258c-7566-afde-ec8727e72628', '{"previousTheme":"built-in","theme":"plain 1.0.0"}');
INSERT INTO public.backup_jobs VALUES ('backup', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.backup_jobs VALUES ('verify', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.bundle_items VALUES ('starter', 0, 'plugin', 'greeter', '1.1.0', 'installed', 'p1', false, false);
INSERT INTO public.bundles VALUES ('starter', 'b1', 'r1', 'hash', false, '', '{"slug":"starter","version":"1.0.0"}', 1700000000000, 1700000000000);
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (1, '01a2047c-24f4-7866-9fb3-d4939de9085d', 'plugins:b2aa859e-5214-4aa1-a56b-adb015138f8e', 'plugins', 'hook', 'b2aa859e-5214-4aa1-a56b-adb015138f8e', 'hooked', 'onInstall', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'nkmbn8b92j6vh36wgfz36kii', 'delivered', 1, 1, NULL, 1795371574516, 1795371574530, '');
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (2, '01a2047c-24f4-78c4-91ec-da38947f3963', 'plugins:b2aa859e-5214-4aa1-a56b-adb015138f8e', 'plugins', 'hook', 'b2aa859e-5214-4aa1-a56b-adb015138f8e', 'hooked', 'onEnable', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'nkmbn8b92j6vh36wgfz36kii', 'delivered', 1, 1, NULL, 1795371574516, 1795371574531, '');
INSERT INTO public.delivery_attempts VALUES ('01a2047c-24f4-7866-9fb3-d4939de9085d', 1, 1795371574524, 5612, 204, '', '');
INSERT INTO public.delivery_attempts VALUES ('01a2047c-24f4-78c4-91ec-da38947f3963', 1, 1795371574530, 1158, 204, '', '');
INSERT INTO public.delivery_queues VALUES ('plugins:b2aa859e-5214-4aa1-a56b-adb015138f8e', 'plugins', '', NULL, 1795371604534);
INSERT INTO public.duties VALUES ('kept plugins', 'a process', 1700000000000);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (1, '01a2047c-235a-71af-a207-b82b518b5c0c', 'user.registered', 1795371574106, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (2, '01a2047c-238c-7d17-bfaa-41d8f2767ac0', 'order.paid', 1795371574156, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","orderId":"ygujddq94qhb5ywvjbxw6x4d","licenseId":"iwu3tr7dp8llno0qlrd18ms4","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (3, '01a2047c-238c-7d1f-9115-0a8d26bd8e3c', 'license.issued', 1795371574156, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","licenseId":"iwu3tr7dp8llno0qlrd18ms4","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (4, '01a2047c-2394-71c4-8486-0f7b087f1cf6', 'license.activated', 1795371574161, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","licenseId":"iwu3tr7dp8llno0qlrd18ms4","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (5, '01a2047c-2398-78d6-aa3f-dfa2cf8aa3b0', 'license.activated', 1795371574166, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","licenseId":"iwu3tr7dp8llno0qlrd18ms4","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (6, '01a2047c-239d-70a2-8a45-47551cce3ebe', 'order.paid', 1795371574173, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","orderId":"g7mkk12rvvgpkbg5pb1f8of1","licenseId":"w72mmarkwwjvhsnbj9kcsktw","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (7, '01a2047c-239d-70a9-8996-c1c665ee884d', 'license.issued', 1795371574173, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","licenseId":"w72mmarkwwjvhsnbj9kcsktw","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (8, '01a2047c-23a6-76c9-8187-4db2f050059f', 'order.refunded', 1795371574182, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","orderId":"g7mkk12rvvgpkbg5pb1f8of1","licenseId":"w72mmarkwwjvhsnbj9kcsktw","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (9, '01a2047c-23a7-7b77-8759-7fc3acf53e38', 'license.revoked', 1795371574183, '{"userId":"g3ff6dna0qfvqyeek2sa3g5k","licenseId":"w72mmarkwwjvhsnbj9kcsktw","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (10, '01a2047c-23ab-771a-b013-41478ac7c585', 'order.paid', 1795371574187, '{"orderId":"rgh6g2z4vaxuveaxez8xmw2e","licenseId":"k4y3khvtq9swxtbcqv3i00xf","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (11, '01a2047c-23ab-7722-b852-88b44987868b', 'license.issued', 1795371574187, '{"licenseId":"k4y3khvtq9swxtbcqv3i00xf","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (12, '01a2047c-23b1-76f0-b607-f04261155057', 'order.paid', 1795371574193, '{"orderId":"qv8lojs3co8o7ot9y5vbg3jr","licenseId":"wq6wkw8akgnhp0w6wcpyovs4","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (13, '01a2047c-23b1-76f6-852d-7d952713bfd7', 'license.issued', 1795371574193, '{"licenseId":"wq6wkw8akgnhp0w6wcpyovs4","productId":"o3swmp2l4qdqtpq8tcgv0bnq"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (14, '01a2047c-2445-7d2e-a4cb-71ec81f07e17', 'extension.installed', 1795371574341, '{"kind":"plugin","slug":"greeter"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (15, '01a2047c-2445-7d3f-a750-7aee6705400f', 'instance.enabled', 1795371574341, '{"slug":"greeter","installationId":"526d53b5-9d0c-4d0b-ab1a-2447df677e6f"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (16, '01a2047c-24dd-789d-8dfc-9f22b85c4c0d', 'extension.upgraded', 1795371574493, '{"kind":"plugin","slug":"greeter"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (17, '01a2047c-24e6-7b94-8ad7-a65e67487991', 'instance.enabled', 1795371574502, '{"slug":"greeter","installationId":"33ff40d7-5788-409d-abd7-8c475acb0576"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (18, '01a2047c-24f4-785d-b671-206dbb1ec7ec', 'extension.installed', 1795371574516, '{"kind":"plugin","slug":"hooked"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (19, '01a2047c-24f4-78d7-8791-e14f235c87a0', 'instance.enabled', 1795371574516, '{"slug":"hooked","installationId":"b2aa859e-5214-4aa1-a56b-adb015138f8e"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (20, '01a2047c-258b-71e7-bee8-fecee2b91ad4', 'extension.installed', 1795371574667, '{"kind":"theme-shop","slug":"plain"}', true, '');
INSERT INTO public.goose_db_version VALUES (1, 0, true, '2026-11-22 18:19:33.721797');
INSERT INTO public.goose_db_version VALUES (2, 1, true, '2026-11-22 18:19:33.731171');
INSERT INTO public.goose_db_version VALUES (3, 2, true, '2026-11-22 18:19:33.733234');
INSERT INTO public.goose_db_version VALUES (4, 3, true, '2026-11-22 18:19:33.739319');
INSERT INTO public.goose_db_version VALUES (5, 4, true, '2026-11-22 18:19:33.750746');
INSERT INTO public.goose_db_version VALUES (6, 6, true, '2026-11-22 18:19:33.755349');
INSERT INTO public.goose_db_version VALUES (7, 7, true, '2026-11-22 18:19:33.760537');
INSERT INTO public.goose_db_version VALUES (8, 8, true, '2026-11-22 18:19:33.762964');
INSERT INTO public.goose_db_version VALUES (9, 9, true, '2026-11-22 18:19:33.765509');
INSERT INTO public.goose_db_version VALUES (10, 10, true, '2026-11-22 18:19:33.769626');
INSERT INTO public.goose_db_version VALUES (11, 11, true, '2026-11-22 18:19:33.775536');
INSERT INTO public.goose_db_version VALUES (12, 12, true, '2026-11-22 18:19:33.782293');
INSERT INTO public.goose_db_version VALUES (13, 13, true, '2026-11-22 18:19:33.787276');
INSERT INTO public.goose_db_version VALUES (14, 14, true, '2026-11-22 18:19:33.789098');
INSERT INTO public.goose_db_version VALUES (15, 15, true, '2026-11-22 18:19:33.790649');
INSERT INTO public.goose_db_version VALUES (16, 16, true, '2026-11-22 18:19:33.793687');
INSERT INTO public.goose_db_version VALUES (17, 17, true, '2026-11-22 18:19:33.79431');
INSERT INTO public.goose_db_version VALUES (18, 18, true, '2026-11-22 18:19:33.795264');
INSERT INTO public.goose_db_version VALUES (19, 19, true, '2026-11-22 18:19:33.797601');
INSERT INTO public.goose_db_version VALUES (20, 20, true, '2026-11-22 18:19:33.798776');
INSERT INTO public.goose_db_version VALUES (21, 21, true, '2026-11-22 18:19:33.799767');
INSERT INTO public.goose_db_version VALUES (22, 22, true, '2026-11-22 18:19:33.800301');
INSERT INTO public.goose_db_version VALUES (23, 24, true, '2026-11-22 18:19:33.801842');
INSERT INTO public.goose_db_version VALUES (24, 25, true, '2026-11-22 18:19:33.803805');
INSERT INTO public.goose_db_version VALUES (25, 26, true, '2026-11-22 18:19:33.806715');
INSERT INTO public.goose_db_version VALUES (26, 29, true, '2026-11-22 18:19:33.810639');
INSERT INTO public.goose_db_version VALUES (27, 30, true, '2026-11-22 18:19:33.814219');
INSERT INTO public.goose_db_version VALUES (28, 31, true, '2026-11-22 18:19:33.814631');
INSERT INTO public.goose_db_version VALUES (29, 33, true, '2026-11-22 18:19:33.816645');
INSERT INTO public.goose_db_version VALUES (30, 34, true, '2026-11-22 18:19:33.827125');
INSERT INTO public.goose_db_version VALUES (31, 35, true, '2026-11-22 18:19:33.829369');
INSERT INTO public.goose_db_version VALUES (32, 36, true, '2026-11-22 18:19:33.830723');
INSERT INTO public.goose_db_version VALUES (33, 37, true, '2026-11-22 18:19:33.831794');
INSERT INTO public.goose_db_version VALUES (34, 38, true, '2026-11-22 18:19:33.835506');
INSERT INTO public.goose_db_version VALUES (35, 39, true, '2026-11-22 18:19:33.836085');
INSERT INTO public.goose_db_version VALUES (36, 40, true, '2026-11-22 18:19:33.837699');
INSERT INTO public.goose_db_version VALUES (37, 43, true, '2026-11-22 18:19:33.839972');
INSERT INTO public.goose_db_version VALUES (38, 44, true, '2026-11-22 18:19:33.84195');
INSERT INTO public.goose_db_version VALUES (39, 45, true, '2026-11-22 18:19:33.845573');
INSERT INTO public.goose_db_version VALUES (40, 46, true, '2026-11-22 18:19:33.847865');
INSERT INTO public.goose_db_version VALUES (41, 48, true, '2026-11-22 18:19:33.850091');
INSERT INTO public.goose_db_version VALUES (42, 49, true, '2026-11-22 18:19:33.850697');
INSERT INTO public.goose_db_version VALUES (43, 53, true, '2026-11-22 18:19:33.852939');
INSERT INTO public.goose_db_version VALUES (44, 55, true, '2026-11-22 18:19:33.854307');
INSERT INTO public.goose_db_version VALUES (45, 58, true, '2026-11-22 18:19:33.856199');
INSERT INTO public.idempotency_keys VALUES ('a8b11a870d91fa31af57ce601dbfdecbd114f8b61da0a2bc8558194e77ece388', 'c75b5c9a75b7bbb6b9d9dff162302ca913fd48738941e3e266d89a3262b86965', 'qv8lojs3co8o7ot9y5vbg3jr', 'fjt7m4qxj0qwc6f7ufshnupl', 1, 1795371584188, 's1.qHTonDm5P1VHXC6QBTDwbkPpSMTl3UQxMUDjQOvY3gOjpYuH2rNliCCx1p4DLI5HTplemM48N4DRX6oXcn2ae7HIsVQwZHtGQTCi2JCmo9LOyGdvMai2fV7c/XVJLSX+2XwYqqJgcIjlMf390XKARf0BBor6hgI1nLeAMhBc6U1Q51lzg9bNnXBYqM52SfV6En4kVcPxMYTTyvzQdSE9dcc4AWb9Hvxj4T6Xj1pXX0UPhA2wn57RfH7mOWyXyRub9cUPxZVCPkT/tDsYXrVE1ZGN+gYzEg7PFjDG6M1I+hAWszBxspRy5sK8M+TW5yB9vPgJYpltKISV4J1MW+A5K/uG6M0Gc1YWesxWBs8AW5UPuZ61fHxG0inHuBKv096y+gwvGh6QlfRkOWY6CI91ylgYadt+HreQHI1ObDKJ4lmnZgPHLsEOiVfB6e69wZ8599rit0c/0WKI8pUyvHJaFs7hqbz+TZflQd+SLSWGiw', 1795457974188);
INSERT INTO public.license_instances VALUES ('iwu3tr7dp8llno0qlrd18ms4', 'shop.example.com', 1795371574161, false, '');
INSERT INTO public.license_instances VALUES ('iwu3tr7dp8llno0qlrd18ms4', 'dev.shop.example.com', 1795371574166, true, 'shop.example.com');
INSERT INTO public.license_renewals VALUES ('iwu3tr7dp8llno0qlrd18ms4', 'in_1', 1700000000000);
INSERT INTO public.licenses VALUES ('iwu3tr7dp8llno0qlrd18ms4', 'o3swmp2l4qdqtpq8tcgv0bnq', 'seats-3', 'g3ff6dna0qfvqyeek2sa3g5k', '7a74f21a10c64eff493961651aab6ced67adaea109554cf822ccabc755cd1eec', 's1.S/bv8M5A7wpaP6SwdRcZ1FUGwU6GbWSNiG1WoGHn4lyRcAfseZ/FXaN+DnCnLVRQzmCd24reQuRFE2N/IB4vu5yl3vo', 'perpetual', '[]', 3, true, NULL, NULL, 1795371574154, 0, NULL, 0, 1, 1, 1795375894161, 1, 'TY5TK', 0);
INSERT INTO public.licenses VALUES ('w72mmarkwwjvhsnbj9kcsktw', 'o3swmp2l4qdqtpq8tcgv0bnq', 'many', 'g3ff6dna0qfvqyeek2sa3g5k', 'd70562a0c0af6df1ce37d104f5d92c08d0f8ca0c2d3010ef342f0b4865f5a8df', 's1.wZQcEXSQI++Id90+4vPNb4EP75mdjEFmfdHPrfcBMPVuThpH9fXpyudQ+Zv3XQmPCAyzVHgeR74ygKSEhhcA7T5R2Uw', 'perpetual', '[]', 10000, true, NULL, 1795371574181, 1795371574170, 0, NULL, 0, 0, 0, NULL, 2, '6PJ71', 0);
INSERT INTO public.licenses VALUES ('k4y3khvtq9swxtbcqv3i00xf', 'o3swmp2l4qdqtpq8tcgv0bnq', 'seats-1', 'anonymous', 'e515f0e179334d02bb56b69a88f3e257d18c24466bf56ff009c5dc04b25630cc', 's1.ESguzz2ZuGe0PcbbYUn6NZowxCJndtoC6vdMNBQcJZYec3rFgBNqCNxLAsSLFZYZ1fc9lgFkxc62LZjLZMNscYnYd2c', 'perpetual', '[]', 1, true, NULL, NULL, 1795371574185, 0, NULL, 0, 0, 0, NULL, 1, 'ZQ2SZ', 0);
INSERT INTO public.licenses VALUES ('wq6wkw8akgnhp0w6wcpyovs4', 'o3swmp2l4qdqtpq8tcgv0bnq', 'seats-2', 'anonymous', '46438cc21e127980f17bebdcc8a92f7825457a64a741b1586e4e0fccab0371b4', 's1.mXvBJbAsfMljsG8MzzsrJgtiTpbe1EdIVTeR9PpKipkEv6wUh0+R72gYQ2i71ffayImUueXJ2XAKIb+j/MmfvDMZ1/Q', 'perpetual', '[]', 2, true, NULL, NULL, 1795371574191, 0, NULL, 0, 0, 0, NULL, 1, '5CX31', 0);
INSERT INTO public.mail_allowances VALUES ('receipt:paid:buyer@example.com', 1795375174163);
INSERT INTO public.order_claims VALUES ('hash', 'g3ff6dna0qfvqyeek2sa3g5k', 'owner@example.com', 1700000000000);
INSERT INTO public.order_links VALUES ('b30804af6b0d89649f97eb9dcc029bb203f0aa068112e154b63097f7aa4e5e29', 'buyer@example.com', 'buyer@example.com', 1795371574190);
INSERT INTO public.order_links VALUES ('e42458e2144d31fb53ebe0d7273297fdeb98255de0f1e6b2c10f7357b40a837f', 'buyer@example.com', 'buyer@example.com', 1795371574197);
INSERT INTO public.orders VALUES ('ygujddq94qhb5ywvjbxw6x4d', 'o3swmp2l4qdqtpq8tcgv0bnq', 'seats-3', 'g3ff6dna0qfvqyeek2sa3g5k', 'card', '{"email":"buyer@example.com"}', 3000, 'EUR', 'paid', 'iwu3tr7dp8llno0qlrd18ms4', 1795371574154, '', 'test', '', '', '', '', '', 1795371574154, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('g7mkk12rvvgpkbg5pb1f8of1', 'o3swmp2l4qdqtpq8tcgv0bnq', 'many', 'g3ff6dna0qfvqyeek2sa3g5k', 'card', '{"email":"buyer@example.com"}', 9000, 'EUR', 'refunded', 'w72mmarkwwjvhsnbj9kcsktw', 1795371574170, '', 'test', '', '', '', '', '', 1795371574170, 1795371574181, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('rgh6g2z4vaxuveaxez8xmw2e', 'o3swmp2l4qdqtpq8tcgv0bnq', 'seats-1', 'anonymous', 'card', '{"email":"buyer@example.com"}', 1000, 'EUR', 'paid', 'k4y3khvtq9swxtbcqv3i00xf', 1795371574185, '', 'test', '', '', '', '', '', 1795371574185, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('qv8lojs3co8o7ot9y5vbg3jr', 'o3swmp2l4qdqtpq8tcgv0bnq', 'seats-2', 'anonymous', 'card', '{"email":"buyer@example.com"}', 2000, 'EUR', 'paid', 'wq6wkw8akgnhp0w6wcpyovs4', 1795371574191, '', 'test', '', '', '', '', '', 1795371574191, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.password_resets VALUES ('f761a3ddfb0b89857c6d9400bdf92302349c8a44b0e12b674cc21a7a0a3135be', 'g3ff6dna0qfvqyeek2sa3g5k', true, 1795371574202);
INSERT INTO public.payment_events VALUES ('stripe', 'evt_1', 'charge.refunded', 'g7mkk12rvvgpkbg5pb1f8of1', 1700000000000);
INSERT INTO public.plugin_event_use VALUES ('33ff40d7-5788-409d-abd7-8c475acb0576', 1700000000000);
INSERT INTO public.plugin_failures VALUES ('33ff40d7-5788-409d-abd7-8c475acb0576', 1, 'hash', 1700000000000, 'out of memory', 'index.js', 1);
INSERT INTO public.plugin_generation VALUES (1, 6);
INSERT INTO public.plugin_health VALUES ('hooked', 1700000000000, '6302de0c652b0d092c96a119cd94fef37e70dc0165d1f1ecc0577fb64c8f4500', NULL, NULL, NULL, 'no answer');
INSERT INTO public.plugin_instances VALUES ('526d53b5-9d0c-4d0b-ab1a-2447df677e6f', 'greeter', 'default', true, '', '["storage.read","storage.write","events.publish"]', 1, 1795371574210, 1795371574210, NULL);
INSERT INTO public.plugin_instances VALUES ('33ff40d7-5788-409d-abd7-8c475acb0576', 'greeter', 'second', true, 's1.UHNIutJJKlk1YRHDx97zRizfeNL/RFz8MwN7woqqOANztzro/kW244+S+pfkM5mR', '["storage.read","storage.write","events.publish"]', 1, 1795371574502, 1795371574502, NULL);
INSERT INTO public.plugin_instances VALUES ('b2aa859e-5214-4aa1-a56b-adb015138f8e', 'hooked', 'default', true, '', '[]', 1, 1795371574516, 1795371574516, NULL);
INSERT INTO public.plugin_packages VALUES ('lcl53ro9z4lq04uxe2jaijsy', 'greeter', 'local-zip', 'plugins/greeter/1.1.0-62b4be94', '62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074', '{
  "entryModule": "index.js",
  "name": "Plugin greeter",
  "permissions": [
    "storage.read",
    "storage.write",
    "events.publish"
  ],
  "runtimeType": "internal-fastify",
  "schemaVersion": 1,
  "slug": "greeter",
  "version": "1.1.0"
}', 1795371574210, 1795371574355, NULL, '{}', 's1.5J2+2rPXLQotPVxJxJ5jxegC1C8bgEsLeXLZDpY1hMCS89INu+NNGnxY1vOS', false, 1, 'fkfk68hzabmcsjuhmvztbkxp', '', false, false, false);
INSERT INTO public.plugin_packages VALUES ('nkmbn8b92j6vh36wgfz36kii', 'hooked', 'local-zip', 'plugins/hooked/1.0.0-6302de0c', '6302de0c652b0d092c96a119cd94fef37e70dc0165d1f1ecc0577fb64c8f4500', '{
  "externalBaseUrl": "http://127.0.0.1:33695",
  "lifecycle": {
    "onEnable": true,
    "onInstall": true
  },
  "name": "Hooked",
  "runtimeType": "external-http",
  "schemaVersion": 1,
  "slug": "hooked",
  "version": "1.0.0"
}', 1795371574516, 1795371574516, NULL, '{}', '', false, 0, '', '', false, false, true);
INSERT INTO public.plugin_previous_versions VALUES ('greeter', 'local-zip', 'plugins/greeter/1.0.0-0edf98b7', '0edf98b7c5c011b50b52ea7782de2ef81d1412dcae7f1725c07db820c30550ae', '{
  "entryModule": "index.js",
  "name": "Plugin greeter",
  "permissions": [
    "storage.read",
    "storage.write",
    "events.publish"
  ],
  "runtimeType": "internal-fastify",
  "schemaVersion": 1,
  "slug": "greeter",
  "version": "1.0.0"
}', '');
INSERT INTO public.plugin_secrets VALUES ('greeter', 's1.bB3/ejZALPsVJpHUh5VcL/9645Rhu0eUxKBhTtSE83j6ezmirXtIFhxKh76vMsg7YVx+NvlK6Uyq1YOeW7fqRX4rIpgpWqM', '', NULL);
INSERT INTO public.plugin_secrets VALUES ('hooked', 's1.w8tOWm0ra/v9GYoDFH1zWrNLgEHbwJG+SsFnpiiGYd52AWTpogOFxzVMO50v1+dRCKuKusGxUpF+KnDpcmIZhwCQMg6YUa8', '', NULL);
INSERT INTO public.plugin_storage VALUES ('33ff40d7-5788-409d-abd7-8c475acb0576', '\x68656c6c6f', 'text/plain', '"1"', 5, NULL, '\x68656c6c6f');
INSERT INTO public.plugin_storage_use VALUES ('33ff40d7-5788-409d-abd7-8c475acb0576', 1, 10);
INSERT INTO public.product_counts VALUES (true, 'apps', 1);
INSERT INTO public.product_packages VALUES ('plugin', 'sold', '1.0.0', 'o3swmp2l4qdqtpq8tcgv0bnq', 'packages/plugin/sold/1.0.0.zip', 'hash', 'acme', 1234, 1700000000000, NULL);
INSERT INTO public.products VALUES ('o3swmp2l4qdqtpq8tcgv0bnq', 'app', 'App', 'app', 'app
app
apps
an app.
an app.', 'An app.', 'An app.', 'https://cdn.example.com/app.svg', 'apps', '[]', '[]', 'paid', 1000, 'EUR', 100000, 5, 1, 1000, 1004, false, false, true, '{"fullDescription":"An app.","features":null,"tiers":[{"id":"seats-1","name":"One","description":"","priceMinor":1000,"currency":"EUR","features":null,"maxInstances":1},{"id":"seats-2","name":"Two","description":"","priceMinor":2000,"currency":"EUR","features":null,"maxInstances":2},{"id":"seats-3","name":"Three","description":"","priceMinor":3000,"currency":"EUR","features":null,"maxInstances":3},{"id":"seats-4","name":"Four","description":"","priceMinor":4000,"currency":"EUR","features":null,"maxInstances":4},{"id":"many","name":"Many","description":"","priceMinor":9000,"currency":"EUR","features":null,"maxInstances":10000}],"faq":null}', 1795371573901, 1795371573901, 0, 1, 0, 0, 5, 1);
INSERT INTO public.receipts VALUES ('ygujddq94qhb5ywvjbxw6x4d', 'sent', 1, '', NULL, 1795371574156, 1795371574163);
INSERT INTO public.receipts VALUES ('g7mkk12rvvgpkbg5pb1f8of1', 'sent', 1, '', NULL, 1795371574172, 1795371574176);
INSERT INTO public.receipts VALUES ('rgh6g2z4vaxuveaxez8xmw2e', 'sent', 1, '', NULL, 1795371574186, 1795371574190);
INSERT INTO public.receipts VALUES ('qv8lojs3co8o7ot9y5vbg3jr', 'sent', 1, '', NULL, 1795371574193, 1795371574196);
INSERT INTO public.reviews VALUES ('g4ipnn2ojp32dwihbzfpmt6d', 'o3swmp2l4qdqtpq8tcgv0bnq', 'g3ff6dna0qfvqyeek2sa3g5k', 5, 'Good', '', false, 1795371574197, 1795371574197);
INSERT INTO public.sessions VALUES ('ic26t6bacphxp2hqxdsnqvjn', 'g3ff6dna0qfvqyeek2sa3g5k', 'yy25hjizs6olb0379jb6utp0', 'bx-QefbO7J-MHuhPuibmDOoLpxIaDgrlWVD0x8FifCk', 1795371574000, '[]', 1795371574104, 1797963574000);
INSERT INTO public.sessions VALUES ('qpxtsjswwy9uts7fzroyxyw0', 'q8cii68d1ude3rruc7jpdmel', 'rc7gracymnpfrk4kx0xgidss', 'bx-QefbO7J-MHuhPuibmDOoLpxIaDgrlWVD0x8FifCk', 1795371574000, '[]', 1795371574149, 1797963574000);
INSERT INTO public.settings VALUES ('migrated_by', '0.1.0-dev');
INSERT INTO public.settings VALUES ('master_key_check', 's1.TINoN89FDEPk44S6Dy7sM+pP2bZZ4KikDN07AJw7o3wo5gMvicDyliKO/rQ');
INSERT INTO public.settings VALUES ('platform_id', '043e88a8-d603-4bdd-a34a-34e6c1554269');
INSERT INTO public.settings VALUES ('idempotency_hash_secret', 's1.oPR6jiRwSW0lrBvvZGKs8PkALUy3/9LqJB+UihG5c/lTeXoqDmNzN0H2Drv05SnjZh1RS90DQyqL0Mcu');
INSERT INTO public.shop_settings VALUES (1, '', '', '', '', '', '', 1, NULL);
INSERT INTO public.signing_keys VALUES ('v6LYlPjvTTtS01-fTsRqhaNSZA9nbwYlEvizqRbWjdo', 'current', 's1.kolAjpEMz5qigJuGkHSpRdRMQs7Ep8bSbloMMVmGKDJi5kpjYWCHcB5ySop2cBb0JRGUgcaGJAXECKqn', 1795371573892, 1795371573892, 'license');
INSERT INTO public.signing_keys VALUES ('yMsvxrLS9GCgYQwijj1UbLNhURjoZ_aQNYdDr1JNPcM', 'next', 's1.jy5DRJI/cRJ0RLl7SKWbGbzz18rZTfkJkZnyMXV7Exy/2hc28YFkwmiGN4Et02tEM9wffn5CKUe8yxzr', 1795371573892, 1795371573892, 'license');
INSERT INTO public.signing_keys VALUES ('bx-QefbO7J-MHuhPuibmDOoLpxIaDgrlWVD0x8FifCk', 'current', 's1.AGwYYAThQPVVyL8KKXMn0yQBUYeUk+4X88mWGIqSYS/gUQcAJo5D+I5D4pkeLhrhZalgGI72xpic4xxL', 1795371573894, 1795371573894, 'account');
INSERT INTO public.signing_keys VALUES ('YVMKruQJE-bgQU-95EL8l1IBBw273uWSTDZOmhvgc_M', 'next', 's1./ro7BHFl/kW8x2W5L1eGenWS4wrSONK4vcP5Bo5m9pn4HcrJs5WLjSmD1WPp2och0trMeBnDtOhfGgXT', 1795371573894, 1795371573894, 'account');
INSERT INTO public.signing_keys VALUES ('2YvFuSfU01JUEBO2aL_5r9p0d6tkYOIMuMy65EOa8RM', 'current', 's1.RpfE8N1+cL12Jk1MM73K9zgnJjBXufIasx/iHlQcdNMZfRpP/q9P7nHHbI9o2cC29w91I+dxcZhETokF', 1795371573895, 1795371573895, 'plugin');
INSERT INTO public.signing_keys VALUES ('ef7BmwTf2qjpYmG1flnfEGg4FdN1M1LfDI6B_3Qo7X0', 'next', 's1.AU+p4vidKmTJ0ZPm4BqsKFYaZrwb60+dQUsYGyv1FGfFDp+HePXhJv7LwrxZpW1V5/DNfqIWgIo2NLRs', 1795371573895, 1795371573895, 'plugin');
INSERT INTO public.theme_targets VALUES ('admin', '', '', '', '', '', '');
INSERT INTO public.theme_targets VALUES ('shop', 'plain', '1.0.0', '', '', '', '');
INSERT INTO public.theme_versions VALUES ('pw1g42brsgjwhdcwv5zibd2b', 'theme-shop', 'shop', 'plain', '1.0.0', 'pw1g42brsgjwhdcwv5zibd2b', 'theme-shop/plain/1.0.0-4484b33f', '4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35', false, '', '{
  "entry": "theme.css",
  "name": "Theme plain",
  "schemaVersion": 1,
  "slug": "plain",
  "version": "1.0.0"
}', false, 1795371574666, 1795371574666, NULL);
INSERT INTO public.users VALUES ('q8cii68d1ude3rruc7jpdmel', 'root@example.com', 'root@example.com', 'root', 'root', '$argon2id$v=19$m=19456,t=2,p=1$stsAcYBc/VCkW7jMtlvBug$PglzYmTclPGm5t6JpfAee6sfqbx2RuyZFieg9P96y38', 'ADMIN', '', '', true, 1795371573994);
INSERT INTO public.users VALUES ('g3ff6dna0qfvqyeek2sa3g5k', 'owner@example.com', 'owner@example.com', 'owner', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$1qbXfBndhhv1QmfyL1ThaA$//gzRvk1kAM/AfpuRRKZN6GuPcSieQrPjF9P5qTajsg', 'USER', '', '', true, 1795371574104);
INSERT INTO public.webhooks VALUES ('z1q9f3w6hhli8ydlzv4zt7e4', 'https://hooks.example.com/stoa', '["order.*"]', true, '', NULL, 's1.6+5s8l/9M6EWj+ySqQoyZnlmNVYChTkVTf7LuSFYzbOxYfa31TVrC3bt7xZt+yh0CZGvXswMpwZC9Q7R', '', NULL, 1795371574202, 1795371574202);
SELECT pg_catalog.setval('public.audit_log_seq_seq', 12, true);
SELECT pg_catalog.setval('public.deliveries_seq_seq', 2, true);
SELECT pg_catalog.setval('public.events_seq_seq', 20, true);
SELECT pg_catalog.setval('public.goose_db_version_id_seq', 45, true);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_id_key UNIQUE (id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.audit_streams
    ADD CONSTRAINT audit_streams_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.backup_jobs
    ADD CONSTRAINT backup_jobs_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY public.bundle_items
    ADD CONSTRAINT bundle_items_pkey PRIMARY KEY (bundle_slug, "position");
ALTER TABLE ONLY public.bundles
    ADD CONSTRAINT bundles_pkey PRIMARY KEY (slug);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_id_key UNIQUE (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, number);
ALTER TABLE ONLY public.delivery_queues
    ADD CONSTRAINT delivery_queues_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.duties
    ADD CONSTRAINT duties_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_id_key UNIQUE (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.license_instances
    ADD CONSTRAINT license_instances_pkey PRIMARY KEY (license_id, instance_id);
ALTER TABLE ONLY public.license_renewals
    ADD CONSTRAINT license_renewals_pkey PRIMARY KEY (license_id, reference);
ALTER TABLE ONLY public.licenses
    ADD CONSTRAINT licenses_key_hash_key UNIQUE (key_hash);
ALTER TABLE ONLY public.licenses
    ADD CONSTRAINT licenses_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_allowances
    ADD CONSTRAINT mail_allowances_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.master_key_holders
    ADD CONSTRAINT master_key_holders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.order_claims
    ADD CONSTRAINT order_claims_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.order_links
    ADD CONSTRAINT order_links_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_license_id_key UNIQUE (license_id);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.payment_events
    ADD CONSTRAINT payment_events_pkey PRIMARY KEY (provider, id);
ALTER TABLE ONLY public.plugin_event_use
    ADD CONSTRAINT plugin_event_use_pkey PRIMARY KEY (installation_id);
ALTER TABLE ONLY public.plugin_failures
    ADD CONSTRAINT plugin_failures_pkey PRIMARY KEY (installation_id);
ALTER TABLE ONLY public.plugin_generation
    ADD CONSTRAINT plugin_generation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.plugin_health
    ADD CONSTRAINT plugin_health_pkey PRIMARY KEY (package_slug);
ALTER TABLE ONLY public.plugin_instances
    ADD CONSTRAINT plugin_instances_package_slug_instance_key_key UNIQUE (package_slug, instance_key);
ALTER TABLE ONLY public.plugin_instances
    ADD CONSTRAINT plugin_instances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.plugin_packages
    ADD CONSTRAINT plugin_packages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.plugin_packages
    ADD CONSTRAINT plugin_packages_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.plugin_previous_versions
    ADD CONSTRAINT plugin_previous_versions_pkey PRIMARY KEY (package_slug);
ALTER TABLE ONLY public.plugin_remains
    ADD CONSTRAINT plugin_remains_pkey PRIMARY KEY (package_id);
ALTER TABLE ONLY public.plugin_secrets
    ADD CONSTRAINT plugin_secrets_pkey PRIMARY KEY (package_slug);
ALTER TABLE ONLY public.plugin_storage
    ADD CONSTRAINT plugin_storage_pkey PRIMARY KEY (installation_id, key);
ALTER TABLE ONLY public.plugin_storage_use
    ADD CONSTRAINT plugin_storage_use_pkey PRIMARY KEY (installation_id);
ALTER TABLE ONLY public.product_counts
    ADD CONSTRAINT product_counts_pkey PRIMARY KEY (published, category);
ALTER TABLE ONLY public.product_packages
    ADD CONSTRAINT product_packages_pkey PRIMARY KEY (kind, slug, version);
ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (order_id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_product_id_user_id_key UNIQUE (product_id, user_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.shop_settings
    ADD CONSTRAINT shop_settings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.theme_targets
    ADD CONSTRAINT theme_targets_pkey PRIMARY KEY (target);
ALTER TABLE ONLY public.theme_versions
    ADD CONSTRAINT theme_versions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.theme_versions
    ADD CONSTRAINT theme_versions_target_slug_version_key UNIQUE (target, slug, version);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key_key UNIQUE (email_key);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_username_key_key UNIQUE (username_key);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor_id, at_ms);
CREATE INDEX audit_log_at ON public.audit_log USING btree (at_ms, seq);
CREATE INDEX audit_log_target ON public.audit_log USING btree (target_id, at_ms);
CREATE INDEX bundle_items_package ON public.bundle_items USING btree (package_id, kind);
CREATE INDEX bundles_zip_hash ON public.bundles USING btree (zip_hash);
CREATE INDEX deliveries_age ON public.deliveries USING btree (finished_at_ms) WHERE (finished_at_ms IS NOT NULL);
CREATE INDEX deliveries_dead ON public.deliveries USING btree (lane, owner, target, created_at_ms, state) WHERE (state = 'dead'::text);
CREATE INDEX deliveries_due ON public.deliveries USING btree (queue, due_ms) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_event ON public.deliveries USING btree (event_id, target) WHERE (event_id <> ''::text);
CREATE INDEX deliveries_keeps ON public.deliveries USING btree (keeps) WHERE ((state = 'waiting'::text) AND (keeps <> ''::text));
CREATE INDEX deliveries_listed ON public.deliveries USING btree (lane, state, seq);
CREATE INDEX deliveries_owner ON public.deliveries USING btree (owner, seq);
CREATE INDEX deliveries_target ON public.deliveries USING btree (target, seq);
CREATE INDEX deliveries_tried ON public.deliveries USING btree (lane, owner, created_at_ms) WHERE ((state = 'waiting'::text) AND (attempts > 0));
CREATE INDEX deliveries_trouble ON public.deliveries USING btree (target, seq) WHERE ((kind = 'hook'::text) AND (state <> 'delivered'::text));
CREATE INDEX deliveries_waiting ON public.deliveries USING btree (queue, seq) WHERE (state = 'waiting'::text);
CREATE INDEX delivery_queues_due ON public.delivery_queues USING btree (lane, due_ms) WHERE (due_ms IS NOT NULL);
CREATE INDEX events_age ON public.events USING btree (occurred_at_ms);
CREATE INDEX events_fresh ON public.events USING btree (seq) WHERE (NOT spread);
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at_ms);
CREATE INDEX license_instances_activated ON public.license_instances USING btree (activated_at_ms, development) WHERE (NOT development);
CREATE INDEX license_instances_staging ON public.license_instances USING btree (license_id, staging_of) WHERE (staging_of <> ''::text);
CREATE INDEX licenses_created ON public.licenses USING btree (created_at_ms DESC, id);
CREATE INDEX licenses_key_tail ON public.licenses USING btree (key_tail);
CREATE INDEX licenses_product ON public.licenses USING btree (product_id, created_at_ms DESC, id);
CREATE INDEX licenses_user ON public.licenses USING btree (user_id, created_at_ms DESC, id);
CREATE INDEX mail_allowances_until ON public.mail_allowances USING btree (until_ms);
CREATE INDEX order_claims_age ON public.order_claims USING btree (created_at_ms);
CREATE INDEX order_claims_user ON public.order_claims USING btree (user_id);
CREATE INDEX order_links_age ON public.order_links USING btree (created_at_ms);
CREATE INDEX order_links_email ON public.order_links USING btree (email_key);
CREATE INDEX orders_billing_email ON public.orders USING btree (billing_email_key) WHERE (billing_email_key IS NOT NULL);
CREATE INDEX orders_created ON public.orders USING btree (created_at_ms DESC, id);
CREATE INDEX orders_end_due ON public.orders USING btree (id) WHERE ((payment_subscription <> ''::text) AND (subscription_ended_at_ms IS NULL) AND ((cancelled_at_ms IS NOT NULL) OR (refunded_at_ms IS NOT NULL)));
CREATE INDEX orders_paid ON public.orders USING btree (paid_at_ms, currency, amount_minor, cancelled_at_ms) WHERE (cancelled_at_ms IS NULL);
CREATE INDEX orders_payment ON public.orders USING btree (payment_id) WHERE (payment_id <> ''::text);
CREATE INDEX orders_product ON public.orders USING btree (product_id, created_at_ms DESC, id);
CREATE INDEX orders_refund_due ON public.orders USING btree (id) WHERE ((cancelled_at_ms IS NOT NULL) AND (paid_at_ms IS NOT NULL) AND (refunded_at_ms IS NULL));
CREATE INDEX orders_status ON public.orders USING btree (status, created_at_ms DESC, id);
CREATE INDEX orders_subscription ON public.orders USING btree (payment_subscription) WHERE (payment_subscription <> ''::text);
CREATE INDEX orders_unclaimed ON public.orders USING btree (billing_email_key) WHERE (user_id = 'anonymous'::text);
CREATE INDEX orders_user ON public.orders USING btree (user_id, created_at_ms DESC, id);
CREATE INDEX password_resets_age ON public.password_resets USING btree (created_at_ms);
CREATE INDEX password_resets_user ON public.password_resets USING btree (user_id, created_at_ms);
CREATE INDEX plugin_failures_at ON public.plugin_failures USING btree (failed_at_ms);
CREATE INDEX plugin_instances_listed ON public.plugin_instances USING btree (package_slug, created_at_ms, instance_key) WHERE (deleted_at_ms IS NULL);
CREATE INDEX plugin_packages_zip_hash ON public.plugin_packages USING btree (zip_hash);
CREATE INDEX plugin_storage_expired ON public.plugin_storage USING btree (installation_id, expires_at_ms) WHERE (expires_at_ms IS NOT NULL);
CREATE INDEX plugin_storage_expiry ON public.plugin_storage USING btree (expires_at_ms, installation_id) WHERE (expires_at_ms IS NOT NULL);
CREATE INDEX product_packages_product ON public.product_packages USING btree (product_id);
CREATE INDEX products_category ON public.products USING btree (published, category, featured DESC, "position", download_count DESC, id);
CREATE INDEX products_downloads ON public.products USING btree (published, download_count DESC, id);
CREATE INDEX products_featured ON public.products USING btree (published, featured DESC, "position", download_count DESC, id);
CREATE INDEX products_name ON public.products USING btree (published, name_sort, id);
CREATE INDEX products_newest ON public.products USING btree (published, created_at_ms DESC, id);
CREATE INDEX products_price ON public.products USING btree (published, price_rank, id);
CREATE INDEX products_rating ON public.products USING btree (published, rating DESC, review_count DESC, id);
CREATE INDEX products_trending ON public.products USING btree (published, trending, featured DESC, "position", download_count DESC, id);
CREATE INDEX receipts_due ON public.receipts USING btree (due_ms) WHERE (due_ms IS NOT NULL);
CREATE INDEX receipts_failed ON public.receipts USING btree (finished_at_ms) WHERE (state = 'failed'::text);
CREATE INDEX receipts_tried ON public.receipts USING btree (created_at_ms) WHERE ((state = 'waiting'::text) AND (attempts > 0));
CREATE INDEX reviews_newest ON public.reviews USING btree (created_at_ms DESC, id);
CREATE INDEX reviews_product ON public.reviews USING btree (product_id, hidden, created_at_ms DESC, id);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id, expires_at_ms);
CREATE UNIQUE INDEX signing_keys_one ON public.signing_keys USING btree (purpose, stage) WHERE (stage = ANY (ARRAY['next'::text, 'current'::text]));
CREATE INDEX theme_versions_zip_hash ON public.theme_versions USING btree (zip_hash);
CREATE INDEX users_admin ON public.users USING btree (id) WHERE (role = 'ADMIN'::text);
CREATE INDEX users_created ON public.users USING btree (created_at_ms, id);
CREATE TRIGGER audit_log_no_change BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.audit_log_refuse();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_refuse();
CREATE CONSTRAINT TRIGGER plugin_instances_changed AFTER INSERT OR DELETE OR UPDATE ON public.plugin_instances DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.raise_plugin_generation();
CREATE CONSTRAINT TRIGGER plugin_packages_changed AFTER INSERT OR DELETE OR UPDATE ON public.plugin_packages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.raise_plugin_generation();
CREATE CONSTRAINT TRIGGER plugin_secrets_changed AFTER INSERT OR DELETE OR UPDATE ON public.plugin_secrets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.raise_plugin_generation();
CREATE TRIGGER products_count_change AFTER INSERT OR DELETE ON public.products FOR EACH ROW EXECUTE FUNCTION public.products_count();
CREATE TRIGGER products_count_update AFTER UPDATE OF published, category ON public.products FOR EACH ROW WHEN (((old.published <> new.published) OR (old.category <> new.category))) EXECUTE FUNCTION public.products_count();
ALTER TABLE ONLY public.bundle_items
    ADD CONSTRAINT bundle_items_bundle_slug_fkey FOREIGN KEY (bundle_slug) REFERENCES public.bundles(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.deliveries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.license_instances
    ADD CONSTRAINT license_instances_license_id_fkey FOREIGN KEY (license_id) REFERENCES public.licenses(id);
ALTER TABLE ONLY public.license_renewals
    ADD CONSTRAINT license_renewals_license_id_fkey FOREIGN KEY (license_id) REFERENCES public.licenses(id);
ALTER TABLE ONLY public.licenses
    ADD CONSTRAINT licenses_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_license_id_fkey FOREIGN KEY (license_id) REFERENCES public.licenses(id);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.payment_events
    ADD CONSTRAINT payment_events_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.orders(id);
ALTER TABLE ONLY public.plugin_event_use
    ADD CONSTRAINT plugin_event_use_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_failures
    ADD CONSTRAINT plugin_failures_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_health
    ADD CONSTRAINT plugin_health_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_instances
    ADD CONSTRAINT plugin_instances_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_previous_versions
    ADD CONSTRAINT plugin_previous_versions_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_secrets
    ADD CONSTRAINT plugin_secrets_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_storage
    ADD CONSTRAINT plugin_storage_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_storage_use
    ADD CONSTRAINT plugin_storage_use_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.product_packages
    ADD CONSTRAINT product_packages_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.orders(id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
