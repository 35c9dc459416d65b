// A plugin's own page for administrators, in a frame that is a stranger to the console:
// it has an origin of its own and no token. What it asks for, the console asks for it.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { inOwnWords, Problem } from "../../api/problem";
import "../extensions/extensions.css";
import { readManifest } from "../extensions/manifest";
import { Empty } from "../kit/Empty";
import { ErrorNote, ErrorPage, isUnread } from "../kit/ErrorNote";
import { Page } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { may } from "../kit/may";
import { NoPermission } from "../kit/NoPermission";
import { t } from "../text";
import { useInstance, usePlugin } from "./data";
import { relay } from "./relay";

export const AdminPage = () => {
  const { slug, installationId } = useParams({ strict: false }) as { slug: string; installationId: string };
  const plugin = usePlugin(slug);
  const instance = useInstance(slug, installationId);
  const needed = `extensions:use:${slug}` as const;
  if (!may(needed)) return <NoPermission needed={needed} home={undefined} />;
  if (isUnread(plugin)) return <ErrorPage error={plugin.error} />;
  if (isUnread(instance)) return <ErrorPage error={instance.error} />;
  if (!plugin.data || !instance.data) return <Pending />;
  const { adminUi, adminLabel } = readManifest(plugin.data.manifestJson);
  const { instanceKey, enabled } = instance.data.value;
  const { name } = plugin.data;
  const title = adminLabel ?? t("plugins.adminUi.title", { name });
  const above = [
    { title: t("plugins.title"), to: "/plugins" },
    { title: name, to: `/plugins/${slug}` },
    { title: instanceKey, to: `/plugins/${slug}/${installationId}` },
  ];
  return (
    <Page title={title} above={above}>
      {adminUi === "" ? (
        <Empty title={t("plugins.adminUi.none")} />
      ) : !enabled ? (
        <Empty title={t("plugins.adminUi.disabled")}>{t("plugins.adminUi.disabledHow")}</Empty>
      ) : (
        <Frame slug={slug} installationId={installationId} path={adminUi} title={title} />
      )}
    </Page>
  );
};

interface FrameProps {
  slug: string;
  installationId: string;
  path: string;
  title: string;
}

const Frame = ({ slug, installationId, path, title }: FrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(false);
  const page = useQuery({
    queryKey: ["plugins", slug, "adminUi", installationId, path],
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    queryFn: async () => {
      const answer = await relay(slug, installationId, path, { url: path, method: "GET", headers: [], body: null });
      if (answer.status !== 200)
        throw new Problem(answer.status, inOwnWords, t("plugins.adminUi.answers", { status: answer.status }), "");
      return new TextDecoder().decode(answer.body);
    },
  });
  useEffect(() => {
    const el = frame.current;
    if (!el) return;
    const onMessage = (e: MessageEvent) => {
      // The frame's origin is opaque, so its window is what tells it from others.
      if (e.source !== el.contentWindow) return;
      const message = e.data as { stoa?: string; id?: number } & Parameters<typeof relay>[3];
      const answer = (value: object, transfer: Transferable[] = []) =>
        el.contentWindow?.postMessage(value, { targetOrigin: "*", transfer });
      if (message.stoa === "ready") setReady(true);
      if (message.stoa !== "fetch" || typeof message.id !== "number") return;
      const { id } = message;
      relay(slug, installationId, path, message).then(
        (found) => answer({ stoa: "answer", id, ...found }, [found.body]),
        (error: unknown) => answer({ stoa: "answer", id, error: error instanceof Error ? error.message : "failed" }),
      );
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, [slug, installationId, path]);
  useEffect(() => {
    if (ready && page.data !== undefined)
      frame.current?.contentWindow?.postMessage({ stoa: "page", html: page.data, path }, "*");
  }, [ready, page.data, path]);
  return (
    <>
      {page.isError && <ErrorNote error={page.error} retry={() => void page.refetch()} />}
      {!page.isError && (
        <p className="soft small" style={{ margin: 0 }}>
          {t("plugins.adminUi.about")}
        </p>
      )}
      <iframe
        hidden={page.isError}
        ref={frame}
        className="frame"
        title={title}
        src="/console/plugin-frame"
        sandbox="allow-scripts allow-forms allow-modals allow-downloads"
      />
    </>
  );
};
