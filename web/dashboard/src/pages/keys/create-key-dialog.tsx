import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine, Secret } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Revealed } from "../access/revealed.tsx";

interface CreateKeyDialogProps {
  readonly onCreated: () => unknown;
  readonly onClose: () => void;
}

/** Asks for a name, and then shows the key this once. */
export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const texts = useTexts("keys");
  const { done } = useTexts("common");
  const api = useApi();
  const [created, setCreated] = useState<{ readonly name: string; readonly apiKey: string }>();
  if (created !== undefined) {
    const tryIt = `curl -s ${window.location.origin}/v1/click/templates -H 'Authorization: Bearer ${created.apiKey}'`;
    return (
      <Dialog title={texts.createdTitle} isOpen isDismissable={false} onClose={onClose}>
        <Revealed>
          <p>{texts.createdLead(created.name)}</p>
          <Secret value={created.apiKey} />
          <strong>{texts.tryIt}</strong>
          <CopyLine text={tryIt} />
          <div className="form-buttons">
            <Button kind="primary" onPress={onClose}>
              {done}
            </Button>
          </div>
        </Revealed>
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.createTitle} isOpen onClose={onClose}>
      <Form
        submit={texts.create}
        onCancel={onClose}
        onSubmit={async (values) => {
          setCreated(await api.send("POST", "/v1/dashboard/api-keys", { name: values.text("name").trim() }));
          onCreated();
        }}
      >
        <TextField name="name" label={texts.nameLabel} hint={texts.nameHelp} maxLength={255} isRequired autoFocus />
      </Form>
    </Dialog>
  );
}
