import { ActionIcon } from "@mantine/core";
import { IconCheck, IconCopy } from "./icons";
import { useCopy } from "../../text/useCopy";
import { c } from "../text";

// CopyText shows an id, a key or a piece of code, with a button that copies it.
export const CopyText = ({ value, what, shown = value }: { value: string; what: string; shown?: string }) => {
  const { copied, ref, copy } = useCopy(value);
  return (
    <span className="row" style={{ gap: 2, display: "inline-flex", flexWrap: "nowrap", maxWidth: "100%" }}>
      <code ref={ref} className="wrap">
        {shown}
      </code>
      <ActionIcon size="sm" aria-label={c("copy", { what })} onClick={() => void copy()}>
        {copied ? <IconCheck size={14} stroke={1.5} /> : <IconCopy size={14} stroke={1.5} />}
      </ActionIcon>
      <span className="sr" aria-live="polite">
        {copied && c("copied")}
      </span>
    </span>
  );
};
