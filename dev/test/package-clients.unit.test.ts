import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AcceptRequest } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { observe, useResources } from "#platform/rpc/test/harness.ts";
import { backends, publicAccess } from "../../gateway/grpc/public-rpcs.ts";

const root = join(import.meta.dirname, "../..");
const resources = useResources();

describe("the package of clients", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-clients-test-"));
  const installed = join(folder, "node_modules/assent-clients");
  const read = (file: string): string => readFileSync(join(installed, file), "utf8");

  beforeAll(() => {
    mkdirSync(installed, { recursive: true });
    const script = ["run", "--silent", "package:clients", "--", folder];
    const made = execFileSync("npm", script, { cwd: root, encoding: "utf8" }).trim();
    execFileSync("tar", ["-xzf", made, "--strip-components", "1", "-C", installed]);
    for (const scope of ["@bufbuild", "@connectrpc", "@types"]) {
      symlinkSync(join(root, "node_modules", scope), join(folder, "node_modules", scope));
    }
    const [, program = ""] = /^```ts\n([\s\S]*?)^```/m.exec(read("README.md")) ?? [];
    writeFileSync(join(folder, "program.ts"), program);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("needs what its users have, in the versions that it was made with", () => {
    const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { name, version, dependencies, peerDependencies } = JSON.parse(read("package.json"));
    expect({ name, version, dependencies }).toEqual({ name: "assent-clients", version: own.version });
    const peers = ["@bufbuild/protobuf", "@connectrpc/connect"];
    expect(peerDependencies).toEqual(Object.fromEntries(peers.map((peer) => [peer, `^${own.dependencies[peer]}`])));
  });

  test("has every public RPC, and tells of no other", () => {
    const code = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
    const told = code.flatMap((file) => [...read(file).matchAll(/@generated from rpc (\S+)/g)].map(([, rpc]) => rpc));
    const rpcs = backends.flatMap(([, { methods }]) => methods.filter((method) => publicAccess(method) !== undefined));
    expect(told.sort()).toEqual(rpcs.map(({ parent, name }) => `${parent.typeName}.${name}`).sort());
  });

  test("has types that the program of its page keeps to", () => {
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
    const check = () => execFileSync(join(root, "node_modules/.bin/tsc"), [...flags, "program.ts"], { cwd: folder });
    expect(check).not.toThrow();
    const program = readFileSync(join(folder, "program.ts"), "utf8");
    writeFileSync(join(folder, "wrong.ts"), program.replace("templateSlug: TEMPLATE", "templateSlug: 1"));
    flags.push("wrong.ts");
    expect(check).toThrow();
  });

  test("calls a server, and knows why one refuses", async () => {
    const accept = ({ templateSlug, idempotencyKey }: AcceptRequest) => {
      if (templateSlug !== "terms") throw new DomainError("TEMPLATE_NOT_FOUND");
      return { receiptId: `of ${idempotencyKey}`, replayed: true };
    };
    const interceptors = serverInterceptors({ service: "click", ...observe() }).slice(0, 2);
    const { port } = await resources.serve({ accept }, { interceptors });
    const run = async (TEMPLATE: string): Promise<unknown> => {
      const env = { PATH: process.env.PATH, ASSENT_GRPC: `http://127.0.0.1:${port}`, KEY: "k", TEMPLATE };
      const { stdout } = await promisify(execFile)(process.execPath, ["program.ts"], { cwd: folder, env });
      return JSON.parse(stdout);
    };
    expect(await run("terms")).toEqual({ receiptId: "of k", replayed: true });
    expect(await run("other")).toMatchObject({ reason: "TEMPLATE_NOT_FOUND" });
  });
});
