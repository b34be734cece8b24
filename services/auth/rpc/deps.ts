import type { ServiceImpl } from "@connectrpc/connect";
import type { Pool } from "pg";
import type { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import type { PasswordStretcher } from "#platform/password-stretcher.ts";
import type { TokenIssuer } from "../domain/access-token.ts";
import type { DerivedKeys } from "../domain/secrets.ts";
import type { Keyring } from "../keyring.ts";
import type { ErasureList } from "../privacy/erasure-list.ts";
import type { Holders } from "../privacy/holders.ts";
import type { AuthOrm } from "../store/orm.ts";
import type { UsageLog } from "../usage.ts";

/** Everything that handlers may use; each one names its part of it. */
export interface AuthDeps {
  /** Management data of one organization at a time. */
  readonly orm: AuthOrm;
  /** Reads what has to be found before the organization is known. */
  readonly lookup: Pool;
  /** Adds up and removes what is counted of all organizations. */
  readonly janitor: Pool;
  /** People of one organization at a time. */
  readonly people: Pool;
  readonly keys: DerivedKeys;
  readonly keyring: Keyring;
  readonly issuer: TokenIssuer;
  readonly usage: Pick<UsageLog, "note">;
  readonly passwords: PasswordStretcher;
  /** Undefined when no mails can be sent. */
  readonly mail: MailSetup | undefined;
  /** The address at which people open links, without a trailing slash; empty when not configured. */
  publicUrl(): string;
  /** There may be a mail to send. */
  wakeMails(): void;
  /** There may be somebody to erase. */
  wakeErasures(): void;
  /** Connects as the role that may take people out of the audit trail. */
  readonly eraserPool: Pool;
  /** Connects as the role that may delete lines of the audit trail. */
  readonly removerPool: Pool;
  /** The services that keep something of people. */
  readonly holders: Holders;
  /** Undefined where none is kept. */
  readonly erasureList: ErasureList | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Some RPCs of the service. */
export type TokenRpcs<Name extends keyof ServiceImpl<typeof TokenService>> = Pick<
  ServiceImpl<typeof TokenService>,
  Name
>;

/** Some RPCs of the service. */
export type UserRpcs<Name extends keyof ServiceImpl<typeof UserService>> = Pick<ServiceImpl<typeof UserService>, Name>;

/** Some RPCs of the service. */
export type AdminRpcs<Name extends keyof ServiceImpl<typeof AdminService>> = Pick<
  ServiceImpl<typeof AdminService>,
  Name
>;

/** Some RPCs of the service. */
export type LoginRpcs<Name extends keyof ServiceImpl<typeof LoginService>> = Pick<
  ServiceImpl<typeof LoginService>,
  Name
>;
