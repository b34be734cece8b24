import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./states.tsx";
import { useAction } from "./use-action.ts";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Whether it has a cross and Escape closes it; not while a secret is shown that is lost with it. */
  readonly isDismissable?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ title, isOpen, onClose, isDismissable = true, children }: DialogProps) {
  const { close } = useTexts("common");
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isKeyboardDismissDisabled={!isDismissable}
    >
      <Modal className="modal">
        <AriaDialog className="dialog">
          <header className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {isDismissable && <Button kind="quiet" icon="close" aria-label={close} onPress={onClose} />}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen, naming what it happens to. */
  readonly text: ReactNode;
  /** The words on the button that does it. */
  readonly action: string;
  /** Those on the one that does not; where "Cancel" could mean either. */
  readonly dismiss?: string;
  readonly kind?: "primary" | "danger";
  readonly isOpen: boolean;
  /** It stays open with the error when this fails, and is closed otherwise. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks once before something that cannot be undone. */
export function ConfirmDialog({
  title,
  text,
  action,
  dismiss,
  kind = "danger",
  isOpen,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const { cancel } = useTexts("common");
  const { run, isBusy, error, clear } = useAction(onConfirm);
  const close = () => {
    if (isBusy) return;
    clear();
    onClose();
  };
  const confirm = async () => {
    if (await run()) onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      <div>{text}</div>
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="form-buttons">
        <Button kind={kind} isBusy={isBusy} onPress={() => void confirm()}>
          {action}
        </Button>
        <Button onPress={close}>{dismiss ?? cancel}</Button>
      </div>
    </Dialog>
  );
}
