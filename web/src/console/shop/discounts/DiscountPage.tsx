import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, ok, tagged } from "../../../api/client";
import { asProblem, inOwnWords, Problem } from "../../../api/problem";
import { Confirm } from "../../kit/Confirm";
import { CopyText } from "../../kit/CopyText";
import { ErrorPage, isUnread } from "../../kit/ErrorNote";
import { Locked, May } from "../../kit/may";
import { Page, Section, Summary } from "../../kit/Page";
import { Pending } from "../../kit/Pending";
import { reason } from "../../kit/reason";
import { History } from "../../kit/Timeline";
import { tell, tellFailure } from "../../kit/toast";
import { useBase } from "../../kit/useBase";
import { Time } from "../../kit/values";
import { may } from "../../kit/may";
import { t } from "../../text";
import type { Discount } from "../types";
import { DiscountForm, type DiscountBody } from "./DiscountForm";
import { DiscountState, key, usesOf, validity, worth } from "./values";

export const DiscountPage = () => {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const query = useQuery({
    queryKey: [...key, "one", id],
    queryFn: () => tagged(api.GET("/api/v1/admin/discounts/{id}", { params: { path: { id } } })),
  });
  if (isUnread(query)) return <ErrorPage error={query.error} />;
  if (!query.data) return <Pending />;
  return <Shown discount={query.data.value} etag={query.data.etag} />;
};

interface Read {
  discount: Discount;
  etag: string;
}

const useChange = (id: string) => {
  const cache = useQueryClient();
  const again = () => Promise.all([key, ["audit"]].map((queryKey) => cache.invalidateQueries({ queryKey })));
  const change = useMutation({
    mutationFn: ({ body, etag }: { body: DiscountBody; etag?: string }) =>
      ok(
        api.PATCH("/api/v1/admin/discounts/{id}", {
          params: { path: { id }, ...(etag ? { header: { "If-Match": etag } } : {}) },
          body,
        }),
      ),
    onSuccess: again,
  });
  return { change, again };
};

const Shown = ({ discount: d, etag }: Read) => {
  const { change } = useChange(d.id);
  const flip = () =>
    change.mutate(
      { body: { active: !d.active } },
      {
        onSuccess: () => tell(t(d.active ? "shop.discounts.isOff" : "shop.discounts.isOn", { code: d.code })),
        onError: (error) => tellFailure(reason(error)),
      },
    );
  return (
    <Page
      title={d.code}
      badge={<DiscountState discount={d} />}
      above={[{ title: t("shop.nav.discounts"), to: "/shop/discounts" }]}
      actions={
        <May needs="discounts:write">
          <Button onClick={flip} loading={change.isPending}>
            {t(d.active ? "shop.discounts.off2" : "shop.discounts.on")}
          </Button>
        </May>
      }>
      <Summary
        facts={[
          [t("shop.discounts.off"), worth(d)],
          [t("shop.discounts.uses"), usesOf(d)],
          [t("shop.discounts.validity"), validity(d)],
          [t("shop.discounts.made"), <Time key="made" at={d.createdAt} />],
          ...links(d),
        ]}
      />
      <Edit discount={d} etag={etag} />
      {may("audit:read") && (
        <Section title={t("timeline.title")}>
          <History targets={[`discount:${d.id}`]} moments={[]} />
        </Section>
      )}
      <May needs="discounts:write">
        <Remove discount={d} />
      </May>
    </Page>
  );
};

// links has the address of a checkout that carries the code, where the code is for one plan.
const links = ({ code, products = [], tiers = [] }: Discount): [string, React.ReactNode][] => {
  const [slug] = products;
  const [tier] = tiers;
  if (!slug || !tier || products.length > 1 || tiers.length > 1) return [];
  const link = `${location.origin}/checkout/${slug}/${encodeURIComponent(tier)}?code=${code}`;
  return [[t("shop.discounts.link"), <CopyText key="link" value={link} what={t("shop.discounts.link")} />]];
};

const Edit = (latest: Read) => {
  const { base, setTyped, settle } = useBase(latest);
  const { change, again } = useChange(base.discount.id);
  const stale = change.isError && asProblem(change.error).status === 412;
  const reread = () => void again().then(settle);
  return (
    <Section title={t("shop.discounts.one")}>
      <Locked needs="discounts:write">
        <DiscountForm
          key={base.etag}
          discount={base.discount}
          action={t("shop.discounts.save")}
          pending={change.isPending}
          error={change.error}
          {...(stale ? { retry: reread } : {})}
          onTyped={setTyped}
          onSave={(body) =>
            change.mutate(
              { body, etag: base.etag },
              {
                onSuccess: () => {
                  tell(t("shop.discounts.saved"));
                  settle();
                },
              },
            )
          }
        />
      </Locked>
    </Section>
  );
};

// Cancelled orders used a code as well, and `uses` does not count them: only the refusal tells.
const inWords = (error: unknown): never => {
  const { status, requestId, details } = asProblem(error);
  throw status === 409 ? new Problem(status, inOwnWords, t("shop.discounts.fixed"), requestId, details) : error;
};

const Remove = ({ discount: d }: { discount: Discount }) => {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const remove = async () => {
    await ok(api.DELETE("/api/v1/admin/discounts/{id}", { params: { path: { id: d.id } } })).catch(inWords);
    await cache.invalidateQueries({ queryKey: key, refetchType: "none" });
    await navigate({ to: "/shop/discounts" });
  };
  return (
    <Section title={t("shop.discounts.remove")}>
      {d.uses > 0 ? (
        <p className="soft flat">{t("shop.discounts.fixed")}</p>
      ) : (
        <div className="row">
          <Button data-danger onClick={() => setAsking(true)}>
            {t("shop.discounts.remove")}
          </Button>
        </div>
      )}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("shop.discounts.removeTitle", { code: d.code })}
        effects={[t("shop.discounts.removeEffect")]}
        action={t("shop.discounts.removeOf", { code: d.code })}
        done={t("shop.discounts.removed")}
        run={remove}
      />
    </Section>
  );
};
