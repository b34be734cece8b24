import type { Client, CreatedClient } from "#api/organizations.ts";
import "../access/access.css";
import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine, Secret } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckboxGroup, Form, type FormValues } from "../../ui/form.tsx";
import type { Column } from "../../ui/table.tsx";
import { type Option, TextField } from "../../ui/text-field.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { CredentialsPage } from "../access/credentials-page.tsx";
import { Revealed, RowButtons } from "../access/parts.tsx";

/** The OAuth clients of the organization. */
export function ClientsPage() {
  const texts = useTexts("clients");
  const [rotating, setRotating] = useState<Client>();
  return (
    <CredentialsPage<Client>
      texts={texts}
      path="/v1/dashboard/clients"
      columns={(onRevoke) => clientColumns(texts, onRevoke && { onRotate: setRotating, onRevoke })}
      createDialog={(onCreated, onClose) => <CreateClientDialog onCreated={onCreated} onClose={onClose} />}
    >
      {rotating && <RotateSecretDialog client={rotating} onClose={() => setRotating(undefined)} />}
    </CredentialsPage>
  );
}

/** Asks whether the old secret may stop working, and then shows the new one once. */
function RotateSecretDialog({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) {
  const texts = useTexts("clients");
  const api = useApi();
  const [rotated, setRotated] = useState<CreatedClient>();
  if (rotated !== undefined) {
    return (
      <Dialog title={texts.rotatedTitle} isOpen isDismissable={false} onClose={onClose}>
        <ClientSecret client={rotated} lead={texts.rotatedLead(rotated.name)} onClose={onClose} />
      </Dialog>
    );
  }
  const path = `/v1/dashboard/clients/${encodeURIComponent(client.id)}/rotate-secret`;
  return (
    <Dialog title={texts.rotateTitle(client.name)} isOpen onClose={onClose}>
      <Form
        submit={texts.rotateConfirm}
        kind="danger"
        onCancel={onClose}
        onSubmit={async () => setRotated(await api.send("POST", path))}
      >
        <p>{texts.rotateText}</p>
      </Form>
    </Dialog>
  );
}

interface CreateClientDialogProps {
  readonly onCreated: () => unknown;
  readonly onClose: () => void;
}

/** Asks for a name and for the scopes of the client, and then shows its secret once. */
function CreateClientDialog({ onCreated, onClose }: CreateClientDialogProps) {
  const texts = useTexts("clients");
  const api = useApi();
  const [created, setCreated] = useState<CreatedClient>();
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

/** Everything that a client may be allowed, by the part of the product that it belongs to. */
function scopeGroups({ groups, meanings }: Texts["clients"]): { id: string; label: string; options: Option[] }[] {
  return Object.entries(groups).map(([id, label]) => ({
    id,
    label,
    options: Object.entries(meanings)
      .filter(([scope]) => scope.startsWith(`${id}:`))
      .map(([scope, meaning]) => ({ id: scope, label: scope, hint: meaning })),
  }));
}

interface ClientSecretProps {
  readonly client: CreatedClient;
  readonly lead: string;
  readonly onClose: () => void;
}

/** The secret of a client, shown once, and how to fetch a token with it. */
function ClientSecret({ client, lead, onClose }: ClientSecretProps) {
  const texts = useTexts("clients");
  const { done } = useTexts("common");
  const login = `-u '${client.id}:${client.clientSecret}'`;
  return (
    <Revealed>
      <p>{lead}</p>
      <strong>{texts.idLabel}</strong>
      <CopyLine text={client.id} />
      <Secret label={texts.secretLabel} value={client.clientSecret} />
      <strong>{texts.tryIt}</strong>
      <CopyLine text={`curl -s ${window.location.origin}/oauth/token ${login} -d grant_type=client_credentials`} />
      <div className="form-buttons">
        <Button kind="primary" onPress={onClose}>
          {done}
        </Button>
      </div>
    </Revealed>
  );
}

interface ClientActions {
  readonly onRotate: (client: Client) => void;
  readonly onRevoke: (client: Client) => void;
}

/** The columns of the table of clients; without buttons for those who may only read. */
function clientColumns(texts: Texts["clients"], actions: ClientActions | undefined): readonly Column<Client>[] {
  const columns: Column<Client>[] = [
    {
      id: "name",
      title: texts.name,
      cell: ({ id, name, revokedAt }) => (
        <span className="stacked">
          <span className="inline">
            {name}
            {revokedAt !== null && <Badge>{texts.revoked}</Badge>}
          </span>
          <small>
            <code>{id}</code>
          </small>
        </span>
      ),
    },
    {
      id: "scopes",
      title: texts.scopes,
      cell: ({ scopes }) => (
        <span className="inline">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      ),
    },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "used", title: texts.lastUsed, cell: ({ lastUsedAt }) => <RelativeTime value={lastUsedAt} /> },
  ];
  if (actions === undefined) return columns;
  const buttons: Column<Client> = {
    id: "buttons",
    title: "",
    align: "end",
    cell: (client) => client.revokedAt === null && <ClientButtons client={client} {...actions} />,
  };
  return [...columns, buttons];
}

function ClientButtons({ client, onRotate, onRevoke }: ClientActions & { readonly client: Client }) {
  const texts = useTexts("clients");
  return (
    <RowButtons>
      <Button kind="quiet" aria-label={texts.rotateOf(client.name)} onPress={() => onRotate(client)}>
        {texts.rotate}
      </Button>
      <Button kind="quiet" aria-label={texts.revokeOf(client.name)} onPress={() => onRevoke(client)}>
        {texts.revoke}
      </Button>
    </RowButtons>
  );
}
