// Installing or upgrading from a ZIP archive, in one dialog: choose or drop, see what it
// is, send, read every fault, consent to new permissions.
import { Button, Checkbox, Modal, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatBytes } from "../../../text/format";
import { c, t } from "../../text";
import { AllowTypes, missingTypes } from "./AllowTypes";
import { DropArea } from "./DropArea";
import { Faults } from "./Faults";
import { kinds, peek, type Kind } from "./peek";
import { Progress } from "./Progress";
import { Result } from "./Result";
import { useInstall } from "./useInstall";
import { useOlder, What } from "./What";

interface InstallDialogProps {
  // The file that was dropped on the page, if the dialog opened for one.
  dropped: File | null;
  // What archives are taken for whose kind cannot be told.
  kind: Kind;
  onClose: () => void;
}

export const InstallDialog = ({ dropped, kind: fallback, onClose }: InstallDialogProps) => {
  const [file, setFile] = useState<File | null>(dropped);
  const [chosen, setChosen] = useState<Kind | null>(null);
  const [replace, setReplace] = useState(false);
  const { step, send, reset, cancel } = useInstall();
  const inside = useQuery({
    queryKey: ["peek", file?.name, file?.size, file?.lastModified],
    queryFn: () => peek(file as File),
    enabled: file !== null,
    staleTime: Infinity,
    gcTime: 0,
  });
  useEffect(() => {
    if (dropped) {
      setFile(dropped);
      setChosen(null);
      reset();
    }
  }, [dropped]); // eslint-disable-line react-hooks/exhaustive-deps
  const choose = (next: File) => {
    setFile(next);
    setChosen(null);
    setReplace(false);
    reset();
  };
  const kind = chosen ?? inside.data?.kind ?? fallback;
  const older = useOlder(inside.data ?? null, kind);
  const missing = step.name === "failed" ? missingTypes(step.problem) : undefined;
  const close = () => {
    if (step.name === "sending") cancel();
    onClose();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={t("plugins.install.title")}
      size="lg"
      closeButtonProps={{ "aria-label": c("close") }}
      closeOnClickOutside={step.name !== "sending"}>
      {step.name === "done" ? (
        <Result
          installed={step.installed}
          kind={kind}
          onClose={onClose}
          onAgain={() => {
            setFile(null);
            reset();
          }}
        />
      ) : (
        <div className="section">
          {file === null ? (
            <DropArea onFile={choose} />
          ) : (
            <div className="file-line">
              <strong className="wrap">{file.name}</strong>
              <span className="soft">{formatBytes(file.size)}</span>
              {step.name !== "sending" && (
                <Button
                  size="xs"
                  onClick={() => {
                    setFile(null);
                    reset();
                  }}>
                  {t("plugins.install.other")}
                </Button>
              )}
            </div>
          )}
          {file !== null && step.name !== "sending" && inside.isSuccess && (
            <>
              <What peek={inside.data} kind={kind} />
              <Select
                label={t("plugins.install.kind")}
                data={kinds.map((value) => ({ value, label: t(`plugins.kinds.${value}`) }))}
                value={kind}
                onChange={(value) => setChosen(value as Kind)}
              />
              {step.name === "failed" && step.problem.code === "VERSION_CONFLICT" && (
                <Checkbox
                  label={t("plugins.install.replace")}
                  description={t("plugins.install.replaceHow")}
                  checked={replace}
                  onChange={(e) => setReplace(e.currentTarget.checked)}
                />
              )}
            </>
          )}
          {step.name === "failed" && <Faults problem={step.problem} />}
          {missing && file !== null && <AllowTypes missing={missing} again={() => void send(kind, file, replace)} />}
          {step.name === "sending" && file !== null && <Progress share={step.share} size={file.size} />}
          <div className="dialog-actions">
            <Button onClick={step.name === "sending" ? cancel : close}>
              {t(step.name === "sending" ? "plugins.install.cancelUpload" : "plugins.install.cancel")}
            </Button>
            {file !== null && step.name !== "sending" && (
              <Button
                variant="filled"
                disabled={older !== undefined}
                onClick={() => void send(kind, file, replace)}
                data-autofocus>
                {step.name === "failed"
                  ? t("plugins.install.again")
                  : t("plugins.install.send", { what: nameOf(inside.data?.manifest, file) })}
              </Button>
            )}
          </div>
        </div>
      )}
    </Modal>
  );
};

const nameOf = (manifest: { name?: string; version?: string } | undefined, file: File): string =>
  manifest?.name ? `${manifest.name} ${manifest.version ?? ""}`.trim() : file.name;
