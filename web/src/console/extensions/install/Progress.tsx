import { Progress as Meter } from "@mantine/core";
import { formatBytes, formatShare } from "../../../text/format";
import { t } from "../../text";

// Progress is how much of an archive was sent. After that, stoa inspects and installs it.
export const Progress = ({ share, size }: { share: number; size: number }) => (
  <div className="section" style={{ gap: 8 }}>
    <Meter.Root size="sm">
      <Meter.Section
        value={share * 100}
        animated={share >= 1}
        striped={share >= 1}
        aria-label={t("plugins.install.progress")}
      />
    </Meter.Root>
    <p className="soft" style={{ margin: 0 }} role="status">
      {share >= 1
        ? t("plugins.install.inspecting")
        : t("plugins.install.sent", {
            sent: formatBytes(share * size),
            size: formatBytes(size),
            share: formatShare(share),
          })}
    </p>
  </div>
);
