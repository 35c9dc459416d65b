// Uploads pictures by button or drag and drop, several after each other, with progress.
import { Button, Progress } from "@mantine/core";
import { useRef, useState, type DragEvent } from "react";
import { upload } from "../../../api/upload";
import { ErrorNote } from "../../kit/ErrorNote";
import { t } from "../../text";

export interface Picture {
  path: string;
  contentType: string;
  size: number;
}

interface DropProps {
  label: string; // the button
  several?: boolean;
  onPicture: (picture: Picture) => void;
}

export const pictureTypes = "image/svg+xml,image/png,image/jpeg,image/webp";

export const PictureDrop = ({ label, several = false, onPicture }: DropProps) => {
  const input = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<{ name: string; share: number } | null>(null);
  const [failed, setFailed] = useState<{ name: string; error: unknown } | null>(null);
  const [over, setOver] = useState(false);
  const send = async (files: File[]) => {
    setFailed(null);
    for (const file of several ? files : files.slice(0, 1)) {
      setSending({ name: file.name, share: 0 });
      try {
        onPicture(
          await upload<Picture>("POST", "/api/v1/admin/media", file, file.type || "application/octet-stream", (share) =>
            setSending({ name: file.name, share }),
          ).done,
        );
      } catch (error) {
        setFailed({ name: file.name, error });
        break;
      }
    }
    setSending(null);
  };
  const onDrop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    void send([...e.dataTransfer.files]);
  };
  return (
    <div
      className="drop"
      data-over={over || undefined}
      onDragOver={(e) => {
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}>
      <input
        ref={input}
        type="file"
        hidden
        accept={pictureTypes}
        multiple={several}
        onChange={(e) => {
          void send([...(e.currentTarget.files ?? [])]);
          e.currentTarget.value = "";
        }}
      />
      <div className="row">
        <Button size="xs" disabled={sending !== null} onClick={() => input.current?.click()}>
          {label}
        </Button>
        <span className="soft small">{t("shop.media.dropHow")}</span>
      </div>
      <div role="status">
        {sending && (
          <>
            <span className="small">{t("shop.media.sending", { name: sending.name })}</span>
            <Progress value={sending.share * 100} aria-label={sending.name} />
          </>
        )}
      </div>
      {failed && <ErrorNote error={failed.error} title={failed.name} />}
    </div>
  );
};
