// What the pages about API keys share.
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { isOver } from "../../text/scopes";
import { State, Time } from "../kit/values";
import { t } from "../text";

export type Key = Schemas["ListedApiKey"];
export type Made = Schemas["ApiKeyMade"];
export type Account = Schemas["ServiceAccount"];

const key = "api-keys";

export const above = [{ title: t("settings.apiKeys.title"), to: "/settings/api-keys" }];

export const addressOf = (id: string) => `/settings/api-keys/${id}`;
export const accountAddress = (id: string) => `/settings/api-keys/services/${id}`;

export const accountsQuery = queryOptions({
  queryKey: [key, "accounts"],
  queryFn: async () => (await data(api.GET("/api/v1/admin/service-accounts"))).items,
});

export const keysQuery = (kind: string | undefined, page: number) =>
  queryOptions({
    queryKey: [key, "all", { kind, page }],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/api-keys", {
          params: { query: { page, ...(kind ? { kind: kind as Key["kind"] } : {}) } },
        }),
      ),
  });

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: [key, "one", id],
    queryFn: () => data(api.GET("/api/v1/admin/api-keys/{id}", { params: { path: { id } } })),
  });

export const accountKeysQuery = (id: string) =>
  queryOptions({
    queryKey: [key, "of", id],
    queryFn: async () =>
      (await data(api.GET("/api/v1/admin/service-accounts/{id}/keys", { params: { path: { id } } }))).items,
  });

export const useRefresh = () => {
  const cache = useQueryClient();
  return () => Promise.all([key, "audit", "overview"].map((name) => cache.invalidateQueries({ queryKey: [name] })));
};

export const Ends = ({ at }: { at: string | null }) => (at === null ? t("settings.apiKeys.never") : <Time at={at} />);

export const KeyState = ({ of }: { of: { expiresAt: string | null; beyondCreator?: boolean } }) =>
  isOver(of.expiresAt) ? (
    <State tone="none">{t("settings.apiKeys.ended")}</State>
  ) : of.beyondCreator ? (
    <State tone="warn">{t("settings.apiKeys.beyond")}</State>
  ) : (
    <State tone="good">{t("settings.apiKeys.live")}</State>
  );

export const Used = ({ of }: { of: Schemas["ApiKey"] }) =>
  of.lastUsedAt === null ? (
    <span className="soft">{t("settings.apiKeys.unused")}</span>
  ) : (
    <>
      <Time at={of.lastUsedAt} />
      {of.lastAddress && <span className="soft"> {t("settings.apiKeys.usedFrom", { address: of.lastAddress })}</span>}
    </>
  );
