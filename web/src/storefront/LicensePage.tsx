import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ok } from "../api/client";
import { Problem } from "../api/problem";
import { useLicense, type License } from "./data";
import { later } from "./later";
import { BuyTrial, Seats, stateOf, termOf } from "./LicensesPage";
import type { PlanProps } from "./Plan";
import { NextPlan, Ways } from "./PlanNext";
import type { RenewalProps } from "./Renewal";
import { ReviewForm } from "./ReviewForm";
import { subscribed, Subscription, useOrderOf } from "./Subscription";
import { own } from "./ownText";
import { t } from "./boughtText";
import { Badge, Button, Copy, Day, Gone, Failure, Head, Pager, Told, useHeading, Waiting } from "./ui";

// Few change a plan or renew: what that takes is loaded for them.
const ChangePlan = later<PlanProps>(() => import("./Plan"), "ChangePlan");
const Renewal = later<RenewalProps>(() => import("./Renewal"), "Renewal");

const asked = (name: string) => new URLSearchParams(location.search).has(name);

export const LicensePage = ({ id }: { id: string }) => {
  const license = useLicense(id);
  const order = useOrderOf(license.data);
  const [told, setTold] = useState("");
  if (license.isPending || order.isLoading) return <Waiting like="page" />;
  if (license.isError) return <Failure error={license.error} retry={() => void license.refetch()} />;
  if (!license.data)
    return (
      <Gone title={own("license.gone")} how={own("license.goneHow")}>
        <a className="button" href="/licenses">
          {t("licenses.title")}
        </a>
      </Gone>
    );
  const one = license.data;
  const state = stateOf(one);
  const subscription = subscribed(order.data);
  if (asked("change")) return <ChangePlan license={one} onDone={setTold} />;
  if (asked("renew")) return <Renewal license={one} order={order.data ?? null} onDone={setTold} />;
  return (
    <>
      <nav className="crumbs">
        <a href="/licenses">{t("licenses.title")}</a>
      </nav>
      <Head title={one.productName} badge={<Badge tone={state.tone}>{state.word}</Badge>} />
      {one.trial && one.status !== "revoked" && (
        <p className="row">
          <BuyTrial license={one} />
          <span className="soft small">{own("license.buyHow")}</span>
        </p>
      )}
      <Copy value={one.licenseKey} what={t("licenses.keyWithin")} primary />
      <dl className="summary">
        <div>
          <dt>{t("checkout.plan")}</dt>
          <dd>
            {one.tierName} <NextPlan license={one} />
          </dd>
        </div>
        <div>
          <dt>{own("license.term")}</dt>
          <dd>{termOf(one)}</dd>
        </div>
        <div>
          <dt>{own("license.seats")}</dt>
          <dd>
            <Seats license={one} />
          </dd>
        </div>
        <div>
          <dt>{own("license.bought")}</dt>
          <dd>
            <Day at={one.createdAt} />
          </dd>
        </div>
        {one.features.length > 0 && (
          <div>
            <dt>{own("license.features")}</dt>
            <dd>{one.features.join(", ")}</dd>
          </div>
        )}
      </dl>
      {!order.isLoading && <Ways license={one} renews={order.data?.renews === true} onDone={setTold} told={told} />}
      {order.isError && <Failure error={order.error} retry={() => void order.refetch()} />}
      {subscription && <Subscription order={subscription} />}
      {one.status === "revoked" ? <p className="note">{own("license.revoked")}</p> : <Activations license={one} />}
      {one.paid && !one.trial && one.status !== "revoked" && <ReviewForm slug={one.productSlug} />}
    </>
  );
};

// useSeats frees seats, and takes that back. The button that was pressed goes away each
// time: done is called then.
const useSeats = (license: License, done: () => void) => {
  const queries = useQueryClient();
  const [freed, setFreed] = useState("");
  const changed = async () => {
    await queries.invalidateQueries({ queryKey: ["licenses"] });
    done();
  };
  const free = useMutation({
    mutationFn: (instanceId: string) =>
      ok(
        api.DELETE("/api/marketplace/licenses/{id}/activations/{instanceId}", {
          params: { path: { id: license.id, instanceId } },
        }),
      ),
    onSuccess: (_, instanceId) => {
      setFreed(instanceId);
      return changed();
    },
  });
  const undo = useMutation({
    mutationFn: (instanceId: string) =>
      ok(
        api.POST("/api/marketplace/products/{slug}/activate", {
          params: { path: { slug: license.productSlug } },
          body: { licenseKey: license.licenseKey, instanceId },
        }),
      ),
    onSuccess: () => {
      setFreed("");
      return changed();
    },
  });
  return { free, undo, freed };
};

// download saves the lease of an installation, which works without internet.
const download = async (license: License, instanceId: string): Promise<void> => {
  const answer = await ok(
    api.GET("/api/marketplace/products/{slug}/license/lease", {
      params: { path: { slug: license.productSlug }, query: { licenseKey: license.licenseKey, instanceId } },
    }),
  );
  if (!answer.valid)
    throw new Problem(409, "LEASE_REFUSED", own("license.leaseFailed", { message: stateOf(license).word }), "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([answer.lease], { type: "application/jwt" }));
  link.download = `${license.productSlug}-${instanceId.replace(/[^\w.-]/g, "_")}.lease`;
  link.click();
  URL.revokeObjectURL(link.href);
};

const Activations = ({ license }: { license: License }) => {
  const [page, setPage] = useState(1);
  const { heading, toHeading } = useHeading();
  const { free, undo, freed } = useSeats(license, toHeading);
  const lease = useMutation({ mutationFn: (instanceId: string) => download(license, instanceId) });
  const found = useQuery({
    queryKey: ["licenses", "activations", license.id, page],
    queryFn: () =>
      ok(
        api.GET("/api/marketplace/licenses/{id}/activations", {
          params: { path: { id: license.id }, query: { page, limit: 20 } },
        }),
      ),
    placeholderData: (last) => last,
  });
  const failed = free.error ?? undo.error ?? lease.error;
  return (
    <section aria-labelledby="activations">
      <h2 id="activations" ref={heading} tabIndex={-1}>
        {own("license.activations")}
      </h2>
      <Told>
        {freed && (
          <>
            <span>{own("license.freed", { instance: freed })}</span>
            <Button type="button" className="button slim" busy={undo.isPending} onClick={() => undo.mutate(freed)}>
              {own("license.undo")}
            </Button>
          </>
        )}
      </Told>
      {failed && <Failure error={failed} />}
      {found.isPending ? (
        <Waiting />
      ) : found.isError ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : (
        <>
          {found.data.activations.length === 0 ? (
            <p className="soft">
              {own("license.none")}. {own("license.noneHow", { product: license.productName })}
            </p>
          ) : (
            <ul className="list">
              {found.data.activations.map((one) => (
                <li key={one.instanceId}>
                  <div className="list-text">
                    <h3>
                      <code>{one.instanceId}</code>
                    </h3>
                    <div className="list-facts">
                      <span>
                        {own("license.since")} <Day at={one.activatedAt} />
                      </span>
                      {one.development && <Badge tone="none">{own("license.development")}</Badge>}
                    </div>
                  </div>
                  <div className="actions">
                    <Button
                      type="button"
                      className="button slim"
                      aria-label={own("license.leaseOf", { instance: one.instanceId })}
                      busy={lease.isPending}
                      onClick={() => lease.mutate(one.instanceId)}>
                      {own("license.lease")}
                    </Button>
                    {!one.development && (
                      <Button
                        type="button"
                        className="button slim"
                        aria-label={own("license.freeOf", { instance: one.instanceId })}
                        busy={free.isPending}
                        onClick={() => free.mutate(one.instanceId)}>
                        {own("license.free")}
                      </Button>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          )}
          {found.data.activations.length > 0 && (
            <p className="soft small">
              {own("license.freeHint")} {own("license.leaseHow")}
            </p>
          )}
          <Pager page={page} pages={found.data.pagination.totalPages} onPage={setPage} />
        </>
      )}
    </section>
  );
};
