import { type Client, ConnectError } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { withOrg } from "#platform/db/pool.ts";
import { fromConnectError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { findShown, hasShown, insertSealedRendering, insertShown } from "../terms/content-store.ts";
import { type Placement, parsePlacement } from "../terms/placement.ts";
import { sealRendering } from "../vault/seals.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";

/** Stores what is shown before anybody sees it, so that evidence never has to recreate it. */
export interface ShownKeeper {
  /** Makes sure that the contents are stored. Returns undefined when this process knows that they are. */
  keep(orgId: OrgId, contents: readonly string[]): Promise<void> | undefined;
  /**
   * Makes sure that the picture of a deployment is stored. Returns undefined when there is none, or when this process knows
   * that it is. One that was deleted since the deployment was read is left out: the snapshot still names its hash.
   */
  keepScreenshot(caller: Caller, placement: Pick<Placement, "deploymentId" | "screenshot">): Promise<void> | undefined;
  /** Stores the HTML of a GENERATED text under the id of an acceptance without a session that is about to be recorded. */
  keepSealedRendering(orgId: OrgId, receiptId: string, seed: Buffer, html: string): Promise<void>;
  /** A deployment as it was, by the hash of a stored snapshot; returned synchronously when it was read before. */
  placement(orgId: OrgId, snapshotHash: string): Placement | undefined | Promise<Placement | undefined>;
  /** Whether the words that are stored under the hash have the disclosure on electronic records. */
  hasDisclosure(orgId: OrgId, wordsHash: string | null): boolean | Promise<boolean>;
}

/** Only names, about 100 bytes each. */
const rememberedKept = 100_000;
/** Up to some ten kilobytes each. */
const cachedPlacements = 1_000;

export interface ShownKeeperDeps {
  readonly pool: pg.Pool;
  readonly vault: SubjectVault;
  readonly templates: Client<typeof TemplatesService>;
}

export function createShownKeeper({ pool, vault, templates }: ShownKeeperDeps): ShownKeeper {
  const kept = new LRUCache<string, true>({ maxSize: rememberedKept, sizeCalculation: () => 1 });
  const placements = new LRUCache<string, Placement>({ max: cachedPlacements });
  const store = async (orgId: OrgId, names: readonly string[], contents: readonly Buffer[]): Promise<void> => {
    await withOrg(pool, orgId, (tenant) => insertShown(tenant, contents));
    for (const name of names) kept.set(name, true);
  };
  const disclosing = new LRUCache<string, boolean>({ maxSize: rememberedKept, sizeCalculation: () => 1 });
  const readDisclosure = async (orgId: OrgId, hash: string): Promise<boolean> => {
    const words = (await withOrg(pool, orgId, (tenant) => findShown(tenant, [hash]))).get(hash);
    const has = words !== undefined && Object.hasOwn(JSON.parse(words.toString("utf8")) as object, "disclosure");
    disclosing.set(`${orgId}/${hash}`, has);
    return has;
  };
  const load = async (orgId: OrgId, hash: string, name: string): Promise<Placement | undefined> => {
    const found = await withOrg(pool, orgId, (tenant) => findShown(tenant, [hash]));
    const snapshot = found.get(hash);
    if (snapshot === undefined) return undefined;
    const placement = parsePlacement(snapshot.toString("utf8"));
    placements.set(name, placement);
    return placement;
  };
  const storeScreenshot = async (caller: Caller, deploymentId: string, { id, hash }: KeptScreenshot): Promise<void> => {
    const { orgId } = caller;
    const name = `${orgId}/${hash}`;
    if (await withOrg(pool, orgId, (tenant) => hasShown(tenant, hash))) {
      kept.set(name, true);
      return;
    }
    const content = await fetchScreenshot(templates, caller, { deploymentId, screenshotId: id });
    if (content === undefined) return;
    if (sha256Label(content) !== hash) {
      throw new Error("the screenshot of a deployment is not the one that its snapshot names");
    }
    await store(orgId, [name], [content]);
  };
  return {
    keepScreenshot: (caller, { deploymentId, screenshot }) =>
      screenshot === undefined || kept.get(`${caller.orgId}/${screenshot.hash}`) !== undefined
        ? undefined
        : storeScreenshot(caller, deploymentId, screenshot),
    keep: (orgId, contents) => {
      const named = contents.map((content) => ({ name: `${orgId}/${sha256Label(content)}`, content }));
      const missing = named.filter(({ name }) => kept.get(name) === undefined);
      if (missing.length === 0) return undefined;
      const names = missing.map(({ name }) => name);
      return store(
        orgId,
        names,
        missing.map(({ content }) => Buffer.from(content)),
      );
    },
    keepSealedRendering: (orgId, receiptId, seed, html) => {
      const sealed = sealRendering(vault, { organizationId: orgId, recordId: receiptId }, seed, html);
      return withOrg(pool, orgId, (tenant) => insertSealedRendering(tenant, receiptId, sealed));
    },
    placement: (orgId, snapshotHash) => {
      const name = `${orgId}/${snapshotHash}`;
      return placements.get(name) ?? load(orgId, snapshotHash, name);
    },
    hasDisclosure: (orgId, wordsHash) =>
      wordsHash !== null && (disclosing.get(`${orgId}/${wordsHash}`) ?? readDisclosure(orgId, wordsHash)),
  };
}

type KeptScreenshot = NonNullable<Placement["screenshot"]>;

/** Up to 5 MiB. */
const transferMs = 10_000;

/** Undefined when there is no such screenshot any more. */
async function fetchScreenshot(
  templates: Client<typeof TemplatesService>,
  caller: Caller,
  name: { readonly deploymentId: string; readonly screenshotId: string },
): Promise<Buffer | undefined> {
  try {
    const options = { headers: callerHeaders(caller), timeoutMs: transferMs };
    return Buffer.from((await templates.getScreenshot(name, options)).content);
  } catch (error) {
    const code = error instanceof ConnectError ? fromConnectError(error)?.code : undefined;
    if (code === "CLICK_SCREENSHOT_NOT_FOUND" || code === "CLICK_DEPLOYMENT_NOT_FOUND") return undefined;
    throw error;
  }
}
