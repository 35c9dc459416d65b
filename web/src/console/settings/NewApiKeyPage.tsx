// A new key of a service account. What its maker lacks it cannot have.
import { Button, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { api, data } from "../../api/client";
import { useSession } from "../../api/useSession";
import { endsIn, mayBeScope, terms, usualTerm } from "../../text/scopes";
import { ErrorNote, ErrorPage, isUnread } from "../kit/ErrorNote";
import { accountQuery } from "../kit/may";
import { Missing } from "../kit/Missing";
import { Page } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { useFaults } from "../kit/useFaults";
import { Rights } from "../people/Rights";
import { t } from "../text";
import { above, accountAddress, accountsQuery, useRefresh, type Account } from "./apiKeys";
import { ShownKey } from "./ShownKey";

export const NewApiKeyPage = () => {
  const { account: id = "" } = useParams({ strict: false }) as { account?: string };
  const accounts = useQuery(accountsQuery);
  if (isUnread(accounts)) return <ErrorPage error={accounts.error} />;
  if (!accounts.data) return <Pending />;
  const found = accounts.data.find((one) => one.id === id);
  if (!found) return <Missing />;
  return (
    <Page title={t("settings.apiKeys.new")} above={[...above, { title: found.name, to: accountAddress(id) }]}>
      <Form account={found} />
    </Page>
  );
};

const forever = "never";

const Form = ({ account }: { account: Account }) => {
  const [name, setName] = useState("");
  const [term, setTerm] = useState(String(usualTerm));
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set());
  const own = useQuery(accountQuery);
  const admin = useSession()?.user.role === "ADMIN";
  const refresh = useRefresh();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () =>
      data(
        api.POST("/api/v1/admin/service-accounts/{id}/keys", {
          params: { path: { id: account.id } },
          body: { name: name.trim(), scopes: [...scopes], expiresAt: term === forever ? null : endsIn(Number(term)) },
        }),
      ),
    onSuccess: () => void refresh(),
  });
  const { issues, at } = useFaults(create.error, { name, scopes: [...scopes] });
  if (create.data) {
    const back = () => void navigate({ to: accountAddress(account.id), replace: true });
    return <ShownKey made={create.data} onDone={back} />;
  }
  const submit = (e: FormEvent) => {
    e.preventDefault();
    create.mutate();
  };
  const ready = name.trim() !== "" && scopes.size > 0;
  return (
    <form className="section" onSubmit={submit} noValidate>
      <div className="form">
        <TextInput
          label={t("settings.apiKeys.name")}
          description={t("settings.apiKeys.nameHow")}
          value={name}
          maxLength={64}
          autoComplete="off"
          error={at("name")}
          onChange={(e) => setName(e.currentTarget.value)}
        />
        <Select
          label={t("settings.apiKeys.term")}
          allowDeselect={false}
          value={term}
          data={[
            ...terms.map((days) => ({ value: String(days), label: t.count("settings.apiKeys.days", days) })),
            ...(admin ? [{ value: forever, label: t("settings.apiKeys.forever") }] : []),
          ]}
          onChange={(value) => setTerm(value ?? String(usualTerm))}
        />
      </div>
      {own.data ? (
        <Rights all={own.data.permissions.filter(mayBeScope)} chosen={scopes} onChange={setScopes} />
      ) : (
        <Pending rows={6} />
      )}
      {create.isError && issues.length === 0 && <ErrorNote error={create.error} />}
      <div className="row">
        <Button type="submit" variant="filled" loading={create.isPending} disabled={!ready}>
          {t("settings.apiKeys.create")}
        </Button>
        {scopes.size === 0 && <span className="soft">{t("settings.apiKeys.noScopes")}</span>}
      </div>
    </form>
  );
};
