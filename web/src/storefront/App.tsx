import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useSyncExternalStore, type ComponentType } from "react";
import { Problem } from "../api/problem";
import { accessToken, currentSession, mayBeSignedIn, onSession, type Session } from "../api/session";
import { CheckoutPage } from "./CheckoutPage";
import { OrderPage } from "./OrderPage";
import { match, useAddress, type Params, type Pattern } from "./router";
import { SignIn, SignInPage } from "./SignInPage";
import { Failure, Waiting } from "./ui";

// What buyers come back for is loaded when it is opened; a purchase does not wait for it.
const own = () => import("./own");
const later = (name: keyof Awaited<ReturnType<typeof own>>) => lazy(async () => {
  const pages = await own().catch(() => null);
  return { default: (pages?.[name] ?? Unreachable) as ComponentType<Params> };
});
if (mayBeSignedIn() && !/^\/(checkout|sign-in)\b/.test(location.pathname)) void own().catch(() => undefined); // later says so

const Unreachable = () => <Failure error={new Problem(0, "UNREACHABLE", "", "")} retry={() => location.reload()} />;

const pages: Record<Pattern, { page: ComponentType<Params>; forGuests?: boolean }> = {
  "/sign-in": { page: SignInPage, forGuests: true },
  "/checkout/:slug/:tier": { page: CheckoutPage as ComponentType<Params>, forGuests: true },
  "/orders": { page: later("OrdersPage"), forGuests: true },
  "/orders/:id": { page: OrderPage as ComponentType<Params>, forGuests: true },
  "/licenses": { page: later("LicensesPage") },
  "/licenses/:id": { page: later("LicensePage") },
  "/account": { page: later("AccountPage") },
};

export const useSession = (): Session => useSyncExternalStore(onSession, currentSession);

export const App = () => {
  const address = useAddress();
  const session = useSession();
  const first = useQuery({
    queryKey: ["session"], queryFn: async () => (await accessToken()) !== null, staleTime: Infinity,
    ...(mayBeSignedIn() ? {} : { initialData: false }), // a guest waits for nothing
  });
  useFocus(address);
  const at = match(location.pathname);
  if (first.isPending) return <Waiting />;
  if (first.isError && !session) return <Failure error={first.error} retry={() => void first.refetch()} />;
  if (!at) return null;
  const { page: Page, forGuests } = pages[at.pattern];
  if (!session && !forGuests) return <SignIn />;
  return (
    <>
      {session?.ended && <SignIn ended />}
      <div hidden={session?.ended}><Suspense fallback={<Waiting />}><Page key={location.pathname} {...at.params} /></Suspense></div>
    </>
  );
};

// useFocus moves the focus to the content when another page opens, so that a screen
// reader begins there; not for the first, and not if the page took it itself.
const useFocus = (address: string) => {
  const shown = useRef(address);
  useEffect(() => {
    if (shown.current === address) return;
    shown.current = address;
    const content = document.getElementById("content");
    if (!content?.contains(document.activeElement) || document.activeElement === content) content?.focus({ preventScroll: true });
  }, [address]);
};
