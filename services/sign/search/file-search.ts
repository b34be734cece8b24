import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import { requireCaller } from "#platform/caller.ts";
import { withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { addWords } from "../intake/read-words.ts";
import { insertJobs } from "../jobs/job-store.ts";
import { insertActs } from "../retention/acts.ts";
import { countFiles, findWithWords, readSetting, stemsInAll, turn } from "./search-store.ts";

/** Of six bytes: that two words of a file collide is as good as impossible, and nobody learns a word from it. */
const hashBytes = 6;

/** What stands for a word in the index: equal for equal words of one language in one organization. */
export const hashedWord = (vault: SeedVault, orgId: OrgId, language: string, stem: string): string =>
  vault.subjectIndex(orgId, `file word ${language} ${stem}`).subarray(0, hashBytes).toString("base64url");

/** As many words count in a search. */
const maxWanted = 20;

interface Searching extends Pick<SignDeps, "pool" | "vault"> {
  readonly searcherPool: pg.Pool;
}

/** The agreements one of whose files has all of the words; undefined when the organization does not search in files. */
export async function searchFiles(
  { pool, searcherPool, vault }: Searching,
  orgId: OrgId,
  text: string,
): Promise<string[] | undefined> {
  const words = new Set<string>();
  addWords(words, text, maxWanted);
  const asked = await withOrg(pool, orgId, async (tenant) => {
    const { isOn } = await readSetting(tenant);
    return isOn ? stemsInAll(tenant, [...words]) : undefined;
  });
  if (asked === undefined) return undefined;
  const queries = asked
    .filter(({ stems }) => stems.length > 0)
    .map(({ language, stems }) => stems.map((stem) => `'${hashedWord(vault, orgId, language, stem)}'`).join(" & "));
  if (queries.length === 0) return [];
  return findWithWords(searcherPool, orgId, [...new Set(queries)].map((query) => `(${query})`).join(" | "));
}

type Handlers = SignRpcs<"getFileSearch" | "putFileSearch">;
type Deps = Pick<SignDeps, "pool" | "clock" | "newId" | "wakeRelay" | "wakeJobs" | "organizations">;

export const fileSearch = (deps: Deps): Handlers => ({
  getFileSearch: (_request, context) => answerOf(deps, requireCaller(context).orgId),

  async putFileSearch({ enabled }, context) {
    const caller = requireCaller(context);
    const { orgId, clientId, requestId } = caller;
    await deps.organizations.of(orgId);
    await withOrg(deps.pool, orgId, async (tenant) => {
      const now = deps.clock.now();
      if (!(await turn(tenant, enabled, now))) return;
      // One that is running for what was before sees that it is otherwise now, and goes on.
      await insertJobs(tenant, { caller, agreementId: null, newId: deps.newId, now }, [
        { kind: "file-search", key: orgId, runAt: now, payload: {} },
      ]);
      const act = { id: deps.newId(), at: now, action: "file-search.changed", actor: clientId, requestId } as const;
      await insertActs(tenant, [{ ...act, subjectId: orgId, details: { enabled } }]);
    });
    deps.wakeRelay();
    deps.wakeJobs();
    return answerOf(deps, orgId);
  },
});

const answerOf = ({ pool }: Deps, orgId: OrgId) =>
  withOrgSnapshot(pool, orgId, async (tenant) => {
    const { isOn, changedAt } = await readSetting(tenant);
    const { files, read } = await countFiles(tenant);
    return {
      setting: {
        ...{ enabled: isOn, files: BigInt(files), filesRead: BigInt(read) },
        ...(changedAt === null ? {} : { changedAt: timestampFromDate(changedAt) }),
      },
    };
  });
