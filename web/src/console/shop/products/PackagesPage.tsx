import "../shop.css";
import { Button, Progress, Select } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { api, data, type Schemas } from "../../../api/client";
import { upload } from "../../../api/upload";
import { formatBytes } from "../../../text/format";
import { Confirm } from "../../kit/Confirm";
import { CopyText } from "../../kit/CopyText";
import { DataTable, type Column } from "../../kit/DataTable";
import { Empty } from "../../kit/Empty";
import { ErrorNote, ErrorPage, isUnread } from "../../kit/ErrorNote";
import { Page } from "../../kit/Page";
import { Pending } from "../../kit/Pending";
import { tell } from "../../kit/toast";
import { useListSearch } from "../../kit/useListSearch";
import { State, Time } from "../../kit/values";
import { May, may } from "../../kit/may";
import { t } from "../../text";
import { PublishedState } from "../values";
import { ProductTabs, useProduct } from "./ProductPage";

type Version = Schemas["PublishedVersion"];
type Kind = Version["kind"];
const kinds: Kind[] = ["plugin", "theme-shop", "theme-admin", "theme-app-shop", "theme-app-admin", "bundle"];

// PackagesPage has the versions of what a product's buyers install from this market.
export const PackagesPage = () => {
  const { slug = "" } = useParams({ strict: false }) as { slug?: string };
  const product = useProduct(slug);
  const { page } = useListSearch();
  const [withdrawing, setWithdrawing] = useState<Version | null>(null);
  const list = useQuery({
    queryKey: ["products", slug, "packages", page],
    queryFn: () =>
      data(api.GET("/api/v1/admin/products/{slug}/packages", { params: { path: { slug }, query: { page } } })),
    placeholderData: keepPreviousData,
  });
  if (isUnread(product)) return <ErrorPage error={product.error} />;
  if (!product.data) return <Pending />;
  const p = product.data.value;
  const columns: Column<Version>[] = [
    { title: t("shop.packages.version"), cell: (v) => <span className="mono">{v.version}</span> },
    {
      title: t("shop.packages.package"),
      cell: (v) => (
        <>
          {v.slug} <span className="soft">· {t(`shop.packages.kind.${v.kind}`)}</span>
        </>
      ),
    },
    {
      title: t("shop.state"),
      cell: (v) => (
        <State tone={v.withdrawnAt ? "none" : "good"}>
          {t(v.withdrawnAt ? "shop.packages.withdrawn" : "shop.packages.offered")}
        </State>
      ),
    },
    { title: t("shop.packages.signedBy"), cell: (v) => v.signedBy },
    {
      title: t("shop.packages.hash"),
      cell: (v) => <CopyText value={v.zipHash} shown={v.zipHash.slice(0, 12)} what={t("shop.packages.hash")} />,
    },
    { title: t("shop.packages.size"), end: true, cell: (v) => formatBytes(v.size) },
    { title: t("shop.packages.published"), end: true, cell: (v) => <Time at={v.publishedAt} /> },
    {
      title: t("shop.reviews.actions"),
      end: true,
      cell: (v) =>
        !v.withdrawnAt &&
        may("packages:publish") && (
          <Button
            size="xs"
            aria-label={t("shop.packages.withdrawOf", { version: v.version })}
            onClick={() => setWithdrawing(v)}>
            {t("shop.packages.withdraw")}
          </Button>
        ),
    },
  ];
  return (
    <Page
      title={p.name}
      badge={<PublishedState published={p.published} />}
      above={[{ title: t("shop.nav.products"), to: "/shop/products" }]}>
      <ProductTabs slug={slug} />
      <May needs="packages:publish">
        <PackageUpload slug={slug} kind={p.package?.kind} />
      </May>
      <DataTable
        label={t("shop.packages.title")}
        query={list}
        columns={columns}
        keyOf={(v) => v.version}
        stack
        empty={<Empty title={t("shop.packages.none")}>{t("shop.packages.noneHow")}</Empty>}
      />
      {withdrawing && <Withdraw slug={slug} version={withdrawing} onClose={() => setWithdrawing(null)} />}
    </Page>
  );
};

const PackageUpload = ({ slug, kind: known }: { slug: string; kind: Kind | undefined }) => {
  const cache = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [kind, setKind] = useState<Kind>(known ?? "plugin");
  const [share, setShare] = useState<number | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const send = async (file: File) => {
    setFailed(null);
    setShare(0);
    try {
      const sent = await upload<{ version: string }>(
        "PUT",
        `/api/v1/admin/products/${encodeURIComponent(slug)}/package?kind=${kind}`,
        file,
        "application/zip",
        setShare,
      ).done;
      tell(t("shop.packages.done", { version: sent.version }));
      await cache.invalidateQueries({ queryKey: ["products"] });
    } catch (error) {
      setFailed(error);
    } finally {
      setShare(null);
    }
  };
  return (
    <div
      className="drop"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        const file = e.dataTransfer.files[0];
        if (file) void send(file);
      }}>
      <input
        ref={input}
        type="file"
        hidden
        accept=".zip,application/zip"
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          e.currentTarget.value = "";
          if (file) void send(file);
        }}
      />
      <div className="row">
        {!known && (
          <Select
            aria-label={t("shop.packages.kindLabel")}
            w={200}
            data={kinds.map((value) => ({ value, label: t(`shop.packages.kind.${value}`) }))}
            value={kind}
            onChange={(value) => setKind(value as Kind)}
          />
        )}
        <Button disabled={share !== null} onClick={() => input.current?.click()}>
          {t("shop.packages.upload")}
        </Button>
        <span className="soft small">{t("shop.packages.uploadHow")}</span>
      </div>
      <div role="status">
        {share !== null && (
          <>
            <span className="small">{t("shop.packages.sending")}</span>
            <Progress value={share * 100} aria-label={t("shop.packages.sending")} />
          </>
        )}
      </div>
      {failed !== null && <ErrorNote error={failed} title={t("shop.packages.failed")} />}
    </div>
  );
};

const Withdraw = ({ slug, version: { version }, onClose }: { slug: string; version: Version; onClose: () => void }) => {
  const cache = useQueryClient();
  const run = async () => {
    await data(api.DELETE("/api/v1/admin/products/{slug}/packages/{version}", { params: { path: { slug, version } } }));
    void Promise.all(["products", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("shop.packages.withdrawOf", { version })}
      action={t("shop.packages.withdrawOf", { version })}
      effects={[t("shop.packages.effect.none"), t("shop.packages.effect.installed"), t("shop.packages.effect.again")]}
      run={run}
      done={t("shop.packages.gone", { version })}
    />
  );
};
