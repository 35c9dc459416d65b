import { Page, Section, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { ErrorNote } from "../kit/ErrorNote";
import { State } from "../kit/values";
import { t } from "../text";
import { SettingsNav } from "./SettingsNav";
import { useSystem, type System } from "./system";

const steps = ["account", "webhook", "settings", "restart", "check"] as const;

export const PaymentsPage = () => {
  const query = useSystem();
  return (
    <Page title={t("settings.title")}>
      <SettingsNav />
      {query.isPending && <Pending rows={3} />}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.data && <Payments system={query.data} />}
    </Page>
  );
};

const Payments = ({ system: { payments, mail } }: { system: System }) => (
  <>
    <Summary
      facts={[
        [
          t("settings.payments.mode"),
          <State key="m" tone={payments.mode === "test" ? "warn" : "good"}>
            {t(`settings.payments.${payments.mode}`)}
          </State>,
        ],
        [t("settings.payments.provider"), payments.provider ?? "–"],
        [t("settings.payments.receipts"), mail.from ?? t(`settings.health.mail_${mail.via}`)],
      ]}
    />
    {payments.mode === "test" && (
      <Section title={t("settings.payments.toLive")}>
        <p className="prose" style={{ margin: 0 }}>
          {t("settings.payments.about")}
        </p>
        <ol className="steps prose">
          {steps.map((step) => (
            <li key={step}>{t(`settings.payments.steps.${step}`)}</li>
          ))}
        </ol>
      </Section>
    )}
  </>
);
