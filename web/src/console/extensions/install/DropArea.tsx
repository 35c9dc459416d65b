import { Button } from "@mantine/core";
import { IconUpload } from "../../kit/icons";
import { useEffect, useRef, useState, type DragEvent } from "react";
import { t } from "../../text";

// DropArea takes one file, dropped on it or chosen.
export const DropArea = ({ onFile }: { onFile: (file: File) => void }) => {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const drop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    const file = e.dataTransfer.files[0];
    if (file) onFile(file);
  };
  return (
    <div
      className="drop"
      {...(over ? { "data-over": true } : {})}
      onDragOver={(e) => {
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}>
      <IconUpload size={24} stroke={1.5} aria-hidden />
      <p>{t("plugins.install.drop")}</p>
      <Button variant="filled" data-autofocus onClick={() => input.current?.click()}>
        {t("plugins.install.choose")}
      </Button>
      <input
        ref={input}
        className="sr"
        type="file"
        accept=".zip,application/zip"
        tabIndex={-1}
        aria-label={t("plugins.install.choose")}
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          if (file) onFile(file);
        }}
      />
    </div>
  );
};

// usePageDrop takes files that are dropped anywhere on the page. It returns whether one is
// being dragged over it.
export const usePageDrop = (onFile: (file: File) => void): boolean => {
  const [over, setOver] = useState(false);
  const take = useRef(onFile);
  take.current = onFile;
  useEffect(() => {
    const isFile = (e: globalThis.DragEvent) => e.dataTransfer?.types.includes("Files") ?? false;
    const onOver = (e: globalThis.DragEvent) => {
      if (isFile(e)) {
        e.preventDefault();
        setOver(true);
      }
    };
    const onLeave = (e: globalThis.DragEvent) => {
      if (e.relatedTarget === null) setOver(false);
    };
    const onDrop = (e: globalThis.DragEvent) => {
      setOver(false);
      if (!isFile(e) || e.defaultPrevented) return;
      e.preventDefault();
      const file = e.dataTransfer?.files[0];
      if (file) take.current(file);
    };
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, []);
  return over;
};
