// The files of the installed version, and which are no longer as they were installed.
import { Button } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { api, data, ok, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { formatBytes } from "../../text/format";
import { CopyText } from "../kit/CopyText";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { reason } from "../kit/reason";
import { Section } from "../kit/Page";
import { tellFailure } from "../kit/toast";
import { useListSearch } from "../kit/useListSearch";
import { State, type Tone } from "../kit/values";
import { save } from "../kit/save";
import { t } from "../text";

type InstalledFile = Schemas["InstalledFile"];

const tones: Record<InstalledFile["state"], Tone> = { intact: "good", changed: "bad", missing: "bad", added: "warn" };

export const Files = ({ slug }: { slug: string }) => {
  const { page } = useListSearch();
  const path = { kind: "plugin" as const, slug };
  const query = useQuery({
    queryKey: ["plugins", slug, "files", page],
    queryFn: () =>
      data(api.GET("/api/v1/admin/extensions/{kind}/{slug}/files", { params: { path, query: { page, limit: 50 } } })),
    placeholderData: keepPreviousData,
  });
  const download = useMutation({
    mutationFn: async () =>
      save(
        (await ok(
          api.GET("/api/v1/admin/extensions/{kind}/{slug}/archive", { params: { path }, parseAs: "blob" }),
        )) as unknown as Blob,
        `${slug}.zip`,
      ),
    onError: (error) => tellFailure(reason(error)),
  });
  const columns: Column<InstalledFile>[] = [
    { title: t("plugins.files.path"), cell: (file) => <code>{file.path}</code> },
    {
      title: t("plugins.column.state"),
      cell: (file) => <State tone={tones[file.state]}>{t(`plugins.files.${file.state}`)}</State>,
    },
    { title: t("plugins.files.size"), end: true, cell: (file) => formatBytes(file.size) },
    {
      title: t("plugins.files.hash"),
      cell: (file) =>
        file.sha256 && (
          <CopyText value={file.sha256} shown={`${file.sha256.slice(0, 12)}…`} what={t("plugins.files.hash")} />
        ),
    },
  ];
  return (
    <Section
      title={t("plugins.views.files")}
      actions={
        <Button size="xs" loading={download.isPending} onClick={() => download.mutate()}>
          {t("plugins.files.download")}
        </Button>
      }>
      {query.isError && asProblem(query.error).status === 404 ? (
        <p className="soft" style={{ margin: 0 }}>
          {t("plugins.files.none")}
        </p>
      ) : (
        <DataTable
          label={t("plugins.views.files")}
          query={query}
          columns={columns}
          keyOf={(file) => file.path}
          stack
          empty={<Empty title={t("plugins.files.none")} />}
        />
      )}
    </Section>
  );
};
