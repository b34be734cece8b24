import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Time } from "../../../ui/time.tsx";
import type { Writing } from "./use-draft.ts";

/** Somebody else has saved meanwhile: nothing is lost of either text until somebody decides. */
export function ConflictNotice({ writing }: { readonly writing: Writing }) {
  const texts = useTexts("editor");
  const { theirs, takeTheirs, keepMine } = writing;
  if (theirs === undefined) return null;
  return (
    <Notice tone="warning" title={texts.conflictTitle}>
      <p>
        {texts.conflictText} <Time value={theirs.updatedAt} seconds />.
      </p>
      <details className="theirs">
        <summary>{texts.theirText}</summary>
        <pre lang={theirs.locale}>{theirs.content}</pre>
      </details>
      <div className="form-buttons">
        <Button onPress={keepMine}>{texts.keepMine}</Button>
        <Button kind="danger" onPress={takeTheirs}>
          {texts.takeTheirs}
        </Button>
      </div>
    </Notice>
  );
}
