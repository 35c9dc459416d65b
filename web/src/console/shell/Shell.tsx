// The frame of the console: rail, search, account; and the door before it.
import { ActionIcon, Modal } from "@mantine/core";
import { IconMenu2, IconSearch } from "../kit/icons";
import { useQuery } from "@tanstack/react-query";
import { Navigate, Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { accessToken, type User } from "../../api/session";
import { ErrorPage } from "../kit/ErrorNote";
import { keepFocus } from "../kit/focusBack";
import { accountQuery, isStaff, may } from "../kit/may";
import { NoPermission } from "../kit/NoPermission";
import { neededFor } from "../kit/pages";
import { Pending } from "../kit/Pending";
import { tellFailure } from "../kit/toast";
import { c, t } from "../text";
import { Account } from "./Account";
import { FactorDue } from "./FactorDue";
import { Proof } from "./Proof";
import { useAsked } from "./useAsked";
import { Rail } from "./Rail";
import { factorDueKey } from "../queries";
import { SignIn } from "../door/SignIn";
import { firstPage } from "./areas";
import { NotStaff } from "./NotStaff";
import { NoPassword } from "./NoPassword";
import { Offline } from "./Offline";
import { TestMode } from "./TestMode";
import { Trouble } from "./Trouble";
import { useSession } from "../../api/useSession";

const loadPalette = () => import("./Palette").then((m) => ({ default: m.Palette }));
const Palette = lazy(loadPalette);

export const Shell = () => {
  const session = useSession();
  const asked = useAsked();
  const first = useQuery({
    queryKey: ["session"],
    queryFn: async () => (await accessToken()) !== null,
    staleTime: Infinity,
  });
  // Its data is read here, so that the frame hears of it: may and isStaff look into the same cache.
  const { data: account, error: unread } = useQuery({ ...accountQuery, enabled: session !== null });
  const factorDue = useQuery<unknown>({ queryKey: factorDueKey, queryFn: () => null, staleTime: Infinity });
  if (first.isPending) return <Pending />;
  if (first.isError)
    return (
      <main className="content">
        <ErrorPage error={first.error} />
      </main>
    );
  if (!session) return <SignIn />;
  if (factorDue.data) return <FactorDue refusal={factorDue.data} />;
  const staff = isStaff();
  if (staff === null)
    return unread ? (
      <main className="content">
        <ErrorPage error={unread} />
      </main>
    ) : (
      <Pending />
    );
  if (!staff) return <NotStaff user={session.user} />;
  const allowed = session.user.role === "ADMIN" ? "" : account?.permissions.join(" ");
  return (
    <>
      <Frame key={`${session.user.id} ${allowed}`} user={session.user} />
      {asked && <Proof {...asked} />}
      {session.ended && <Again />}
    </>
  );
};

// Again asks to sign in on top of everything, so that what was typed below stays.
const Again = () => (
  <Modal
    opened
    fullScreen
    withCloseButton={false}
    closeOnEscape={false}
    zIndex={1000}
    padding={0}
    onClose={() => undefined}
    title={t("session.title")}
    classNames={{ header: "sr" }}>
    <SignIn ended />
  </Modal>
);

const Frame = ({ user }: { user: User }) => {
  const [railOpen, setRailOpen] = useState(false);
  const [palette, setPalette] = useState(false);
  const content = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (s) => s.location.pathname });
  const openPalette = () =>
    void loadPalette().then(
      () => setPalette(true),
      () => tellFailure(c("unreachable")),
    );
  useEffect(() => setRailOpen(false), [path]);
  useEffect(keepFocus, []);
  useFocusOnPage(useRouterState({ select: (s) => s.resolvedLocation?.pathname }), content);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      openPalette();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <div className="shell">
      <a className="shell-skip" href="#content">
        {c("skip")}
      </a>
      <TestMode />
      <Rail open={railOpen} onClose={() => setRailOpen(false)} />
      <header className="shell-top">
        <ActionIcon
          className="shell-burger"
          aria-label={t("nav.open")}
          aria-expanded={railOpen}
          onClick={() => setRailOpen(true)}>
          <IconMenu2 size={20} stroke={1.5} />
        </ActionIcon>
        <button type="button" className="shell-search" onClick={openPalette}>
          <IconSearch size={16} stroke={1.5} aria-hidden /> {t("palette.open")}{" "}
          <kbd>{/Mac/.test(navigator.userAgent) ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        <div className="shell-top-end">
          <Account user={user} />
        </div>
      </header>
      <Offline />
      <main id="content" className="content" ref={content} tabIndex={-1}>
        <NoPassword />
        <Trouble />
        <Allowed />
      </main>
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </div>
  );
};

// Allowed is the page, if the user may open it. Where the console begins, they get the first that they may.
const Allowed = () => {
  const path = useRouterState({ select: (s) => s.matches.at(-1)?.pathname ?? "/" });
  const needed = neededFor(path);
  if (needed === null || may(needed)) return <Outlet />;
  const first = firstPage();
  return path === "/" && first ? <Navigate to={first} replace /> : <NoPermission needed={needed} home={first} />;
};

// useFocusOnPage moves the focus to the content when another page opens, so that a screen
// reader begins there; not for the first, and not if the page took the focus itself or a
// dialog that was opened meanwhile has it.
// path is that of the page that is shown, not of one that is still being loaded: until then
// the link that was followed is there and has the focus.
const useFocusOnPage = (path: string | undefined, content: React.RefObject<HTMLElement | null>) => {
  const shown = useRef(path);
  useEffect(() => {
    const before = shown.current;
    shown.current = path;
    if (before === undefined || before === path) return;
    const now = document.activeElement;
    if (!content.current?.contains(now) && !now?.closest("[role=dialog]"))
      content.current?.focus({ preventScroll: true });
  }, [path, content]);
};
