import { useState } from "react";
import type { Agreement, Recipient } from "#api/agreements.ts";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { agreementPath } from "./queries.ts";

interface LinkDialogProps {
  readonly agreement: Agreement;
  readonly recipient: Recipient;
  readonly onClose: () => void;
}

interface Link {
  readonly url: string;
  readonly expiresAt: string;
}

/** As long as the API lets it be. */
const longestUrl = 470;

/** A link for somebody who signs in an application, such as to try it out or to help. */
export function LinkDialog({ agreement, recipient, onClose }: LinkDialogProps) {
  const texts = useTexts("agreements");
  const { done } = useTexts("common");
  const api = useApi();
  const [link, setLink] = useState<Link>();
  const make = async (values: FormValues) => {
    const body = { recipientId: recipient.recipientId, returnUrl: values.text("returnUrl") };
    setLink(await api.send<Link>("POST", `${agreementPath(agreement.id)}/views/recipient`, body));
  };
  const name = recipient.name ?? recipient.email ?? recipient.recipientId;
  return (
    <Dialog title={texts.linkTitle(name)} isOpen onClose={onClose}>
      <p>{texts.linkText}</p>
      {link === undefined ? (
        <Form submit={texts.linkMake} onSubmit={make} onCancel={onClose}>
          <TextField
            name="returnUrl"
            type="url"
            label={texts.linkReturn}
            hint={texts.linkReturnHint}
            maxLength={longestUrl}
            defaultValue={defaultUrl()}
            isRequired
            autoFocus
          />
        </Form>
      ) : (
        <>
          <CopyLine text={link.url} />
          <p>
            {texts.linkUntil} <Time value={link.expiresAt} seconds />
          </p>
          <div className="form-buttons">
            <Button kind="primary" onPress={onClose}>
              {done}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** This site, where it may be one. */
const defaultUrl = (): string => (window.location.protocol === "https:" ? `${window.location.origin}/` : "");
