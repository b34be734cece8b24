import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Secret } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";

interface SecretDialogProps {
  /** Nothing is shown without one. */
  readonly secret: string | undefined;
  readonly text: string;
  readonly onClose: () => void;
}

/** Closed by its button alone, since the secret is lost with it. */
export function SecretDialog({ secret, text, onClose }: SecretDialogProps) {
  const texts = useTexts("webhooks");
  return (
    <Dialog title={texts.secretTitle} isOpen={secret !== undefined} onClose={onClose} isDismissable={false}>
      <p>{text}</p>
      {secret !== undefined && <Secret value={secret} label={texts.secretLabel} />}
      <div className="form-buttons">
        <Button kind="primary" onPress={onClose}>
          {texts.done}
        </Button>
      </div>
    </Dialog>
  );
}
