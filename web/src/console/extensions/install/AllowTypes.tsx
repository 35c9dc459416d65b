// Offers to allow the file types for which an archive was refused, and to send it again.
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { Problem } from "../../../api/problem";
import { ErrorNote } from "../../kit/ErrorNote";
import { useAllow, type FileKind, type FileTypes } from "../../settings/fileTypes";
import { t } from "../../text";

export const missingTypes = (problem: Problem): FileTypes | undefined =>
  problem.details["archiveTypes"] as FileTypes | undefined;

export const AllowTypes = ({ missing, again }: { missing: FileTypes; again: () => void }) => {
  const allow = useAllow();
  const save = useMutation({ mutationFn: () => allow(missing), onSuccess: again });
  return (
    <div className="note" data-tone="none">
      <p>{t("plugins.install.types.how")}</p>
      <ul>
        {(Object.entries(missing) as [FileKind, string[]][]).map(([kind, types]) => (
          <li key={kind}>
            {t(`plugins.kinds.${kind}`)}: <code className="wrap">{types.join(" ")}</code>
          </li>
        ))}
      </ul>
      {save.isError && <ErrorNote error={save.error} />}
      <Button size="xs" loading={save.isPending} onClick={() => save.mutate()}>
        {t("plugins.install.types.allow")}
      </Button>
    </div>
  );
};
