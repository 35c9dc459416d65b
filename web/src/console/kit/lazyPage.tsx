// Pages are loaded when they are first opened. One that cannot be loaded says so and tries again;
// the rest of the console stays.
import { useEffect, useState, type ComponentType } from "react";
import { Problem } from "../../api/problem";
import { t } from "../text";
import { ErrorNote } from "./ErrorNote";
import { Page } from "./Page";
import { Pending } from "./Pending";

// lazyPage is the component of a route: what importer's module exports under name. The router calls
// preload before somebody opens the page.
export const lazyPage = <N extends string>(importer: () => Promise<Record<N, ComponentType>>, name: N) => {
  let Found: ComponentType | undefined;
  let loading: Promise<void> | undefined;
  const load = () =>
    (loading ??= importer()
      .then((module) => {
        Found = module[name];
      })
      .catch(() => undefined) // it is asked for again
      .finally(() => {
        loading = undefined;
      }));
  const LazyPage = () => {
    const [state, setState] = useState<"loading" | "found" | "failed">(Found ? "found" : "loading");
    useEffect(() => {
      if (state !== "loading") return;
      let left = false;
      void load().then(async () => {
        if (!Found) await reloadIfReplaced();
        if (!left) setState(Found ? "found" : "failed");
      });
      return () => {
        left = true;
      };
    }, [state]);
    if (Found) return <Found />;
    if (state !== "failed") return <Pending />;
    return (
      <Page title={t("failed")}>
        <ErrorNote error={unreachable} retry={() => setState("loading")} />
      </Page>
    );
  };
  LazyPage.preload = load;
  return LazyPage;
};

const unreachable = new Problem(0, "UNREACHABLE", "", "");

// reloadIfReplaced starts anew, once, where stoa answers without the page: another version of stoa has
// other files.
const reloadIfReplaced = async () => {
  const answers = await fetch("/livez", { cache: "no-store" }).then(
    (answer) => answer.ok,
    () => false,
  );
  if (!answers || sessionStorage.getItem(reloaded) === location.pathname) return;
  sessionStorage.setItem(reloaded, location.pathname);
  location.reload();
};

const reloaded = "stoa-reloaded"; // in sessionStorage: the page for which it was tried
