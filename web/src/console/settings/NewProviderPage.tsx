import { TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { CopyText } from "../kit/CopyText";
import { Page } from "../kit/Page";
import { t } from "../text";
import { ProviderForm } from "./ProviderForm";
import { above } from "./ProviderPage";
import { key, list, save, type Form } from "./providers";
import { useSystem } from "./system";

const empty: Form = {
  kind: "oidc",
  name: "",
  issuer: "",
  clientId: "",
  scopes: [],
  enabled: false,
  signUp: true,
  staff: false,
  verifiesAddresses: false,
  allowedDomains: [],
};

export const NewProviderPage = () => {
  const [slug, setSlug] = useState("");
  const queries = useQueryClient();
  const navigate = useNavigate();
  const system = useSystem();
  const others = useQuery({ queryKey: key, queryFn: list });
  const add = useMutation({
    mutationFn: (form: Form) => save(slug, form),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: key });
      await navigate({ to: `/settings/sign-in/providers/${slug}` as string });
    },
  });
  // The API replaces what has the name: whoever adds one does not mean that.
  const taken = others.data?.items.some((p) => p.slug === slug);
  const fits = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(slug);
  const [tried, setTried] = useState(false);
  const fault = taken
    ? t("settings.providers.slugTaken")
    : (tried || slug !== "") && !fits && t("settings.providers.slugWrong");
  return (
    <Page title={t("settings.providers.add")} above={above}>
      <div className="form">
        <TextInput
          label={t("settings.providers.slug")}
          description={t("settings.providers.slugHow")}
          required
          value={slug}
          error={fault}
          onChange={(e) => setSlug(e.currentTarget.value)}
        />
        {fits && !taken && system.data && (
          <p style={{ margin: 0 }}>
            {t("settings.providers.register")}{" "}
            <CopyText
              value={`${system.data.publicUrl}/auth/oidc/${slug}/callback`}
              what={t("settings.providers.redirect")}
            />
          </p>
        )}
      </div>
      <ProviderForm
        before={empty}
        hasSecret={false}
        action={t("settings.providers.add")}
        pending={add.isPending}
        error={add.error}
        onSave={(form) => {
          setTried(true);
          if (fits && !taken) add.mutate(form);
        }}
      />
    </Page>
  );
};
