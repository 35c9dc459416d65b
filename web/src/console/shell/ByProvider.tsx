import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { leave } from "../../api/provider";
import { ErrorNote } from "../kit/ErrorNote";
import { t } from "../text";
import { useIdentities } from "./useIdentities";

// ByProvider is for administrators who sign in with an account at an identity provider: they do so again.
export const ByProvider = () => {
  const linked = useIdentities();
  const going = useMutation({
    mutationFn: (slug: string) => leave(slug, "reauthenticate", location.pathname + location.search),
  });
  const error = going.error ?? linked.error;
  return (
    <>
      <p style={{ margin: 0 }}>{t("proof.providerWhy")}</p>
      {linked.data?.items
        .filter((one) => one.enabled)
        .map(({ id, provider, name }) => (
          <Button key={id} variant="filled" loading={going.isPending} onClick={() => going.mutate(provider)}>
            {t("proof.provider", { name })}
          </Button>
        ))}
      {error && <ErrorNote error={error} />}
    </>
  );
};
