import { useState } from "react";
import type { Agreement, Recipient } from "#api/agreements.ts";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { agreementPath, useAgreementChanges } from "./queries.ts";

interface ChecksProps {
  readonly agreement: Agreement;
  readonly recipient: Recipient;
}

/** What a recipient has proved so far, how often that failed, and the way on for somebody who is locked out. */
export function Checks({ agreement, recipient }: ChecksProps) {
  const texts = useTexts("agreements");
  const mayUnlock = useSession().can("sign:write");
  const [isAsked, setIsAsked] = useState(false);
  const { verification } = recipient;
  const isLocked = verification.some(({ state }) => state === "locked");
  return (
    <>
      {verification.map(({ method, state, failures }) => (
        <small key={method}>
          {`${texts.checks[method]}: ${texts.checkStates[state]}`}
          {failures > 0 && ` (${texts.checkFailures(failures)})`}
        </small>
      ))}
      {isLocked && mayUnlock && (
        <span>
          <Button onPress={() => setIsAsked(true)}>{texts.unlock}</Button>
        </span>
      )}
      {isAsked && <UnlockDialog agreement={agreement} recipient={recipient} onClose={() => setIsAsked(false)} />}
    </>
  );
}

function UnlockDialog({ agreement, recipient, onClose }: ChecksProps & { readonly onClose: () => void }) {
  const texts = useTexts("agreements");
  const api = useApi();
  const { agreementIs } = useAgreementChanges();
  const hasCode = recipient.verification.some(({ method }) => method === "access_code");
  const unlock = async (values: FormValues) => {
    const accessCode = hasCode ? values.text("accessCode") : "";
    const path = `${agreementPath(agreement.id)}/recipients/${encodeURIComponent(recipient.recipientId)}/unlock`;
    await api.send("POST", path, accessCode === "" ? {} : { accessCode });
    await agreementIs(await api.get<Agreement>(agreementPath(agreement.id)));
    onClose();
  };
  return (
    <Dialog title={texts.unlockTitle(recipient.name ?? recipient.recipientId)} isOpen onClose={onClose}>
      <p>{texts.unlockText}</p>
      <Form submit={texts.unlock} onSubmit={unlock} onCancel={onClose}>
        {hasCode && recipient.status !== "completed" && (
          <TextField
            name="accessCode"
            label={texts.unlockCode}
            hint={texts.unlockCodeHint}
            maxLength={50}
            autoComplete="off"
            autoFocus
          />
        )}
      </Form>
    </Dialog>
  );
}
