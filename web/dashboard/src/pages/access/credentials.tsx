import { type ReactNode, useState } from "react";
import { Switch } from "../../ui/switch.tsx";

/** What keys and clients have in common. */
export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

interface WithRevokedProps<Item extends Credential> {
  readonly items: readonly Item[];
  readonly showRevoked: (count: number) => string;
  readonly children: (shown: readonly Item[]) => ReactNode;
}

/** Those that work, and on demand those that were revoked as well. */
export function WithRevoked<Item extends Credential>({ items, showRevoked, children }: WithRevokedProps<Item>) {
  const [isAll, setIsAll] = useState(false);
  const active = items.filter(({ revokedAt }) => revokedAt === null);
  const revokedCount = items.length - active.length;
  return (
    <>
      {children(isAll ? items : active)}
      {revokedCount > 0 && (
        <Switch isSelected={isAll} onChange={setIsAll}>
          {showRevoked(revokedCount)}
        </Switch>
      )}
    </>
  );
}
