import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/wrong-input.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { localOf, momentOf } from "../../ui/local-time.ts";
import { Notice } from "../../ui/notice.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useWebhookChanges } from "./queries.ts";
import type { Endpoint } from "./types.ts";

interface RecoverDialogProps {
  readonly endpoint: Endpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for a range of time, and says how much of it waits again. */
export function RecoverDialog({ endpoint, isOpen, onClose }: RecoverDialogProps) {
  const texts = useTexts("webhooks");
  return (
    <Dialog title={texts.recoverTitle} isOpen={isOpen} onClose={onClose}>
      <p>{texts.recoverText}</p>
      <RecoverForm endpoint={endpoint} onClose={onClose} />
    </Dialog>
  );
}

function RecoverForm({ endpoint, onClose }: Omit<RecoverDialogProps, "isOpen">) {
  const texts = useTexts("webhooks");
  const { timeZone } = useLanguage();
  const api = useApi();
  const { deliveriesChanged } = useWebhookChanges();
  const [queued, setQueued] = useState<number>();
  const recover = async (values: FormValues) => {
    const path = `/v1/webhooks/endpoints/${encodeURIComponent(endpoint.id)}/recover`;
    const answer = await api.send<{ queued: number }>("POST", path, rangeOf(values, timeZone, texts));
    setQueued(answer.queued);
    await deliveriesChanged();
  };
  if (queued !== undefined) {
    return (
      <>
        <Notice tone={queued === 0 ? "info" : "success"}>
          {queued === 0 ? texts.recoveredNothing : texts.recovered(queued)}
        </Notice>
        <div className="form-buttons">
          <Button kind="primary" onPress={onClose}>
            {texts.done}
          </Button>
        </div>
      </>
    );
  }
  return (
    <Form submit={texts.recover} onSubmit={recover} onCancel={onClose}>
      <TextField
        name="since"
        type="datetime-local"
        label={texts.since}
        hint={texts.inZone(timeZone)}
        defaultValue={localOf(startOf(endpoint), timeZone)}
        isRequired
      />
      <TextField name="until" type="datetime-local" label={texts.until} hint={texts.untilHelp} />
    </Form>
  );
}

const dayMs = 86_400_000;

/** When it began to miss something, as far as that is known; a day ago otherwise. */
function startOf({ failingSince, disabledAt }: Endpoint): Date {
  const known = failingSince ?? disabledAt;
  return known === null ? new Date(Date.now() - dayMs) : new Date(known);
}

type Words = Readonly<Record<"badTime" | "badRange", string>>;

/** Throws what the form shows at its fields. */
function rangeOf(values: FormValues, timeZone: string, { badTime, badRange }: Words): object {
  const since = momentOf(values.text("since"), timeZone);
  if (since === undefined) throw wrongInput(badTime, "since");
  if (values.text("until") === "") return { since: since.toISOString() };
  const until = momentOf(values.text("until"), timeZone);
  if (until === undefined) throw wrongInput(badTime, "until");
  if (until <= since) throw wrongInput(badRange, "until");
  return { since: since.toISOString(), until: until.toISOString() };
}
