// How people sign in: which ways there are, what is asked of them, and where else they may have an account.
import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { ErrorNote } from "../kit/ErrorNote";
import { Page, Section } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { State } from "../kit/values";
import { t } from "../text";
import { Providers } from "./Providers";
import { SettingsNav } from "./SettingsNav";
import { SignInForm } from "./SignInForm";
import { key, read, rows, say, type SignIn } from "./signIn";

export const SignInPage = () => {
  const query = useQuery({ queryKey: key, queryFn: read });
  return (
    <Page title={t("settings.title")}>
      <SettingsNav />
      {query.isPending && <Pending rows={6} />}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <>
          <Methods settings={query.data.value} />
          <Providers />
          <Stricter settings={query.data.value} />
          <SignInForm latest={query.data} />
        </>
      )}
    </Page>
  );
};

// Methods are the ways in, each with what makes it so.
const Methods = ({ settings }: { settings: SignIn }) => {
  const query = useQuery({ queryKey: [...key, "methods"], queryFn: () => data(api.GET("/auth/methods")) });
  const passkeys = settings.passkeys;
  const mailed = settings.emailSignIn.value && settings.mail;
  const noMail = settings.emailSignIn.value && !settings.mail;
  const providers = query.data?.providers ?? [];
  const list = [
    { name: "password", on: true, how: t("settings.signIn.methods.passwordHow") },
    {
      name: "passkey",
      on: passkeys.available,
      how: passkeys.available
        ? t("settings.signIn.methods.passkeyHow", { name: passkeys.rpId ?? "", origins: passkeys.origins.join(", ") })
        : t("settings.signIn.methods.passkeyOff"),
    },
    {
      name: "email",
      on: mailed,
      how: t(noMail ? "settings.signIn.methods.emailNoMail" : "settings.signIn.methods.emailHow"),
    },
    {
      name: "providers",
      on: providers.length > 0,
      how: providers.map((p) => p.name).join(", ") || t("settings.signIn.methods.providersNone"),
    },
  ] as const;
  return (
    <Section title={t("settings.signIn.methods.title")}>
      <div className="table-box">
        <table className="table" data-stack aria-label={t("settings.signIn.methods.title")}>
          <thead>
            <tr>
              <th scope="col">{t("settings.signIn.methods.way")}</th>
              <th scope="col">{t("settings.signIn.methods.state")}</th>
              <th scope="col">{t("settings.signIn.methods.how")}</th>
            </tr>
          </thead>
          <tbody>
            {list.map(({ name, on, how }) => (
              <tr key={name}>
                <td>
                  <strong>{t(`settings.signIn.methods.${name}`)}</strong>
                </td>
                <td>
                  <State tone={on ? "good" : "none"}>{t(on ? "settings.signIn.on" : "settings.signIn.off")}</State>
                </td>
                <td className="soft">{how}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
};

// Stricter is what the policy would change, before anybody chooses it.
const Stricter = ({ settings }: { settings: SignIn }) => {
  const changes = rows.filter((row) => row !== "authPolicy" && settings[row].asvs !== settings[row].value);
  if (settings.authPolicy.value === "asvs") return null;
  return (
    <Section title={t("settings.signIn.stricter.title")}>
      <p className="soft prose" style={{ margin: 0 }}>
        {t(changes.length > 0 ? "settings.signIn.stricter.how" : "settings.signIn.stricter.none")}
      </p>
      {changes.length > 0 && (
        <div className="table-box">
          <table className="table" data-stack aria-label={t("settings.signIn.stricter.title")}>
            <thead>
              <tr>
                <th scope="col">{t("settings.signIn.stricter.setting")}</th>
                <th scope="col">{t("settings.signIn.stricter.now")}</th>
                <th scope="col">{t("settings.signIn.stricter.then")}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((row) => (
                <tr key={row}>
                  <td>
                    <strong>{t(`settings.signIn.rows.${row}`)}</strong>
                  </td>
                  <td data-name={t("settings.signIn.stricter.now")}>{say(row, settings[row].value)}</td>
                  <td data-name={t("settings.signIn.stricter.then")}>{say(row, settings[row].asvs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
};
