import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import { useTexts } from "../../texts/texts.tsx";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { ClientWithSecret } from "./client.ts";
import { ClientSecret } from "./client-secret.tsx";
import { scopeGroups } from "./scope-groups.ts";
import "../access/access.css";

interface CreateClientDialogProps {
  readonly onCreated: () => unknown;
  readonly onClose: () => void;
}

/** Asks for a name and for what the client may do, and then shows its secret this once. */
export function CreateClientDialog({ onCreated, onClose }: CreateClientDialogProps) {
  const texts = useTexts("clients");
  const api = useApi();
  const [created, setCreated] = useState<ClientWithSecret>();
  if (created !== undefined) {
    return (
      <Dialog title={texts.createdTitle} isOpen isDismissable={false} onClose={onClose}>
        <ClientSecret client={created} lead={texts.createdLead(created.name)} onClose={onClose} />
      </Dialog>
    );
  }
  const groups = scopeGroups(texts);
  const create = async (values: FormValues) => {
    const scopes = groups.flatMap(({ id }) => values.list(id));
    if (scopes.length === 0) throw nothingChosen(texts.scopesMissing);
    setCreated(await api.send("POST", "/v1/dashboard/clients", { name: values.text("name").trim(), scopes }));
    onCreated();
  };
  return (
    <Dialog title={texts.createTitle} isOpen onClose={onClose}>
      <Form submit={texts.create} onCancel={onClose} onSubmit={create}>
        <TextField name="name" label={texts.nameLabel} hint={texts.nameHelp} maxLength={255} isRequired autoFocus />
        <fieldset className="scopes">
          <legend>{texts.scopesLabel}</legend>
          {groups.map(({ id, label, options }) => (
            <CheckboxGroup key={id} name={id} label={label} options={options} />
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}

const nothingChosen = (message: string): ApiError =>
  new ApiError({ status: 0, code: "NOTHING_CHOSEN", message, requestId: "", details: [] });
