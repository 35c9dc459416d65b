import { Button } from "@mantine/core";
import { signOut, type User } from "../../api/session";
import { c, t } from "../text";

// NotAdmin is what people see who are signed in without the role.
export const NotAdmin = ({ user }: { user: User }) => (
  <main className="sign-in">
    <section>
      <h1>{t("session.notAdmin")}</h1>
      <p>{t("session.notAdminHow", { email: user.email })}</p>
      <Button onClick={() => void signOut()}>{c("signOut")}</Button>
    </section>
  </main>
);
