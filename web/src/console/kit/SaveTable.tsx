import { Button } from "@mantine/core";
import { IconDownload } from "./icons";
import { useMutation } from "@tanstack/react-query";
import { authorized, problemOf } from "../../api/client";
import { t } from "../text";
import { reason } from "./reason";
import { save } from "./save";
import { tellFailure } from "./toast";

// SaveTable saves all entries of a list that its filters show, for a spreadsheet.
export const SaveTable = ({
  of,
  filters,
}: {
  of: "orders" | "licenses" | "users" | "reports/revenue";
  filters: Record<string, string | number | undefined>;
}) => {
  const get = useMutation({
    mutationFn: async () => {
      const address = new URL(`/api/v1/admin/${of}.csv`, location.origin);
      for (const [name, value] of Object.entries(filters)) if (value) address.searchParams.set(name, String(value));
      const answer = await authorized(new Request(address));
      if (!answer.ok) throw await problemOf(answer);
      const name = /filename="([^"]*)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1];
      save(await answer.blob(), name ?? `${of.replace(/.*\//, "")}.csv`);
    },
    onError: (error) => tellFailure(reason(error)),
  });
  return (
    <Button leftSection={<IconDownload size={16} stroke={1.5} />} loading={get.isPending} onClick={() => get.mutate()}>
      {t("list.save")}
    </Button>
  );
};
