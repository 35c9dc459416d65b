// A service account and its keys.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, ok } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { Empty } from "../kit/Empty";
import { ErrorPage, isUnread } from "../kit/ErrorNote";
import { Missing } from "../kit/Missing";
import { Page, Section } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { History } from "../kit/Timeline";
import { t } from "../text";
import {
  above,
  accountAddress,
  accountKeysQuery,
  accountsQuery,
  addressOf,
  Ends,
  KeyState,
  Used,
  useRefresh,
  type Account,
} from "./apiKeys";

export const ServiceAccountPage = () => {
  const { account: id = "" } = useParams({ strict: false }) as { account?: string };
  const accounts = useQuery(accountsQuery);
  if (isUnread(accounts)) return <ErrorPage error={accounts.error} />;
  if (!accounts.data) return <Pending />;
  const found = accounts.data.find((one) => one.id === id);
  return found ? <Found account={found} /> : <Missing />;
};

const Found = ({ account }: { account: Account }) => {
  const keys = useQuery(accountKeysQuery(account.id));
  if (isUnread(keys)) return <ErrorPage error={keys.error} />;
  const create = (
    <Button variant="filled" component={Link} {...({ to: `${accountAddress(account.id)}/new` } as object)}>
      {t("settings.apiKeys.new")}
    </Button>
  );
  const items = keys.data ?? [];
  return (
    <Page
      title={account.name}
      above={above}
      actions={
        <>
          <Delete account={account} />
          {create}
        </>
      }>
      <p className="soft prose flat">{t("settings.apiKeys.accountAbout")}</p>
      {!keys.data && <Pending rows={3} />}
      {keys.data && items.length === 0 && (
        <Empty title={t("settings.apiKeys.none")}>{t("settings.apiKeys.servicesAbout")}</Empty>
      )}
      {items.length > 0 && (
        <ul className="rows">
          {items.map((k) => (
            <li key={k.id}>
              <Link to={addressOf(k.id)}>{k.name}</Link>
              <KeyState of={k} />
              <span className="soft">
                {t("settings.apiKeys.used")}: <Used of={k} />
              </span>
              <span className="soft">
                {t("settings.apiKeys.ends")}: <Ends at={k.expiresAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Section title={t("timeline.title")}>
        <History targets={[`service_account:${account.id}`]} />
      </Section>
    </Page>
  );
};

const Delete = ({ account }: { account: Account }) => {
  const [asked, setAsked] = useState(false);
  const refresh = useRefresh();
  const navigate = useNavigate();
  const run = async () => {
    await ok(api.DELETE("/api/v1/admin/service-accounts/{id}", { params: { path: { id: account.id } } }));
    await navigate({ to: "/settings/api-keys" });
    void refresh();
  };
  return (
    <>
      <Button data-danger onClick={() => setAsked(true)}>
        {t("settings.apiKeys.delete")}
      </Button>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t("settings.apiKeys.deleteTitle", { name: account.name })}
        effects={[t.count("settings.apiKeys.deleteEffect", account.keys)]}
        action={t("settings.apiKeys.delete")}
        run={run}
        done={t("settings.apiKeys.deleted", { name: account.name })}
      />
    </>
  );
};
