// A license without an order: for press, support, or a sale outside of the shop.
import { Button, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { api, data, type Schemas } from "../../../api/client";
import { CopyText } from "../../kit/CopyText";
import { useFaults } from "../../kit/useFaults";
import { ErrorNote } from "../../kit/ErrorNote";
import { NumberField } from "../../kit/NumberField";
import { sent, type Typed } from "../../../text/number";
import { Page } from "../../kit/Page";
import { t } from "../../text";
import { useProductChoices } from "../filters";

type Granted = Schemas["GrantedLicense"];

export const GrantPage = () => {
  const [granted, setGranted] = useState<Granted | null>(null);
  return (
    <Page title={t("shop.licenses.grant.title")} above={[{ title: t("shop.nav.licenses"), to: "/shop/licenses" }]}>
      {granted ? <Done license={granted} again={() => setGranted(null)} /> : <GrantForm onDone={setGranted} />}
    </Page>
  );
};

const GrantForm = ({ onDone }: { onDone: (license: Granted) => void }) => {
  const cache = useQueryClient();
  const [product, setProduct] = useState<string | null>(null);
  const [tier, setTier] = useState<string | null>(null);
  const [user, setUser] = useState<string | null>(null);
  const [seats, setSeats] = useState<Typed>("");
  const grant = useMutation({
    mutationFn: () =>
      data(
        api.POST("/api/v1/admin/licenses", {
          body: {
            productSlug: product ?? "",
            tierId: tier ?? "",
            ...(user ? { userId: user } : {}),
            ...(seats === "" ? {} : { maxInstances: sent(seats) }),
          },
        }),
      ),
    onSuccess: (license) => {
      onDone(license);
      void cache.invalidateQueries({ queryKey: ["licenses"] });
    },
  });
  const { at } = useFaults(grant.error, { productSlug: product, tierId: tier, userId: user, maxInstances: seats });
  const fault = (name: string) => {
    const error = at(name);
    return error ? { error } : {};
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    grant.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      <p className="soft flat">{t("shop.licenses.grant.how")}</p>
      <ProductChoice
        value={product}
        onChange={(value) => {
          setProduct(value);
          setTier(null);
        }}
        {...fault("productSlug")}
      />
      <TierChoice product={product} value={tier} onChange={setTier} {...fault("tierId")} />
      <UserChoice value={user} onChange={setUser} {...fault("userId")} />
      <NumberField
        label={t("shop.licenses.terms.seats")}
        description={t("shop.licenses.grant.seatsHow")}
        value={seats}
        onChange={setSeats}
        {...fault("maxInstances")}
      />
      {grant.isError && <ErrorNote error={grant.error} />}
      <div>
        <Button type="submit" variant="filled" loading={grant.isPending} disabled={!product || !tier}>
          {t("shop.licenses.grant.action")}
        </Button>
      </div>
    </form>
  );
};

interface ChoiceProps {
  value: string | null;
  onChange: (value: string | null) => void;
  error?: string;
}

const asIs = ({ options }: { options: never[] }) => options;

const ProductChoice = ({ value, ...rest }: ChoiceProps) => {
  const [typed, setTyped] = useState("");
  const choices = useProductChoices(value ? "" : typed, value);
  return (
    <Select
      label={t("shop.product")}
      required
      searchable
      data={choices}
      filter={asIs as never}
      onSearchChange={setTyped}
      value={value}
      {...rest}
    />
  );
};

const TierChoice = ({ product, ...rest }: ChoiceProps & { product: string | null }) => {
  const found = useQuery({
    queryKey: ["products", product],
    queryFn: () => data(api.GET("/api/v1/admin/products/{slug}", { params: { path: { slug: product ?? "" } } })),
    enabled: product !== null,
  });
  const tiers = (found.data?.pricingTiers ?? []).map((tier) => ({ value: tier.id, label: tier.name }));
  return <Select label={t("shop.tier")} required disabled={product === null} data={tiers} {...rest} />;
};

const UserChoice = (props: ChoiceProps) => {
  const [typed, setTyped] = useState("");
  const [q] = useDebouncedValue(typed, 200);
  const found = useQuery({
    queryKey: ["users", "choices", q],
    queryFn: () => data(api.GET("/api/v1/admin/users", { params: { query: { q, limit: 10 } } })),
    enabled: q.length > 1,
  });
  const users = (found.data?.items ?? []).map((user) => ({ value: user.id, label: user.email }));
  return (
    <Select
      label={t("shop.customer")}
      description={t("shop.licenses.grant.customerHow")}
      searchable
      clearable
      data={users}
      filter={asIs as never}
      onSearchChange={setTyped}
      {...(typed.length > 1 && !found.isFetching ? { nothingFoundMessage: t("list.none") } : {})}
      {...props}
    />
  );
};

const Done = ({ license, again }: { license: Granted; again: () => void }) => (
  <div className="note" data-tone="good" role="status">
    <h2>{t("shop.licenses.grant.done")}</h2>
    <p>{t("shop.licenses.grant.key")}</p>
    <p>
      <CopyText value={license.licenseKey} what={t("shop.licenses.key")} />
    </p>
    <div className="row">
      <Link to="/shop/licenses/$id" params={{ id: license.id }}>
        {t("shop.licenses.open")}
      </Link>
      <Button onClick={again}>{t("shop.licenses.grant.another")}</Button>
    </div>
  </div>
);
