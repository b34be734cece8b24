import { randomBytes } from "node:crypto";
import pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { createRenderTokens, type RenderClaims, secondsOf } from "../../render/render-tokens.ts";
import { parts } from "../../test/forged-tokens.ts";
import { signingKeyKek } from "../sealed-columns.ts";
import type { KeyPurpose } from "../signing-key-store.ts";
import { createSigningKeys } from "../signing-keys.ts";

/** One database for the signing keys of several processes. */
export async function startKeyProcesses() {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, role: "assent_click", name: "test" });
  const superuser = new pg.Pool({ connectionString: database.superuserUrl, max: 1 });
  const masterKey = randomBytes(32);
  return {
    superuser,
    /** A process with a clock of its own. */
    startProcess: ({ key = masterKey, purpose = "render" as KeyPurpose } = {}) => createProcess(pool, key, purpose),
    storedKeys: async () => {
      const stored = "select generation, kid from click.signing_key order by 1";
      return (await superuser.query<{ generation: number; kid: string }>(stored)).rows;
    },
    forgetKeys: () => superuser.query("truncate click.signing_key"),
    close: async () => {
      await pool.end();
      await superuser.end();
      await database.drop();
    },
  };
}

export type KeyProcesses = Awaited<ReturnType<typeof startKeyProcesses>>;

const logger = createLogger("test", "silent");

function createProcess(pool: pg.Pool, masterKey: Buffer, purpose: KeyPurpose) {
  let queries = 0;
  let isDown = false;
  const counting = {
    query: (...query: Parameters<pg.Pool["query"]>) => {
      queries += 1;
      if (isDown) return Promise.reject(new Error("Connection terminated"));
      return pool.query(...query);
    },
  } as unknown as pg.Pool;
  let now = Date.parse("2026-11-20T12:00:00Z");
  const clock = { now: () => new Date(now) };
  const keys = createSigningKeys({ pool: counting, kek: signingKeyKek([masterKey], purpose), clock, logger, purpose });
  const tokens = createRenderTokens({ keys, clock });
  const hash = `sha256:${"0".repeat(64)}`;
  const claims = (): RenderClaims => ({
    ...{ rnd: newId(), org: newId(), cid: "cl", tpl: newId(), ver: newId(), rev: 1, locale: "en" },
    ...{ ch: hash, rh: hash, wh: hash, iat: secondsOf(clock.now()), exp: secondsOf(clock.now()) + 86_400 },
  });
  return {
    keys,
    now: clock.now,
    claims,
    sign: (changes: Partial<RenderClaims> = {}) => tokens.sign({ ...claims(), ...changes }),
    read: async (token: string) => tokens.read(token),
    kid: async () => kidOf(await tokens.sign(claims())),
    advance: (ms: number) => {
      now += ms;
    },
    queries: () => queries,
    cutOff: () => {
      isDown = true;
    },
    connect: () => {
      isDown = false;
    },
  };
}

export const kidOf = (token: string): string => String(parts(token).header.kid);
