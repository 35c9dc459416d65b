import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent } from "react";
import { asProblem } from "../../api/problem";
import { signIn, signOut, type User } from "../../api/session";
import { ErrorNote } from "../kit/ErrorNote";
import { c, t } from "../text";

// SignIn stands in place of the console for guests. The page they came for follows it.
export const SignIn = ({ ended = false }: { ended?: boolean }) => {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const enter = useMutation({ mutationFn: () => signIn(email, password) });
  useEffect(() => {
    const before = document.title;
    document.title = t("session.title");
    return () => { document.title = before; };
  }, []);
  const submit = (e: FormEvent) => { e.preventDefault(); enter.mutate(); };
  const wrong = enter.isError && asProblem(enter.error).code === "LOGIN_FAILED";
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>{t("session.title")}</h1>
        {ended && !enter.isError && <p className="note" role="status">{t("session.ended")}</p>}
        <TextInput label={c("email")} type="email" autoComplete="username" required data-autofocus autoFocus value={email} onChange={(e) => setEmail(e.currentTarget.value)} />
        <PasswordInput label={c("password")} visibilityToggleButtonProps={{ "aria-label": c("showPassword") }} autoComplete="current-password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} {...(wrong ? { error: t("session.failed") } : {})} />
        {enter.isError && !wrong && <ErrorNote error={enter.error} />}
        <Button type="submit" variant="filled" loading={enter.isPending}>{c("signIn")}</Button>
        <a href="/reset-password">{t("session.forgot")}</a>
      </form>
    </main>
  );
};

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
