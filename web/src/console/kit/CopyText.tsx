import { ActionIcon } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { c } from "../text";

// CopyText shows an id, a key or a piece of code, with a button that copies it.
export const CopyText = ({ value, what, shown = value }: { value: string; what: string; shown?: string }) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(setCopied, 2_000, false);
  };
  return (
    <span className="row" style={{ gap: 2, display: "inline-flex", flexWrap: "nowrap", maxWidth: "100%" }}>
      <code className="wrap">{shown}</code>
      <ActionIcon size="sm" aria-label={c("copy", { what })} onClick={() => void copy()}>
        {copied ? <IconCheck size={14} stroke={1.5} /> : <IconCopy size={14} stroke={1.5} />}
      </ActionIcon>
      <span className="sr" aria-live="polite">{copied && c("copied")}</span>
    </span>
  );
};
