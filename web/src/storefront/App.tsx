import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, type ComponentType } from "react";
import { mayBeSignedIn } from "../api/session";
import { useSession } from "../api/useSession";
import { inAdvance, loadContinue, loadOrder, loadOwn, loadSignIn } from "./ahead";
import { CheckoutPage } from "./CheckoutPage";
import { sessionQuery } from "./data";
import { later } from "./later";
import { offersPasskey } from "./offer";
import { match, useAddress, type Params, type Pattern } from "./router";
import type { SignInProps } from "./SignInPage";
import { Failure, Offline, Waiting } from "./ui";

const opened = match(location.pathname)?.pattern;
if (opened === "/orders/:id") inAdvance(loadOrder);
else if (opened === "/sign-in") inAdvance(loadSignIn);
else if (opened === "/sign-in/continue") inAdvance(loadContinue);
else if (opened !== "/checkout/:slug/:tier") inAdvance(mayBeSignedIn() ? loadOwn : loadSignIn);

const SignIn = later<SignInProps>(loadSignIn, "SignIn");
const PasskeyOffer = later(() => import("./PasskeyOffer"), "PasskeyOffer");
const pages: Record<Pattern, { page: ComponentType<Params>; forGuests?: boolean }> = {
  "/sign-in": { page: later(loadSignIn, "SignInPage"), forGuests: true },
  "/sign-in/continue": { page: later(loadContinue, "ContinuePage"), forGuests: true },
  "/checkout/:slug/:tier": { page: CheckoutPage as ComponentType<Params>, forGuests: true },
  "/orders": { page: later(loadOwn, "OrdersPage"), forGuests: true },
  "/orders/:id": { page: later(loadOrder, "OrderPage"), forGuests: true },
  "/payment/portal/:id": { page: later(() => import("./PortalPage"), "PortalPage") },
  "/licenses": { page: later(loadOwn, "LicensesPage") },
  "/licenses/:id": { page: later(loadOwn, "LicensePage") },
  "/account": { page: later(loadOwn, "AccountPage") },
  "/account/:screen": { page: later(loadOwn, "AccountPage") },
};

// offering are the pages that suggest a passkey: not the account's, which lists them, and none in the way of a
// purchase.
const offering = new Set<Pattern>(["/orders", "/licenses"]);

export const App = () => {
  const address = useAddress();
  const session = useSession();
  const first = useQuery({
    ...sessionQuery,
    ...(mayBeSignedIn() ? {} : { initialData: false }), // a guest waits for nothing
  });
  useFocus(address);
  useEffect(() => {
    if (session) inAdvance(loadSignIn); // for when it ends, perhaps without a network
  }, [session]);
  const at = match(location.pathname);
  if (first.isPending) return <Waiting like="page" />;
  if (first.isError && !session) return <Failure error={first.error} retry={() => void first.refetch()} />;
  if (!at) return null;
  const { page: Page, forGuests } = pages[at.pattern];
  if (!session && !forGuests)
    return (
      <Suspense fallback={<Waiting />}>
        <SignIn />
      </Suspense>
    );
  return (
    <>
      <Offline />
      <Suspense>{session?.ended && <SignIn ended />}</Suspense>
      <div hidden={session?.ended}>
        {session && offersPasskey() && offering.has(at.pattern) && (
          <Suspense>
            <PasskeyOffer />
          </Suspense>
        )}
        <Suspense fallback={<Waiting like="page" />}>
          <Page key={location.pathname} {...at.params} />
        </Suspense>
      </div>
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
    if (!content?.contains(document.activeElement) || document.activeElement === content)
      content?.focus({ preventScroll: true });
  }, [address]);
};
