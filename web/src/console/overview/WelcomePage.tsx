// The guided page after the first start: a name, a product, a plugin, payments. Each step
// says whether it is done, and can be left for later.
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { api, data } from "../../api/client";
import { ErrorNote } from "../kit/ErrorNote";
import { Page } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { State } from "../kit/values";
import { tell } from "../kit/toast";
import { useSession } from "../../api/useSession";
import { t } from "../text";
import { useProgress } from "./progress";

export const WelcomePage = () => {
  const progress = useProgress();
  const session = useSession();
  if (progress.isPending) return <Pending />;
  if (progress.isError) return <ErrorNote error={progress.error} retry={() => void progress.refetch()} />;
  const { name, defaultName, products, plugins, live } = progress.data;
  return (
    <Page
      title={t("overview.welcome.title")}
      actions={
        <Button component={Link} {...({ to: "/" } as object)}>
          {t("overview.welcome.later")}
        </Button>
      }>
      <p className="prose" style={{ margin: 0 }}>
        {t("overview.welcome.about")}
      </p>
      <ol className="rows welcome">
        <Step done title={t("overview.welcome.admin")}>
          {t("overview.welcome.adminDone", { email: session?.user.email ?? "" })}
        </Step>
        <Step done={name !== null} title={t("overview.welcome.name")}>
          <NameForm name={name} placeholder={defaultName} />
        </Step>
        <Step done={products > 0} title={t("overview.welcome.product")}>
          <p>{products > 0 ? t.count("overview.welcome.products", products) : t("overview.welcome.productHow")}</p>
          <Go to="/shop/new-product">{t("overview.welcome.productAdd")}</Go>
        </Step>
        <Step done={plugins > 0} title={t("overview.welcome.plugin")}>
          <p>{plugins > 0 ? t.count("overview.welcome.plugins", plugins) : t("overview.welcome.pluginHow")}</p>
          <Go to="/plugins">{t("overview.welcome.pluginAdd")}</Go>
        </Step>
        <Step done={live} title={t("overview.welcome.payments")}>
          <p>{t(live ? "overview.welcome.live" : "overview.welcome.test")}</p>
          {!live && <Go to="/settings/payments">{t("overview.welcome.goLive")}</Go>}
        </Step>
      </ol>
    </Page>
  );
};

const Go = ({ to, children }: { to: string; children: string }) => (
  <Button component={Link} {...({ to } as object)}>
    {children}
  </Button>
);

const Step = ({ done, title, children }: { done: boolean; title: string; children: ReactNode }) => (
  <li>
    <h2>{title}</h2>
    <div className="welcome-body">{typeof children === "string" ? <p>{children}</p> : children}</div>
    <State tone={done ? "good" : "none"}>{t(done ? "overview.welcome.done" : "overview.welcome.open")}</State>
  </li>
);

const NameForm = ({ name, placeholder }: { name: string | null; placeholder: string }) => {
  const [value, setValue] = useState(name ?? "");
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => data(api.PATCH("/api/v1/admin/settings", { body: { shopName: value.trim() || null } })),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["welcome"] }),
        queries.invalidateQueries({ queryKey: ["settings"] }),
      ]);
      tell(t("overview.welcome.named"));
    },
  });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <form className="row" onSubmit={submit}>
      <TextInput
        aria-label={t("overview.welcome.name")}
        placeholder={placeholder}
        value={value}
        onChange={(e) => setValue(e.currentTarget.value)}
      />
      <Button type="submit" loading={save.isPending}>
        {t("overview.welcome.save")}
      </Button>
      {save.isError && <ErrorNote error={save.error} />}
    </form>
  );
};
