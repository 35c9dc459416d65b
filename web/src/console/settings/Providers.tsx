import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Empty } from "../kit/Empty";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { State } from "../kit/values";
import { t } from "../text";
import { key, list, type Provider } from "./providers";

// stateOf says in a word whether a provider signs people in.
export const stateOf = (p: Provider) => (
  <State tone={p.enabled ? "good" : "none"}>{t(p.enabled ? "settings.signIn.on" : "settings.signIn.off")}</State>
);

export const Providers = () => {
  const query = useQuery({ queryKey: key, queryFn: list });
  const add = (
    <Button component={Link} {...({ to: "/settings/sign-in/providers/new" } as object)}>
      {t("settings.providers.add")}
    </Button>
  );
  const items = query.data?.items ?? [];
  return (
    <Section title={t("settings.providers.title")} {...(items.length > 0 ? { actions: add } : {})}>
      {query.isPending && <Bar height={40} />}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.data && items.length === 0 && (
        <Empty title={t("settings.providers.empty")} action={add}>
          {t("settings.providers.about")}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="rows">
          {items.map((p) => (
            <li key={p.slug}>
              <Link to={`/settings/sign-in/providers/${p.slug}` as string}>{p.name}</Link>
              {stateOf(p)}
              <span className="soft">{t(`settings.providers.kinds.${p.kind}`)}</span>
              <span className="soft">{t.count("settings.providers.linked", p.accounts)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};
