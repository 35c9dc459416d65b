// An API key: whose it is, what it may do, and when it was last used.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, data, ok } from "../../api/client";
import { asProblem } from "../../api/problem";
import { isOver } from "../../text/scopes";
import { Confirm } from "../kit/Confirm";
import { ErrorPage } from "../kit/ErrorNote";
import { holdsAll } from "../kit/may";
import { Missing } from "../kit/Missing";
import { Page, Section, Summary } from "../kit/Page";
import { PageLink } from "../kit/pages";
import { Pending } from "../kit/Pending";
import { History } from "../kit/Timeline";
import { Time } from "../kit/values";
import { RightsList } from "../people/Rights";
import { t } from "../text";
import { above, accountAddress, Ends, keyQuery, KeyState, Used, useRefresh, type Key, type Made } from "./apiKeys";
import { ShownKey } from "./ShownKey";

export const ApiKeyPage = () => {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const query = useQuery(keyQuery(id));
  if (query.isError) return asProblem(query.error).status === 404 ? <Missing /> : <ErrorPage error={query.error} />;
  return query.data ? <Found of={query.data} /> : <Pending />;
};

const Found = ({ of }: { of: Key }) => {
  const [made, setMade] = useState<Made | null>(null);
  const self = (["read", "write"] as const).filter((one) => of.scopes.includes(`self:${one}`));
  const rights = of.scopes.filter((name) => !name.startsWith("self:"));
  const service = of.kind === "service";
  return (
    <Page
      title={of.name}
      above={above}
      badge={<KeyState of={of} />}
      actions={
        <>
          {service && !isOver(of.expiresAt) && holdsAll(rights) && <Rotate of={of} onMade={setMade} />}
          <Revoke of={of} />
        </>
      }>
      {made && <ShownKey made={made} onDone={() => setMade(null)} />}
      {of.beyondCreator && (
        <p className="note flat" data-tone="warn">
          {t("settings.apiKeys.beyondHow")}
        </p>
      )}
      <Summary
        facts={[
          [
            t(service ? "settings.apiKeys.service" : "settings.apiKeys.personal"),
            <PageLink key="h" to={service ? accountAddress(of.holder.id) : `/people/${of.holder.id}`}>
              {of.holder.name}
            </PageLink>,
          ],
          [t("settings.apiKeys.made"), <Time key="m" at={of.createdAt} />],
          [t("settings.apiKeys.used"), <Used key="u" of={of} />],
          [t("settings.apiKeys.ends"), <Ends key="e" at={of.expiresAt} />],
        ]}
      />
      <Section title={t("settings.apiKeys.scopes")}>
        {self.length > 0 && (
          <ul className="change-list">
            {self.map((one) => (
              <li key={one}>{t(`settings.apiKeys.${one}`)}</li>
            ))}
          </ul>
        )}
        {rights.length > 0 && <RightsList names={rights} />}
      </Section>
      <Section title={t("timeline.title")}>
        <History targets={[`apikey:${of.id}`]} />
      </Section>
    </Page>
  );
};

const Revoke = ({ of }: { of: Key }) => {
  const [asked, setAsked] = useState(false);
  const refresh = useRefresh();
  const navigate = useNavigate();
  const run = async () => {
    await ok(api.DELETE("/api/v1/admin/api-keys/{id}", { params: { path: { id: of.id } } }));
    await navigate({ to: of.kind === "service" ? accountAddress(of.holder.id) : "/settings/api-keys" });
    void refresh();
  };
  return (
    <>
      <Button data-danger onClick={() => setAsked(true)}>
        {t("settings.apiKeys.revoke")}
      </Button>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t("settings.apiKeys.revokeTitle", { name: of.name })}
        effects={[t("settings.apiKeys.revokeEffect")]}
        action={t("settings.apiKeys.revoke")}
        run={run}
        done={t("settings.apiKeys.revoked", { name: of.name })}
      />
    </>
  );
};

const Rotate = ({ of, onMade }: { of: Key; onMade: (made: Made) => void }) => {
  const [asked, setAsked] = useState(false);
  const refresh = useRefresh();
  const run = async () => {
    const path = { id: of.holder.id, keyId: of.id };
    onMade(await data(api.POST("/api/v1/admin/service-accounts/{id}/keys/{keyId}/rotate", { params: { path } })));
    void refresh();
  };
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t("settings.apiKeys.rotate")}</Button>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        danger={false}
        title={t("settings.apiKeys.rotateTitle", { name: of.name })}
        effects={[
          t("settings.apiKeys.rotateEffect"),
          ...(of.expiresAt === null ? [] : [t("settings.apiKeys.rotateEnd")]),
          t("settings.apiKeys.rotateCreator"),
        ]}
        action={t("settings.apiKeys.rotate")}
        run={run}
        done=""
      />
    </>
  );
};
