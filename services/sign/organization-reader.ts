import type { Client } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { type Remembered, remembered } from "#platform/remembered.ts";

export interface OrganizationFacts {
  readonly name: string;
  /** Sandbox organizations may use return URLs on the developer's own machine. */
  readonly sandbox: boolean;
  /** Whether envelopes that were sent can be corrected in the compatible interface; absent for not. */
  readonly corrections?: boolean;
}

/** Who sent an agreement. */
export interface SenderFacts {
  /** Of a person, or of the API key or client of a program; empty when there is none with that id any more. */
  readonly name: string;
  /** Empty for programs. */
  readonly email: string;
  /** BCP 47; empty for none. */
  readonly locale: string;
  /** IANA; empty for none. */
  readonly timeZone: string;
}

/** `known` is for the handlers of changes, which have asked before. */
export interface OrganizationReader extends Remembered<OrganizationFacts> {
  /** Throws SERVICE_UNAVAILABLE while nobody knows it. */
  sender(orgId: string, senderId: string): Promise<SenderFacts>;
}

export interface OrganizationReaderDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "describeOrganization" | "describeCaller">;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly logger: Logger;
}

/** At most some seconds old while the auth service is available. */
export function createOrganizationReader(deps: OrganizationReaderDeps): OrganizationReader {
  const { monotonic, logger } = deps;
  const organizations = remembered({
    ask: (orgId) => describe(deps, orgId),
    maxAgeMs,
    monotonic,
    onAway: (orgId, err) => logger.warn({ err, orgId }, "an organization could not be read; what was known last holds"),
  });
  const senders = remembered({
    ask: (key) => describeSender(deps, key),
    maxAgeMs,
    monotonic,
    onAway: (_, err) => logger.warn({ err }, "a sender could not be read; what was known last holds"),
  });
  return { ...organizations, sender: (orgId, senderId) => senders.of(`${orgId} ${senderId}`) };
}

const maxAgeMs = 5_000;

async function describeSender({ tokens }: OrganizationReaderDeps, key: string): Promise<SenderFacts> {
  const [organizationId = "", clientId = ""] = key.split(" ");
  try {
    const { name, email, locale, timeZone } = await tokens.describeCaller({ organizationId, clientId }, { timeoutMs });
    return { name, email, locale, timeZone };
  } catch (error) {
    if (fromConnectError(error)?.code === "NOT_FOUND") return unknownSender;
    throw error;
  }
}

/** Of an id that nobody has any more. */
export const unknownSender: SenderFacts = { name: "", email: "", locale: "", timeZone: "" };

const timeoutMs = 2_000;

async function describe({ tokens }: OrganizationReaderDeps, organizationId: string): Promise<OrganizationFacts> {
  const { organization } = await tokens.describeOrganization({ organizationId }, { timeoutMs });
  if (organization === undefined) throw new Error("the auth service answered no organization");
  const { name, sandbox, envelopeCorrections: corrections } = organization;
  return { name, sandbox, corrections };
}
