import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/table.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import type { Credential } from "../access/credentials.tsx";
import { CredentialsPage } from "../access/credentials-page.tsx";
import { RowButtons } from "../access/row-buttons.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import "../access/access.css";

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
