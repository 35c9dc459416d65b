// A dialog before an action that cannot simply be undone: it names the effects, and its
// button the action.
import { Button, Modal } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { c } from "../text";
import { ErrorNote } from "./ErrorNote";
import { useFocusBack } from "./focusBack";
import { tell } from "./toast";

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  // What will happen, each in a sentence.
  effects: string[];
  // The button: the action as a verb with its object.
  action: string;
  danger?: boolean;
  // Something that the action needs is not filled in yet.
  disabled?: boolean;
  // More to fill in, if the action needs it.
  children?: ReactNode;
  // It should not wait for what is read again afterwards: texts that are made of it would
  // change under the reader.
  run: () => Promise<unknown>;
  // What is told afterwards; "" if run tells it itself.
  done: string;
}

export const Confirm = ({
  open,
  onClose,
  title,
  effects,
  action,
  danger = true,
  disabled = false,
  children,
  run,
  done,
}: ConfirmProps) => {
  const act = useMutation({
    mutationFn: run,
    onSuccess: () => {
      onClose();
      if (done) tell(done);
    },
  });
  const close = () => {
    act.reset();
    onClose();
  };
  useFocusBack(open);
  return (
    <Modal opened={open} onClose={close} title={title} closeButtonProps={{ "aria-label": c("close") }}>
      <div className="section">
        {effects.length === 1 ? (
          <p style={{ margin: 0 }}>{effects[0]}</p>
        ) : (
          effects.length > 1 && (
            <ul style={{ margin: 0, paddingLeft: 20 }}>
              {effects.map((e) => (
                <li key={e}>{e}</li>
              ))}
            </ul>
          )
        )}
        {children}
        {act.isError && <ErrorNote error={act.error} />}
        <div className="dialog-actions">
          <Button onClick={close} {...(danger ? { "data-autofocus": true } : {})}>
            {c("cancel")}
          </Button>
          <Button
            variant="filled"
            {...(danger ? { "data-danger": true } : {})}
            loading={act.isPending}
            disabled={disabled}
            onClick={() => act.mutate()}
            {...(danger ? {} : { "data-autofocus": true })}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  );
};
