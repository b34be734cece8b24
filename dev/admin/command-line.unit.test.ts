import { expect, test } from "@jest/globals";
import { services } from "./dead-event-commands.ts";
import { parseCommandLine, usageText } from "./run.ts";

const revoke = (...args: string[]) => parseCommandLine(["evidence-keys", "revoke", ...args]).values;

test.each(["-ZBGJ", "--rAWGaP9v", "-", "--", "kid"])("an id that begins with dashes is a value: %s", (kid) => {
  expect(revoke("--kid", kid)).toEqual({ kid });
  expect(revoke(`--kid=${kid}`)).toEqual({ kid });
});

test("an option that has no value is told, and does not take the next option for one", () => {
  expect(() => revoke("--kid")).toThrow(/--kid/);
  expect(() => parseCommandLine(["keys", "revoke", "--organization", "--key", "k"])).toThrow(/--organization/);
  expect(() => revoke("-ZBGJ")).toThrow();
});

test.each([[["help"]], [["help", "keys"]], [["--help"]], [["-h"]], [["keys", "list", "--help"]]])(
  "help is asked for: %j",
  (args) => {
    expect(parseCommandLine(args)).toMatchObject({ command: undefined, help: true });
  },
);

test("help names the services that --service takes, for dead events and for master keys", () => {
  const [, named = ""] = /consumers, and services with a master key: ([a-z, ]+)\./.exec(usageText) ?? [];
  expect(named.split(", ")).toEqual(services);
});
