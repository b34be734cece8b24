import type { Client } from "@connectrpc/connect";
import type pg from "pg";
import type { EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import type { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import type { Intake } from "./intake/intake.ts";
import type { OrganizationReader } from "./organization-reader.ts";
import type { Sealer } from "./seal/sealer.ts";
import type { SealReader } from "./verification/seal-reader.ts";
import type { Witness } from "./witness/witness.ts";

/** What the handlers are made of; each takes what it uses. */
export interface SignDeps {
  readonly pool: pg.Pool;
  readonly blobs: BlobStore;
  /** Checks, converts, searches and joins files in processes of their own. */
  readonly intake: Intake;
  /** Prints certificates and what is not a PDF. */
  readonly renderer: Client<typeof RendererService>;
  /** Keeps the evidence logs of the organizations. */
  readonly evidenceLog: Client<typeof EvidenceLogService>;
  readonly organizations: OrganizationReader;
  /** Undefined without a mail server: nobody is told by mail. */
  readonly mail?: MailSetup | undefined;
  /** Undefined without a sealing certificate: nothing can be completed. */
  readonly sealer?: Sealer | undefined;
  /** Looks at each file before it is sealed. */
  readonly witness: Pick<Witness, "confirm">;
  /** Reads the signatures of files for customers. */
  readonly sealReader: Pick<SealReader, "read">;
  /** The same for everybody else, who must not keep customers waiting. */
  readonly publicSealReader: Pick<SealReader, "read">;
  /** Connects as the role that finds sealed files of all organizations by their hashes, and sees nothing else. */
  readonly verifierPool: pg.Pool;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
  /** Tells the job loop that there is new work. */
  wakeJobs(): void;
}
