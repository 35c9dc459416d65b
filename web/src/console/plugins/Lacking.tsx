// Says which fields an instance lacks before it can be enabled, and leads to the form.
import { Button, Modal } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useFocusBack } from "../kit/focusBack";
import { may } from "../kit/may";
import { c, t } from "../text";
import type { Instance } from "./data";
import { lacking } from "./lacks";

interface Props {
  instance: Instance;
  manifestJson: string | undefined;
}

// Lacking shows nothing for an instance that can be enabled. here says whether the form is below.
export const Lacking = ({ instance, manifestJson, here }: Props & { here: boolean }) => {
  const labels = lacking(instance, manifestJson);
  if (labels.length === 0) return null;
  const title = t("plugins.lacking.title", { key: instance.instanceKey });
  return (
    <section className="note" data-tone="warn" aria-label={title}>
      <h3>{title}</h3>
      <p className="wrap">{t.count("plugins.lacking.fields", labels.length, { labels: labels.join(", ") })}</p>
      <p>{t(here ? "plugins.lacking.below" : "plugins.lacking.how")}</p>
      {!here && may("extensions:configure") && (
        <div className="row">
          <ToForm instance={instance} size="xs" />
        </div>
      )}
    </section>
  );
};

// LackingDialog stands where "Enable" cannot do what it says.
export const LackingDialog = ({
  open,
  onClose,
  instance,
  labels,
  title,
}: {
  open: boolean;
  onClose: () => void;
  instance: Instance;
  labels: string[];
  title: string;
}) => {
  useFocusBack(open);
  return (
    <Modal opened={open} onClose={onClose} title={title} closeButtonProps={{ "aria-label": c("close") }}>
      <div className="section">
        <p className="wrap" style={{ margin: 0 }}>
          {t.count("plugins.lacking.fields", labels.length, { labels: labels.join(", ") })} {t("plugins.lacking.how")}
        </p>
        <div className="dialog-actions">
          <Button onClick={onClose}>{c("cancel")}</Button>
          <ToForm instance={instance} onClick={onClose} />
        </div>
      </div>
    </Modal>
  );
};

const ToForm = ({ instance, ...rest }: { instance: Instance; size?: "xs"; onClick?: () => void }) => (
  <Button
    variant="filled"
    component={Link}
    {...({ to: `/plugins/${instance.pluginSlug}/${instance.installationId}` } as object)}
    {...rest}>
    {t("plugins.lacking.go")}
  </Button>
);
