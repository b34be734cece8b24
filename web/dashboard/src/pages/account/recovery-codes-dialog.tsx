import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Revealed } from "../access/revealed.tsx";
import "./account.css";

export interface NewCodes {
  readonly recoveryCodes: readonly string[];
}

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** The recovery codes, this once. Printing prints nothing else. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const texts = useTexts("account");
  return (
    <Dialog title={texts.codesTitle} isOpen isDismissable={false} onClose={onClose}>
      <Revealed>
        <Notice tone="warning">{texts.codesText}</Notice>
        <div className="recovery-codes">
          <CopyLine text={codes.join("\n")} />
        </div>
        <div className="form-buttons">
          <Button kind="primary" onPress={onClose}>
            {texts.codesKept}
          </Button>
          <Button onPress={() => window.print()}>{texts.printCodes}</Button>
        </div>
      </Revealed>
    </Dialog>
  );
}
