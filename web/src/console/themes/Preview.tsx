// How a page looks in a pack, before anybody else sees it: a copy of the page with the
// pack's stylesheet and the config as it is being edited, in a frame in which no script runs.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { t } from "../text";
import { isApp, type Theme } from "./data";

const height = 520;

// policy names the one place that writes HTML. The frame has no scripts: its sandbox and
// the console's own policy, which it inherits, both forbid them.
const policy = (
  window as {
    trustedTypes?: {
      createPolicy: (
        name: string,
        rules: { createHTML: (html: string) => string },
      ) => { createHTML: (html: string) => string };
    };
  }
).trustedTypes?.createPolicy("theme-preview", { createHTML: (html) => html }) ?? { createHTML: (html: string) => html };

export const Preview = ({ theme, config }: { theme: Theme; config: Record<string, unknown> }) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const styles = stylesheets(theme);
  const app = isApp(theme.kind);
  const page = useQuery({
    queryKey: ["themes", "page", theme.target],
    enabled: !app && styles.length > 0,
    queryFn: () => pageOf(theme.target),
    staleTime: Infinity,
  });
  const shown = useRef(config);
  useEffect(() => {
    const el = frame.current;
    if (!el || page.data === undefined) return;
    const dress = () => {
      if (!el.contentDocument) return;
      put(el.contentDocument, styles);
      tint(el.contentDocument, shown.current);
    };
    el.addEventListener("load", dress);
    el.srcdoc = policy.createHTML(page.data) as string;
    return () => el.removeEventListener("load", dress);
  }, [page.data, styles.join()]); // eslint-disable-line react-hooks/exhaustive-deps
  useEffect(() => {
    shown.current = config;
    if (frame.current?.contentDocument) tint(frame.current.contentDocument, config);
  }, [config]);
  if (app)
    return (
      <Section title={t("themes.preview.title")}>
        <p className="soft" style={{ margin: 0 }}>
          {t("themes.preview.app")}
        </p>
      </Section>
    );
  if (styles.length === 0)
    return (
      <Section title={t("themes.preview.title")}>
        <p className="soft" style={{ margin: 0 }}>
          {t("themes.preview.none")}
        </p>
      </Section>
    );
  return (
    <Section title={t("themes.preview.title")}>
      <p className="soft" style={{ margin: 0 }}>
        {t(`themes.preview.${theme.target}`)}
      </p>
      {page.isError ? (
        <ErrorNote error={page.error} />
      ) : page.isPending ? (
        <Bar height={height} />
      ) : (
        <iframe
          ref={frame}
          className="frame"
          style={{ height }}
          sandbox="allow-same-origin"
          tabIndex={-1}
          title={t("themes.preview.label", { name: theme.name })}
        />
      )}
    </Section>
  );
};

// pageOf returns the HTML of the page that shows a theme of a target: the shop's first
// page, or the console as it is now. It leaves out what the console's policy forbids.
const pageOf = async (target: Theme["target"]): Promise<string> => {
  let html = document.documentElement.outerHTML;
  if (target === "shop") {
    const answer = await fetch("/", { headers: { Accept: "text/html" }, credentials: "omit" });
    if (!answer.ok) throw new Error(`GET / answers ${answer.status}`);
    html = await answer.text();
  }
  // In the text, because already parsing an inline style is a breach of the policy.
  const allowed = html.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, "").replace(/\sstyle="[^"]*"/gi, "");
  const page = new DOMParser().parseFromString(policy.createHTML(allowed) as string, "text/html");
  for (const element of page.querySelectorAll("script, style, iframe, link[rel=modulepreload]")) element.remove();
  return page.documentElement.outerHTML;
};

// stylesheets are the addresses of a pack's stylesheets, in their order.
const stylesheets = ({ entry, baseUrl }: Theme): string[] => {
  const names = typeof entry === "string" ? [entry] : [entry.tokensCSS].filter((name) => name !== undefined);
  return names.filter((name) => name.endsWith(".css")).map((name) => baseUrl + name.replace(/^\.?\//, ""));
};

// put applies a pack's stylesheets as storefronts do: last, in place of those of the pack
// that the page already had.
const put = (doc: Document, styles: string[]) => {
  for (const link of doc.querySelectorAll('link[rel~="stylesheet"][href^="/themes/"]')) link.remove();
  for (const href of styles) {
    const link = doc.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    doc.head.append(link);
  }
  doc.addEventListener("click", (e) => e.preventDefault(), true);
};

// tint sets a pack's config as custom properties, in place of those that were there.
const tint = (doc: Document, config: Record<string, unknown>) => {
  const { style } = doc.documentElement;
  for (const name of [...style].filter((one) => one.startsWith("--theme-"))) style.removeProperty(name);
  for (const [name, value] of Object.entries(config)) {
    if (/^[\w-]+$/.test(name) && (typeof value === "string" || typeof value === "number"))
      style.setProperty(`--theme-${name}`, String(value));
  }
};
