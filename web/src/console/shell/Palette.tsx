import { Modal, TextInput } from "@mantine/core";
import { c, t } from "../text";

// Palette is the one search box of the console (⌘K).
export const Palette = ({ onClose }: { onClose: () => void }) => (
  <Modal opened onClose={onClose} title={t("palette.open")} closeButtonProps={{ "aria-label": c("close") }}>
    <TextInput aria-label={t("palette.label")} placeholder={t("palette.hint")} data-autofocus />
  </Modal>
);
