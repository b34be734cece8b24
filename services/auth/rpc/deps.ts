import type { Pool } from "pg";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { TokenIssuer } from "../domain/access-token.ts";
import type { DerivedKeys } from "../domain/secrets.ts";
import type { Keyring } from "../keyring.ts";
import type { AuthOrm } from "../store/orm.ts";
import type { UsageLog } from "../usage.ts";

/** Everything that handlers may use; each one names its part of it. */
export interface AuthDeps {
  /** Management data of one organization at a time. */
  readonly orm: AuthOrm;
  /** Reads what has to be found before the organization is known. */
  readonly lookup: Pool;
  readonly keys: DerivedKeys;
  readonly keyring: Keyring;
  readonly issuer: TokenIssuer;
  readonly usage: Pick<UsageLog, "note">;
  readonly clock: Clock;
  readonly newId: NewId;
}
