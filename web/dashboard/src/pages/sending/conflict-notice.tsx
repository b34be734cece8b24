import { asApiError } from "../../api/errors.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice, Notice } from "../../ui/states.tsx";

export const isConflict = (error: unknown): boolean => asApiError(error).code === "ENVELOPE_CONFLICT";

interface ConflictNoticeProps {
  /** Why reading the draft anew did not work. */
  readonly error?: unknown;
  readonly isBusy: boolean;
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
}

/** Somebody else has changed the draft meanwhile: nothing is overwritten until somebody decides. */
export function ConflictNotice({ error, isBusy, onKeepMine, onTakeTheirs }: ConflictNoticeProps) {
  const texts = useTexts("sending");
  return (
    <>
      <Notice tone="warning" title={texts.conflictTitle}>
        <p>{texts.conflictText}</p>
        <div className="form-buttons">
          <Button isBusy={isBusy} onPress={onKeepMine}>
            {texts.keepMine}
          </Button>
          <Button kind="danger" isDisabled={isBusy} onPress={onTakeTheirs}>
            {texts.takeTheirs}
          </Button>
        </div>
      </Notice>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
