// Updating a package that came from a market: the button on its page, which leads to the market of another stoa; and
// the dialog for the local one, which ends like that of an upload, with the consent to new permissions.
import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { api, data } from "../../../api/client";
import { asProblem } from "../../../api/problem";
import { ErrorNote } from "../../kit/ErrorNote";
import { Bar } from "../../kit/Pending";
import { offerAddress } from "../../markets/addresses";
import { self } from "../../markets/data";
import { c, t } from "../../text";
import { AllowTypes, missingTypes } from "./AllowTypes";
import { Faults } from "./Faults";
import { Result } from "./Result";
import { newKey } from "./useInstall";
import { useUpdate, type Update } from "./useUpdates";

interface PackageName {
  kind: Update["kind"];
  slug: string;
  name: string;
}

export const UpdateButton = ({ kind, slug, name }: PackageName) => {
  const update = useUpdate(kind, slug);
  // After the update there is none any more, but the dialog still shows its result.
  const [asked, setAsked] = useState<Update | null>(null);
  return (
    <>
      {update && update.market !== self && (
        <Button
          variant="filled"
          component={Link}
          {...({ to: offerAddress(update.market, update.productSlug) } as object)}>
          {t("plugins.market.button", { version: update.version })}
        </Button>
      )}
      {update?.market === self && (
        <Button variant="filled" onClick={() => setAsked(update)}>
          {t("plugins.market.button", { version: update.version })}
        </Button>
      )}
      {asked && <UpdateDialog update={asked} name={name} onClose={() => setAsked(null)} />}
    </>
  );
};

const UpdateDialog = ({ update, name, onClose }: { update: Update; name: string; onClose: () => void }) => {
  const { kind, productSlug, version } = update;
  const [licenseKey, setLicenseKey] = useState("");
  const product = useQuery({
    queryKey: ["shop", "products", productSlug, "pricing"],
    queryFn: () => data(api.GET("/api/v1/admin/products/{slug}", { params: { path: { slug: productSlug } } })),
  });
  const install = useMarketInstall(productSlug);
  const missing = install.isError ? missingTypes(asProblem(install.error)) : undefined;
  const close = () => {
    if (!install.isPending) onClose();
  };
  const title = t("plugins.market.title", { name, version });
  if (install.isSuccess) {
    return (
      <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ "aria-label": c("close") }}>
        <Result installed={install.data} kind={kind} onClose={onClose} />
      </Modal>
    );
  }
  const paid = product.isSuccess && product.data.pricing.type !== "free";
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size="lg"
      closeButtonProps={{ "aria-label": c("close") }}
      closeOnClickOutside={!install.isPending}>
      <form
        className="section"
        onSubmit={(e) => {
          e.preventDefault();
          install.mutate(licenseKey.trim());
        }}>
        <Effects update={update} />
        {product.isPending && <Bar height={60} />}
        {product.isError && <ErrorNote error={product.error} retry={() => void product.refetch()} />}
        {paid && (
          <TextInput
            label={t("plugins.market.key")}
            description={t("plugins.market.keyHow", { product: update.productName })}
            required
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={licenseKey}
            onChange={(e) => setLicenseKey(e.currentTarget.value)}
          />
        )}
        {install.isError && <Faults problem={asProblem(install.error)} />}
        {missing && <AllowTypes missing={missing} again={() => install.mutate(licenseKey.trim())} />}
        {install.isPending && (
          <p className="soft" style={{ margin: 0 }} role="status">
            {t("plugins.market.pending")}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={close} disabled={install.isPending}>
            {c("cancel")}
          </Button>
          <Button
            type="submit"
            variant="filled"
            disabled={!product.isSuccess}
            loading={install.isPending}
            {...(paid ? {} : { "data-autofocus": true })}>
            {t("plugins.market.button", { version })}
          </Button>
        </div>
      </form>
    </Modal>
  );
};

const Effects = ({ update: { kind, installedVersion: from, version: to, productName } }: { update: Update }) => (
  <ul style={{ margin: 0, paddingLeft: 20 }}>
    <li>{t("plugins.market.effect1", { product: productName })}</li>
    <li>
      {kind === "plugin"
        ? t("plugins.install.upgrades", { from, to })
        : t("plugins.install.beside", { versions: from })}
    </li>
    {kind === "plugin" && <li>{t("plugins.market.effect2")}</li>}
  </ul>
);

// useMarketInstall installs what a product offers. A try without an answer is repeated as
// the same request; after a refusal, the next one is another.
const useMarketInstall = (slug: string) => {
  const client = useQueryClient();
  const key = useRef(newKey());
  return useMutation({
    mutationFn: (licenseKey: string) =>
      data(
        api.POST("/api/v1/admin/market/{slug}/install", {
          params: { path: { slug }, header: { "Idempotency-Key": key.current } },
          body: licenseKey === "" ? {} : { licenseKey },
        }),
      ),
    onError: (error) => {
      if (!asProblem(error).unreachable) key.current = newKey();
    },
    onSuccess: () =>
      Promise.all(["plugins", "themes", "extensions"].map((area) => client.invalidateQueries({ queryKey: [area] }))),
  });
};
