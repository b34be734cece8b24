import { beforeAll, expect, test } from "@jest/globals";
import { calculateJwkThumbprint, type JWK } from "jose";
import { until } from "#platform/testing/until.ts";
import { runAdmin } from "../../dev/admin/run.ts";
import type { Answer, Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";

/** The gateway reads the keys again after five seconds. */
const patienceMs = 20_000;

type PublishedKey = JWK & { readonly purpose?: string; readonly revokedAt?: string };

export const evidenceKeys = scenario(
  "keys of evidence",
  (_mode, running) => {
    let system: System;
    let api: Api;
    beforeAll(async () => {
      system = running();
      api = await system.newOrganization();
    });

    // biome-ignore lint/suspicious/noExplicitAny: each command has a result of its own, which the test looks at
    async function admin(...args: string[]): Promise<any> {
      const printed: string[] = [];
      const print = (text: string) => void printed.push(text);
      const code = await runAdmin(["evidence-keys", ...args, "--json"], {
        env: system.adminEnv,
        out: print,
        err: print,
      });
      expect([code, printed]).toEqual([0, [expect.stringMatching(/^\{.*\}\n$/)]]);
      return JSON.parse(printed.join(""));
    }
    const published = async (kid: string): Promise<PublishedKey | undefined> =>
      bodyOf(200, await api.get("/.well-known/jwks.json")).keys.find((key: PublishedKey) => key.kid === kid);

    test("are published beside those of access tokens, each under its thumbprint", async () => {
      const { keys } = bodyOf(200, await api.get("/.well-known/jwks.json"));
      const purposes = keys.map(({ purpose }: PublishedKey) => purpose ?? "access tokens");
      expect(purposes.sort()).toEqual(["access tokens", "receipt", "render"]);
      for (const key of keys.filter(({ crv }: JWK) => crv === "Ed25519")) {
        expect(await calculateJwkThumbprint(key)).toBe(key.kid);
      }
      const { body } = await api.get(`/.well-known/click-log-keys?log=${api.organizationId}`);
      const names = body
        .trimEnd()
        .split("\n")
        .map((line: string) => line.split("+")[0]);
      const logName = "assent.localhost/click/log";
      expect(names).toEqual([`${logName}/anchor`, `${logName}/${api.organizationId}`]);
      const file = bodyOf(200, await api.get(`/.well-known/click-keys.json?log=${api.organizationId}`));
      expect(`${file.logKeys.join("\n")}\n`).toBe(body);
    });

    test("are rotated and revoked by operators, and everybody is told", async () => {
      const made = await admin("rotate", "--purpose", "receipt");
      await until(async () => (await published(made.kid)) !== undefined, patienceMs);
      const { revokedAt } = await admin("revoke", "--kid", made.kid);
      await until(async () => (await published(made.kid))?.revokedAt === revokedAt, patienceMs);
      const { keys } = await admin("list");
      const receiptKeys = keys.filter(({ purpose }: PublishedKey) => purpose === "receipt");
      expect(receiptKeys).toHaveLength(3);
      expect(await published(receiptKeys[2].kid)).toMatchObject({ purpose: "receipt", alg: "EdDSA", use: "sig" });
    });

    test("access tokens can be verified without the click service, by a gateway that never knew it", async () => {
      const clicks = system.distributed?.of("click") ?? [];
      await Promise.all(clicks.map((click) => click.stop()));
      const [gateway] = system.distributed?.of("gateway") ?? [];
      await gateway?.stop();
      await gateway?.start();
      const { keys } = bodyOf(200, await api.get("/.well-known/jwks.json"));
      expect(keys.map(({ alg }: JWK) => alg)).toEqual(["ES256"]);
      const file: Answer = await api.get("/.well-known/click-keys.json");
      expect([file.status, file.body.errorCode]).toEqual([503, "SERVICE_UNAVAILABLE"]);
      await Promise.all(clicks.map((click) => click.start()));
      await until(async () => (await api.get("/.well-known/click-keys.json")).status === 200, patienceMs);
    });
  },
  "distributed",
);
