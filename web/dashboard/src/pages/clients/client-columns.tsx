import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/table.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { RowButtons } from "../access/row-buttons.tsx";
import type { Client } from "./client.ts";
import "../access/access.css";

interface ClientActions {
  readonly onRotate: (client: Client) => void;
  readonly onRevoke: (client: Client) => void;
}

/** The columns of the table of clients; without buttons for those who may only read. */
export function clientColumns(texts: Texts["clients"], actions: ClientActions | undefined): readonly Column<Client>[] {
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
