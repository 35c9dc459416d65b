// Copying a value: copied is true for a moment afterwards. Without the clipboard, the text
// of the element with ref is selected, to be copied by hand.
import { useRef, useState } from "react";

export const useCopy = (value: string) => {
  const [copied, setCopied] = useState(false);
  const ref = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(setCopied, 2_000, false);
    } catch {
      getSelection()?.selectAllChildren(ref.current as HTMLElement);
    }
  };
  return { copied, ref, copy };
};
