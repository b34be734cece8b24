import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Evidence } from "./evidence.ts";
import { evidencePath } from "./queries.ts";
import type { Receipt } from "./types.ts";

interface HiddenNoticeProps {
  readonly receipt: Receipt;
  readonly isOpened: boolean;
  readonly onOpened: (evidence: Evidence) => void;
}

/** Says why nobody is named; what is restricted can be opened with a reason. */
export function HiddenNotice({ receipt, isOpened, onOpened }: HiddenNoticeProps) {
  const texts = useTexts("acceptances");
  const mayOpen = useSession().can("click:admin");
  if (isOpened) return <Notice tone="warning">{texts.opened}</Notice>;
  if (receipt.erased) {
    return (
      <Notice title={texts.erasedTitle}>
        <p>{texts.erasedText}</p>
      </Notice>
    );
  }
  if (!receipt.restricted) return null;
  return (
    <Notice tone="warning" title={texts.restrictedTitle}>
      <p>{mayOpen ? texts.restrictedText : texts.restrictedReadOnly}</p>
      {mayOpen && <OpenRestricted sessionId={receipt.sessionId} onOpened={onOpened} />}
    </Notice>
  );
}

interface OpenRestrictedProps {
  readonly sessionId: string;
  readonly onOpened: (evidence: Evidence) => void;
}

function OpenRestricted({ sessionId, onOpened }: OpenRestrictedProps) {
  const texts = useTexts("acceptances");
  const api = useApi();
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const open = async (values: FormValues) => {
    const path = `${evidencePath(sessionId)}/restricted`;
    onOpened(await api.send<Evidence>("POST", path, { reason: values.text("reason").trim() }));
  };
  return (
    <>
      <Button onPress={() => setIsAsking(true)}>{texts.open}</Button>
      <Dialog title={texts.openTitle} isOpen={isAsking} onClose={close}>
        <p>{texts.openText}</p>
        <Form submit={texts.open} onSubmit={open} onCancel={close}>
          <TextField
            name="reason"
            rows={3}
            label={texts.openReason}
            hint={texts.openReasonHelp}
            maxLength={2_000}
            isRequired
          />
        </Form>
      </Dialog>
    </>
  );
}
