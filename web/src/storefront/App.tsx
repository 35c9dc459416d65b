import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore, type ComponentType } from "react";
import { accessToken, currentSession, onSession, type Session } from "../api/session";
import { AccountPage } from "./AccountPage";
import { CheckoutPage } from "./CheckoutPage";
import { LicensePage } from "./LicensePage";
import { LicensesPage } from "./LicensesPage";
import { OrderPage } from "./OrderPage";
import { OrdersPage } from "./OrdersPage";
import { match, useAddress, type Params, type Pattern } from "./router";
import { SignIn, SignInPage } from "./SignInPage";
import { Failure, Waiting } from "./ui";

const pages: Record<Pattern, { page: ComponentType<Params>; forGuests?: boolean }> = {
  "/sign-in": { page: SignInPage, forGuests: true },
  "/checkout/:slug/:tier": { page: CheckoutPage as ComponentType<Params>, forGuests: true },
  "/orders": { page: OrdersPage, forGuests: true },
  "/orders/:id": { page: OrderPage as ComponentType<Params>, forGuests: true },
  "/licenses": { page: LicensesPage },
  "/licenses/:id": { page: LicensePage as ComponentType<Params> },
  "/account": { page: AccountPage },
};

export const useSession = (): Session => useSyncExternalStore(onSession, currentSession);

export const App = () => {
  const address = useAddress();
  const session = useSession();
  const first = useQuery({ queryKey: ["session"], queryFn: async () => (await accessToken()) !== null, staleTime: Infinity });
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
      <div hidden={session?.ended}><Page key={location.pathname} {...at.params} /></div>
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
