import { Button } from "@mantine/core";
import { signOut } from "../../api/session";
import { reason } from "../kit/reason";
import { c, t } from "../text";

// FactorDue is what staff see whose session lacks the second factor that the platform asks for.
export const FactorDue = ({ refusal }: { refusal: unknown }) => (
  <main className="sign-in">
    <section>
      <h1>{t("factor.title")}</h1>
      <p>{reason(refusal)}</p>
      <Button component="a" href="/account/second-step" variant="filled">
        {t("factor.open")}
      </Button>
      <Button onClick={() => location.reload()}>{t("factor.retry")}</Button>
      <Button onClick={() => void signOut()}>{c("signOut")}</Button>
    </section>
  </main>
);
