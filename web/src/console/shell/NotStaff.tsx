import { Button } from "@mantine/core";
import { signOut, type User } from "../../api/session";
import { c, t } from "../text";

// NotStaff is what people see who are signed in and have no role of staff.
export const NotStaff = ({ user }: { user: User }) => (
  <main className="sign-in">
    <section>
      <h1>{t("session.notStaff")}</h1>
      <p>{t("session.notStaffHow", { email: user.email })}</p>
      <Button onClick={() => void signOut()}>{c("signOut")}</Button>
    </section>
  </main>
);
