import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { settingsOfPrograms } from "../../dev/programs.ts";
import { deployFolder } from "./support/manifests.ts";

interface Container {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly secrets?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Container>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const compose: Compose = parse(readFileSync(join(deployFolder, "compose.yaml"), "utf8"), { merge: true });
const containers = Object.entries(compose.services);
const settingOf = (variable: string): string => variable.replace(/_FILE$/, "");

describe("compose", () => {
  test("gives every process what it cannot start without, and nothing that no process knows", () => {
    const known = new Set(settingsOfPrograms.flatMap(({ settings }) => Object.keys(settings)));
    for (const { title, settings } of settingsOfPrograms) {
      const given = new Set(Object.keys(compose.services[title]?.environment ?? {}).map(settingOf));
      const required = Object.entries(settings).flatMap(([name, { fallback }]) =>
        fallback === undefined ? [name] : [],
      );
      expect([title, required.filter((name) => !given.has(name))]).toEqual([title, []]);
      const unknown = [...given].filter((name) => !known.has(name) && name !== "NODE_ENV");
      expect([title, unknown]).toEqual([title, []]);
    }
  });

  test("mounts every secret that is read, from a file that deploy/make-secrets.sh makes", () => {
    const script = readFileSync(join(deployFolder, "make-secrets.sh"), "utf8");
    const namedIn = (text: string): string[] =>
      [...text.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, secret = ""]) => secret);
    // The address of the database names the file of its authority.
    const [address = ""] = /^ *printf 'postgres:.*$/m.exec(script) ?? [];
    expect(namedIn(address)).toEqual(["database-certificate"]);
    for (const [name, { environment = {}, command = [], entrypoint = [], secrets = [] }] of containers) {
      const direct = [...Object.values(environment), ...command, ...entrypoint].flatMap(namedIn);
      const read = [...direct, ...(direct.includes("database-url") ? namedIn(address) : [])];
      expect([name, read.toSorted()]).toEqual([name, secrets.toSorted()]);
    }
    for (const { file } of Object.values(compose.secrets)) {
      expect(script).toMatch(new RegExp(`(> |-out |-keyout |for name in.* )"?${file.replace("secrets/", "")}\\b`));
    }
  });

  test("waits for containers that there are, and keeps what must be kept in volumes that there are", () => {
    for (const [name, { depends_on = {}, volumes = [], image }] of containers) {
      expect([name, Object.keys(depends_on).filter((other) => !(other in compose.services))]).toEqual([name, []]);
      expect([name, volumes.filter((volume) => !((volume.split(":")[0] ?? "") in compose.volumes))]).toEqual([
        name,
        [],
      ]);
      expect(image).toMatch(/^(assent(-convert)?|\w+:[\w.-]+)$/);
    }
  });
});
