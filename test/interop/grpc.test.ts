import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createAuthority } from "#platform/rpc/test/certificates.ts";
import { judges } from "#platform/testing/judges.ts";
import { until } from "#platform/testing/until.ts";
import { findFreePort } from "../../dev/ports.ts";
import type { Api } from "../support/api.ts";
import { withScopes } from "../support/journeys.ts";
import { type System, startSystem } from "../support/system.ts";

const root = join(import.meta.dirname, "../..");
/** Compilers take their time where there is much else to do. */
const patience = 240_000;
const page = readFileSync(join(root, "docs/grpc.md"), "utf8");

const snippet = (language: string, having: string): string => {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code = ""]) => code,
  );
  const found = blocks.find((code) => code.includes(having));
  if (found === undefined) throw new Error(`docs/grpc.md has no ${language} with ${having}`);
  return found;
};

/** Where what `dev/judges/prepare` makes is there; in CI it is, and of Go where that is at hand. */
const inLanguage = (language: string, madeBy: string, tests: () => void): void => {
  if (existsSync(madeBy) || (process.env.CI === "true" && language !== "Go")) describe(`in ${language}`, tests);
  else process.stderr.write(`skipped without dev/judges/prepare: the ${language} program of docs/grpc.md\n`);
};

describe("the program of docs/grpc.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-python-"));
  const authority = createAuthority("Clients");
  const spiffeId = "spiffe://example.org/ns/shop/sa/checkout";
  const path = (name: string): string => join(folder, name);
  const clientsFile = path("clients.json");
  let system: System;
  let target: string;
  let owner: Api;
  let other: Api;
  let slug: string;

  beforeAll(async () => {
    if (existsSync(judges.python)) {
      // The contracts are found from the root of the repository; the client is made elsewhere.
      const command = snippet("sh", "grpc_tools.protoc").replaceAll("=.", `=${folder}`);
      make(command.replace(/^python/, judges.python), root);
      writeFileSync(path("program.py"), snippet("python", "AcceptRequest"));
    }
    const server = authority.issue(["localhost"]);
    for (const [name, text] of [
      ...[["ca", authority.cert] as const, ["server.crt", server.cert] as const, ["server.key", server.key] as const],
      ["clients.json", ""] as const,
    ]) {
      writeFileSync(path(name), text);
    }
    for (const name of [spiffeId, "spiffe://example.org/ns/shop/sa/other"]) {
      const { cert, key } = authority.issue([name]);
      const file = name === spiffeId ? "checkout" : "other";
      writeFileSync(path(`${file}.crt`), cert);
      writeFileSync(path(`${file}.key`), key);
    }
    const port = await findFreePort();
    target = `localhost:${port}`;
    writeFileSync(clientsFile, "{}");
    system = await startSystem("single process", {
      environment: {
        ...{ GRPC_PORT: String(port), GRPC_HOST: "127.0.0.1", GRPC_CLIENTS_FILE: clientsFile },
        ...{
          GRPC_TLS_CERT_FILE: path("server.crt"),
          GRPC_TLS_KEY_FILE: path("server.key"),
          GRPC_TLS_CA_FILE: path("ca"),
        },
      },
    });
    [owner, other] = [await system.newOrganization(), await system.newOrganization()];
    ({ slug } = await owner.publishTemplate());
    const entry = { client: "checkout", organizations: [owner.organizationId], scopes: ["click:accept", "click:read"] };
    writeFileSync(clientsFile, JSON.stringify({ [spiffeId]: entry }));
  });
  afterAll(async () => {
    await system?.stop();
    rmSync(folder, { recursive: true });
  });

  const withCertificate = (name: string) => ({ ASSENT_CERT: path(`${name}.crt`), ASSENT_KEY: path(`${name}.key`) });

  interface Outcome {
    readonly code?: string;
    readonly message?: string;
    readonly receiptId?: string;
    readonly replayed?: boolean;
    readonly evidence?: readonly string[];
  }

  const python = (settings: Record<string, string>): Promise<Outcome> =>
    run([judges.python, path("program.py")], { PYTHONPATH: folder, ...settings });

  function run([program, ...args]: readonly [string, ...string[]], settings: Record<string, string>): Promise<Outcome> {
    const env = {
      ...{ PATH: process.env.PATH, ASSENT_GRPC: target, ASSENT_CA: path("ca") },
      ...{ KEY: randomUUID(), TEMPLATE: slug },
      ...settings,
    };
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", () => resolve(JSON.parse(output) as Outcome));
    });
  }

  /** As a shell does it, with what `dev/judges/prepare` has installed. */
  const make = (command: string, cwd: string): void => {
    const PATH = [judges.goPrograms, join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
    const { status, stderr } = spawnSync("sh", ["-e", "-c", command], {
      ...{ cwd, env: { ...process.env, PATH, GOBIN: judges.goPrograms }, encoding: "utf8" },
    });
    if (status !== 0) throw new Error(`${command}\n${stderr}`);
  };

  /** Each of them does the first thing that the others do. */
  const acceptsOnce = async (program: readonly [string, ...string[]]): Promise<void> => {
    const { token } = await withScopes(system, owner, "click:accept");
    const settings = { ASSENT_TOKEN: token, KEY: randomUUID() };
    const first = await run(program, settings);
    expect(first).toMatchObject({ receiptId: expect.any(String), replayed: false });
    expect(await run(program, settings)).toMatchObject({ receiptId: first.receiptId, replayed: true });
    expect((await owner.get(`/v1/click/receipts/${first.receiptId}`)).status).toBe(200);
    expect((await run(program, { ASSENT_TOKEN: "ak_none" })).code).toMatch(/^unauthenticated$/i);
  };

  inLanguage("Python", judges.python, () => {
    test("accepts once and reads the evidence with a token, and the REST API knows of it", async () => {
      const { token } = await withScopes(system, owner, "click:accept click:read");
      const settings = { ASSENT_TOKEN: token, KEY: randomUUID() };
      const first = await python(settings);
      expect(first).toMatchObject({ replayed: false, evidence: expect.arrayContaining(["receipts"]) });
      expect(await python(settings)).toMatchObject({ receiptId: first.receiptId, replayed: true });
      const { status, body } = await owner.get(`/v1/click/receipts/${first.receiptId}`);
      expect(status).toBe(200);
      // Seen at the gateway's port, as over REST.
      const { context } = (await owner.get(`/v1/click/evidence/${body.sessionId}`)).body;
      expect(context.observed).toMatchObject({ ip: "127.0.0.1", userAgent: expect.stringMatching(/^grpc-python/) });
      const again = await owner.accept(settings.KEY, { templateSlug: slug, userRef: "user-42" });
      expect([again.status, again.body.receiptId]).toEqual([200, first.receiptId]);
    });

    test("does so with a certificate, for the organizations that it is mapped to", async () => {
      const settings = { ...withCertificate("checkout"), KEY: randomUUID() };
      let first: Outcome = {};
      await until(async () => {
        first = await python(settings);
        return first.code !== "UNAUTHENTICATED";
      }, 30_000);
      expect(first).toMatchObject({ replayed: false });
      expect(await python({ ...settings, ASSENT_ORGANIZATION: owner.organizationId })).toMatchObject({
        replayed: true,
      });
      const foreign = { ...settings, ASSENT_ORGANIZATION: other.organizationId };
      expect(await python(foreign)).toMatchObject({ code: "PERMISSION_DENIED" });
    });

    test("is refused without a credential, and with a certificate that nobody has mapped", async () => {
      expect(await python({})).toMatchObject({ code: "UNAUTHENTICATED" });
      expect(await python({ ASSENT_ORGANIZATION: owner.organizationId })).toMatchObject({ code: "UNAUTHENTICATED" });
      expect(await python(withCertificate("other"))).toMatchObject({ code: "UNAUTHENTICATED" });
    });

    test("is refused with a token for another organization, and without a scope", async () => {
      const { token } = await withScopes(system, other, "click:accept click:read");
      expect(await python({ ASSENT_TOKEN: token })).toMatchObject({ code: "NOT_FOUND" });
      const mixedUp = { ASSENT_TOKEN: token, ASSENT_ORGANIZATION: owner.organizationId };
      expect(await python(mixedUp)).toMatchObject({ code: "PERMISSION_DENIED" });
      const reader = await withScopes(system, owner, "click:read");
      const refused = await python({ ASSENT_TOKEN: reader.token });
      expect([refused.code, refused.message]).toEqual(["PERMISSION_DENIED", expect.stringContaining("click:accept")]);
    });

    test("is refused when its budget is spent, whichever way it was spent", async () => {
      const limited = await system.newOrganization();
      const { slug: ownSlug } = await limited.publishTemplate();
      const client = await withScopes(system, limited, "click:accept click:read");
      await system.admin.setOrganizationLimits({ organizationId: limited.organizationId, limits: { accept: 1 } });
      const body = { templateSlug: ownSlug, userRef: "user-42" };
      await until(async () => (await client.accept(randomUUID(), body)).status === 429);
      const refused = await python({ ASSENT_TOKEN: client.token, TEMPLATE: ownSlug });
      expect(refused).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    });
  });

  inLanguage("Go", judges.goPrograms, () => {
    test(
      "accepts once, and says why it is refused",
      async () => {
        mkdirSync(path("go"));
        make(`buf export . --output ${path("go/contracts")}`, root);
        writeFileSync(path("go/buf.gen.yaml"), snippet("yaml", "protoc-gen-go"));
        writeFileSync(path("go/main.go"), snippet("go", "AcceptRequest"));
        make(snippet("sh", "protoc-gen-go").replace("go run .", "go build -o program ."), path("go"));
        await acceptsOnce([path("go/program")]);
      },
      patience,
    );
  });

  inLanguage("Java", dirname(judges.javaClasses.split(":")[0] ?? ""), () => {
    test(
      "accepts once, and says why it is refused",
      async () => {
        mkdirSync(path("java"));
        writeFileSync(path("java/Shop.java"), snippet("java", "AcceptRequest"));
        make(`javac -cp "${judges.javaClasses}" -d . Shop.java`, path("java"));
        await acceptsOnce(["java", "-XX:TieredStopAtLevel=1", "-cp", `${path("java")}:${judges.javaClasses}`, "Shop"]);
      },
      patience,
    );
  });
});
