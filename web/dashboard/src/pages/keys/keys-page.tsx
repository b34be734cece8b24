import "../access/access.css";
import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine, Secret } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import type { Column } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { CredentialsPage } from "../access/credentials-page.tsx";
import { type Credential, Revealed, RowButtons } from "../access/parts.tsx";

/** The API keys of the organization. */
export function KeysPage() {
  const texts = useTexts("keys");
  return (
    <CredentialsPage<Credential>
      texts={texts}
      path="/v1/dashboard/api-keys"
      columns={(onRevoke) => keyColumns(texts, onRevoke)}
      createDialog={(onCreated, onClose) => <CreateKeyDialog onCreated={onCreated} onClose={onClose} />}
    />
  );
}

function keyColumns(
  texts: Texts["keys"],
  onRevoke: ((key: Credential) => void) | undefined,
): readonly Column<Credential>[] {
  const columns: Column<Credential>[] = [
    {
      id: "name",
      title: texts.name,
      cell: ({ name, revokedAt }) => (
        <span className="inline">
          {name}
          {revokedAt !== null && <Badge>{texts.revoked}</Badge>}
        </span>
      ),
    },
    { id: "id", title: texts.id, cell: ({ id }) => <code>{id}</code> },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "used", title: texts.lastUsed, cell: ({ lastUsedAt }) => <RelativeTime value={lastUsedAt} /> },
  ];
  if (onRevoke === undefined) return columns;
  const buttons: Column<Credential> = {
    id: "buttons",
    title: "",
    align: "end",
    cell: (key) =>
      key.revokedAt === null && (
        <RowButtons>
          <Button kind="quiet" aria-label={texts.revokeOf(key.name)} onPress={() => onRevoke(key)}>
            {texts.revoke}
          </Button>
        </RowButtons>
      ),
  };
  return [...columns, buttons];
}

interface CreateKeyDialogProps {
  readonly onCreated: () => unknown;
  readonly onClose: () => void;
}

/** Asks for a name, and then shows the key this once. */
function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
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
