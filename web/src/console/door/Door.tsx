import { lazy, Suspense } from "react";
import { mayBeSignedIn } from "../../api/session";
import { useSession } from "../../api/useSession";
import { SignIn } from "./SignIn";
import { c } from "./text";

// load loads the rest of the console: Mantine, the router and the frame.
export const load = () => import("../App");

const App = lazy(() => load().catch(() => ({ default: Unreachable })));

// Door asks guests to sign in, with as little code as that takes, and lets everybody else in.
export const Door = () => {
  const session = useSession();
  if (!session && !mayBeSignedIn()) return <SignIn />;
  return (
    <Suspense>
      <App />
    </Suspense>
  );
};

const Unreachable = () => (
  <main className="sign-in">
    <section role="alert">
      <p>{c("unreachable")}</p>
      <button type="button" className="sign-in-go" onClick={() => location.reload()}>
        {c("retry")}
      </button>
    </section>
  </main>
);
