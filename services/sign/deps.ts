import type { Client, ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import type { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import type { KeyRing } from "#platform/secrets.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import type { AgreementFiles } from "./files/agreement-files.ts";
import type { IdentityCodes } from "./identity/codes.ts";
import type { Intake } from "./intake/intake.ts";
import type { ReportTokens } from "./mail/report-tokens.ts";
import type { OrganizationReader } from "./organization-reader.ts";
import type { RecordHolders } from "./retention/periods.ts";
import type { Sealer } from "./seal/sealer.ts";
import type { ResolveTexts } from "./sender-domains/look-up.ts";
import type { SealReader } from "./verification/seal-reader.ts";
import type { Witness } from "./witness/witness.ts";

/** The dependencies of the handlers; each handler picks what it uses. */
export interface SignDeps {
  readonly pool: pg.Pool;
  readonly files: AgreementFiles;
  /** What the personal part of trails is sealed with. */
  readonly vault: SeedVault;
  /** Checks, converts, searches and merges files in separate processes. */
  readonly intake: Intake;
  /** Renders certificates, and documents that are not PDFs. */
  readonly renderer: Client<typeof RendererService>;
  /** The service that keeps the organizations' evidence logs. */
  readonly evidenceLog: Client<typeof EvidenceLogService>;
  /** The services that keep what periods are for, beside agreements. */
  readonly records: RecordHolders;
  /** RETENTION_PER_MINUTE is 0: nothing goes because its time is over, here or in a service that asks for holds. */
  readonly deletesNothing: boolean;
  readonly organizations: OrganizationReader;
  /** Undefined without a mail server: no mail is sent. */
  readonly mail?: MailSetup | undefined;
  /** Where readers of mails report abuse; empty for nowhere. */
  readonly abuseContact: string;
  /** What the private keys of sender domains are sealed with. */
  readonly senderKeys: KeyRing;
  /** Where mails come from unless from a domain of the organization; empty without a mail server. */
  readonly mailDomain: string;
  /** What recipients prove something with. */
  readonly codes: IdentityCodes;
  /** Looks up DNS records. */
  readonly resolveTexts: ResolveTexts;
  /** By which reports name the mails that came back. */
  readonly reportTokens: ReportTokens;
  /** Undefined without a sealing certificate: no agreement can be completed. */
  readonly sealer?: Sealer | undefined;
  /** Independently checks each file before it is sealed. */
  readonly witness: Pick<Witness, "confirm">;
  /** Reads file signatures for customers. */
  readonly sealReader: Pick<SealReader, "read">;
  /** Reads file signatures for the public, with its own capacity so that customers never wait for it. */
  readonly publicSealReader: Pick<SealReader, "read">;
  /** Connects as the role that finds sealed files of all organizations by hash, and can read nothing else. */
  readonly verifierPool: pg.Pool;
  /** Connects as the role that finds files by their words, and sees nothing else. */
  readonly searcherPool: pg.Pool;
  /** Connects as the role that takes away what is known of a person. */
  readonly eraserPool: pg.Pool;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  /** Tells the relay that new events are waiting. */
  wakeRelay(): void;
  /** Tells the job loop that new work is waiting. */
  wakeJobs(): void;
}

/** Some RPCs of the service. */
export type SigningRpcs<Name extends keyof ServiceImpl<typeof SigningService>> = Pick<
  ServiceImpl<typeof SigningService>,
  Name
>;

/** Some RPCs of the service. */
export type SignRpcs<Name extends keyof ServiceImpl<typeof SignService>> = Pick<ServiceImpl<typeof SignService>, Name>;
