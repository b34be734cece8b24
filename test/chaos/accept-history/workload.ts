import type { Random } from "./random.ts";
import type { Tenant } from "./tenants.ts";

/** A request that a client may send under a key, as often as it likes. */
export interface PlannedRequest {
  /** Names the body: requests of one key with the same variant are the same request. */
  readonly variant: string;
  readonly path: string;
  readonly body: object;
}

/** A key and what is sent under it: first the request that is meant, then others that must be told apart from it. */
export interface PlannedKey {
  readonly tenant: Tenant;
  readonly key: string;
  readonly requests: readonly PlannedRequest[];
}

type Kind = "direct" | "session" | "consent" | "update" | "mixed";

/** How often each kind occurs. */
const kinds: readonly Kind[] = [
  ...Array<Kind>(5).fill("direct"),
  ...Array<Kind>(2).fill("session"),
  ...Array<Kind>(2).fill("consent"),
  ...Array<Kind>(2).fill("update"),
  "mixed",
];

/** Few, so that their changes of consent get in each other's way. */
const consentingUsers = 5;

/** As many sessions as `planKeys` needs for so many keys of one tenant, at most. */
export const sessionsFor = (keys: number): number => Math.ceil(keys / 6);

/** Keys of several tenants that are used one after the other; the sessions of a tenant are used by two keys each. */
export function planKeys(random: Random, tenants: readonly Tenant[], count: number): PlannedKey[] {
  const usedSessions = new Map<Tenant, number>();
  return Array.from({ length: count }, (_, n) => {
    const tenant = random.pick(tenants);
    const used = usedSessions.get(tenant) ?? 0;
    const sessionId = tenant.sessions[Math.floor(used / 2)];
    const wanted = random.pick(kinds);
    const kind = wanted === "session" && sessionId === undefined ? "direct" : wanted;
    if (kind === "session") usedSessions.set(tenant, used + 1);
    return { tenant, key: `${kind}-${n}`, requests: requestsOf(kind, { n, tenant, random, sessionId }) };
  });
}

interface KeyContext {
  readonly n: number;
  readonly tenant: Tenant;
  readonly random: Random;
  readonly sessionId: string | undefined;
}

function requestsOf(kind: Kind, { n, tenant, random, sessionId }: KeyContext): PlannedRequest[] {
  const templateSlug = random.pick(tenant.texts);
  const userRef = `user-${n}`;
  const consenting = `consenting-${random.integer(consentingUsers)}`;
  const direct = acceptance("meant", { templateSlug, userRef, metadata: { order: `order-${n}` } });
  switch (kind) {
    case "direct":
      return [
        direct,
        acceptance("other metadata", { templateSlug, userRef, metadata: { order: "another" } }),
        acceptance("other user", { templateSlug, userRef: `${userRef}-b`, metadata: { order: `order-${n}` } }),
      ];
    case "session":
      return [
        acceptance("meant", { sessionId }),
        acceptance("other metadata", { sessionId, metadata: { order: "another" } }),
      ];
    case "consent":
      return [
        acceptance("meant", consentBody(tenant, consenting, true)),
        acceptance("other decision", consentBody(tenant, consenting, false)),
      ];
    case "update":
      return [
        update("meant", consenting, ["analytics", "marketing"]),
        update("other purposes", consenting, ["marketing"]),
      ];
    case "mixed":
      return [direct, update("a change of consent", consenting, ["analytics"])];
  }
}

const acceptance = (variant: string, body: object): PlannedRequest => ({ variant, path: "/v1/click/accept", body });

const consentBody = ({ consent }: Tenant, userRef: string, marketing: boolean): object => ({
  templateSlug: consent,
  userRef,
  purposes: [
    { purpose: "analytics", granted: true },
    { purpose: "marketing", granted: marketing },
  ],
});

/** Grants only: a grant is always recorded, whatever was granted before. */
const update = (variant: string, userRef: string, purposes: readonly string[]): PlannedRequest => ({
  variant,
  path: `/v1/click/consent/${userRef}`,
  body: { purposes: purposes.map((purpose) => ({ purpose, decision: "GRANT" })), source: "PREFERENCE_CENTER" },
});
