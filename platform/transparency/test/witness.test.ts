import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { connect } from "nats";
import { startNats } from "../../../dev/nats.ts";
import { newId } from "../../ids.ts";
import { until } from "../../testing/until.ts";
import { createLogWitness, type LogWitness, WitnessError } from "../witness.ts";

const base = mkdtempSync(join(tmpdir(), "assent-witness-"));
let nats: Awaited<ReturnType<typeof startNats>>;
beforeAll(async () => {
  nats = await startNats({ storeDir: join(base, "nats") });
});
afterAll(async () => {
  await nats?.stop();
  rmSync(base, { recursive: true });
});

const at = (epoch: number, size: number, text = "note") => ({ epoch, size, note: `${text} ${epoch} ${size}\n` });

describe.each(["a folder", "a bucket of NATS"])("the witness in %s", (kind) => {
  const folder = join(base, "folder");
  const open = (): LogWitness | undefined => {
    if (kind === "a folder") return createLogWitness(folder, "");
    return nats && createLogWitness("nats", nats.url);
  };
  let witness: LogWitness;
  let other: LogWitness;
  let isThere = false;
  beforeAll(() => {
    const opened = [open(), open()];
    isThere = opened[0] !== undefined;
    if (!isThere) expect(process.env.CI).not.toBe("true");
    [witness, other] = opened as [LogWitness, LogWitness];
  });
  afterAll(async () => {
    for (const one of [witness, other]) await one?.close();
  });

  test("has what was written last, for every process, and knows which logs it has", async () => {
    if (!isThere) return;
    const [logId, second] = [newId(), newId()];
    expect(await witness.read(logId)).toBeUndefined();
    await witness.write(logId, at(1, 3), undefined);
    await witness.write(second, at(1, 1), undefined);
    for (const next of [at(1, 7), at(2, 0), at(2, 5)]) {
      await witness.write(logId, next, await other.read(logId));
      expect(await other.read(logId)).toMatchObject(next);
    }
    const logs: string[] = [];
    for await (const some of witness.logs()) logs.push(...some);
    expect(logs).toEqual(expect.arrayContaining([logId, second]));
  });

  test("tells all names, however slowly they are taken", async () => {
    if (!isThere) return;
    const written = Array.from({ length: kind === "a folder" ? 30 : 1_200 }, newId);
    for (let first = 0; first < written.length; first += 100) {
      const some = written.slice(first, first + 100);
      await Promise.all(some.map((logId) => witness.write(logId, at(1, 1), undefined)));
    }
    const names = new Set<string>();
    for await (const some of witness.logs()) {
      await nextTurn();
      for (const logId of some) {
        names.add(logId);
        if (names.size % 100 === 0) await other.read(logId);
      }
    }
    expect(written.filter((logId) => !names.has(logId))).toEqual([]);
  });

  test("never takes an older checkpoint, nor one beside another", async () => {
    if (!isThere) return;
    const logId = newId();
    await witness.write(logId, at(2, 10), undefined);
    const read = await witness.read(logId);
    for (const older of [at(2, 9), at(2, 10), at(1, 500)]) {
      await expect(witness.write(logId, older, read)).rejects.toThrow(WitnessError);
    }
    await witness.write(logId, at(2, 11), read);
    // Somebody else has read the same and comes later.
    for (const next of [at(2, 12), at(2, 11, "forged")]) {
      await expect(other.write(logId, next, read)).rejects.toThrow(WitnessError);
    }
    await expect(other.write(logId, at(2, 1), undefined)).rejects.toThrow(WitnessError);
    expect(await other.read(logId)).toMatchObject(at(2, 11));
  });

  test("puts nothing in the place of what it has lost, and takes what is new", async () => {
    if (!isThere) return;
    const logId = newId();
    await witness.write(logId, at(1, 3), undefined);
    const read = await witness.read(logId);
    if (kind === "a folder") rmSync(folder, { recursive: true });
    else {
      const nc = await connect({ servers: nats?.url ?? "" });
      await (await nc.jetstreamManager()).streams.delete("KV_CLICK_LOG_WITNESS");
      await nc.close();
    }
    for (const one of [witness, other]) {
      expect(await one.read(logId)).toBeUndefined();
      await expect(one.write(logId, at(1, 4), read)).rejects.toMatchObject({ name: "WitnessError", logId: undefined });
      expect(await one.read(logId)).toBeUndefined();
    }
    // Something older of the same log is in its place.
    await witness.write(logId, at(1, 2), undefined);
    expect(await other.read(logId)).toMatchObject(at(1, 2));
    await expect(other.write(logId, at(1, 4), read)).rejects.toThrow(WitnessError);
    expect(await other.read(logId)).toMatchObject(at(1, 2));
  });

  test("of many who write at once at most one succeeds, and what it wrote stays", async () => {
    if (!isThere) return;
    for (let round = 0; round < 20; round += 1) {
      const logId = newId();
      const write = (one: LogWitness, size: number) =>
        one.write(logId, at(1, size), undefined).then(
          () => [size],
          (error: unknown) => {
            expect(error).toBeInstanceOf(WitnessError);
            return [];
          },
        );
      const written = (await Promise.all([5, 6, 7, 8].map((size, n) => write(n % 2 ? witness : other, size)))).flat();
      expect(written.length).toBeLessThanOrEqual(1);
      const kept = await witness.read(logId);
      expect(kept === undefined ? [] : [kept.size]).toEqual(written);
    }
  });
});

describe("the witness in NATS", () => {
  test("goes on with the login that is in the file by now, when the former one is refused", async () => {
    if (nats === undefined) return;
    const conf = join(base, "nats", "nats.conf");
    const open = readFileSync(conf, "utf8");
    const allow = async (...users: string[]) => {
      const listed = users.map((user) => `{ user: ${user}, password: "p" }`);
      writeFileSync(conf, `${open}authorization { users: [${listed.join(", ")}] }\n`);
      process.kill(Number(readFileSync(join(base, "nats", "nats.pid"), "utf8")), "SIGHUP");
      const as = (user: string) => connect({ servers: new URL(nats?.url ?? "").host, user, pass: "p" });
      // The server has read it again.
      await until(async () => {
        const answers = await Promise.all(
          ["former", "next"].map((user) =>
            as(user).then(
              (nc) => nc.close().then(() => user),
              () => "",
            ),
          ),
        );
        return answers.filter(Boolean).join() === users.join();
      });
    };
    await allow("former", "next");
    let user = "former";
    const url = () => (nats?.url ?? "").replace("//", `//${user}:p@`);
    const [following, fixed] = [createLogWitness("nats", url), createLogWitness("nats", url())];
    try {
      const logId = newId();
      await following.write(logId, at(1, 1), undefined);
      await fixed.read(logId);
      user = "next";
      await allow("next");
      const answers = (witness: LogWitness) =>
        witness.read(logId).then(
          (read) => read?.size === 1,
          () => false,
        );
      await until(() => answers(following));
      await following.write(logId, at(1, 2), await following.read(logId));
      // Its login is refused until its connection is given up; then it is allowed again.
      await expect(fixed.read(logId)).rejects.toThrow(WitnessError);
      await expect(fixed.read(logId)).rejects.toThrow(WitnessError);
      await allow("former", "next");
      await until(async () => (await fixed.read(logId).catch(() => undefined))?.size === 2);
    } finally {
      await Promise.all([following.close(), fixed.close()]);
      writeFileSync(conf, open);
      await nats.restart();
    }
  });

  test.each([
    ["an epoch beyond all numbers of the database", { epoch: 3_000_000_000, size: 1, note: "note" }],
    ["a size below zero", { epoch: 1, size: -1, note: "note" }],
  ])("does not hand out %s", async (_what, value) => {
    if (nats === undefined) return;
    const [logId, witness] = [newId(), createLogWitness("nats", nats.url)];
    await witness.write(logId, value, undefined);
    await expect(witness.read(logId)).rejects.toMatchObject({ name: "WitnessError", logId });
    await witness.close();
  });
});

describe("the witness in a folder", () => {
  test("takes a file where the folder of a log should be for damage of that log alone", async () => {
    const folder = join(base, "misplaced");
    const witness = createLogWitness(folder, "");
    const [logId, other] = [newId(), newId()];
    mkdirSync(join(folder, logId.slice(-2)), { recursive: true });
    writeFileSync(join(folder, logId.slice(-2), logId), "");
    writeFileSync(join(folder, "00"), "");
    await witness.write(other, at(1, 1), undefined);
    await expect(witness.read(logId)).rejects.toMatchObject({ name: "WitnessError", logId });
    const names: string[] = [];
    for await (const some of witness.logs()) names.push(...some);
    expect(names.sort()).toEqual(["00", logId, other].sort());
  });

  test.each([
    ["cut", (note: string) => note.slice(0, -3)],
    ["empty", () => ""],
    ["forged", (note: string) => note.replace("3", "4")],
  ])("does not hand out a file that is %s", async (_how, change) => {
    const folder = join(base, "damaged");
    const witness = createLogWitness(folder, "");
    const logId = newId();
    await witness.write(logId, at(1, 3), undefined);
    const place = join(folder, logId.slice(-2), logId);
    const [file = ""] = readdirSync(place);
    writeFileSync(join(place, file), change(at(1, 3).note));
    await expect(witness.read(logId)).rejects.toMatchObject({ name: "WitnessError", logId });
  });

  test("closes a folder that was open to others", async () => {
    const folder = join(base, "open");
    mkdirSync(folder, { mode: 0o755 });
    await createLogWitness(folder, "").write(newId(), at(1, 1), undefined);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("says of a folder that cannot be used that none of the logs can rely on it", async () => {
    writeFileSync(join(base, "file"), "");
    const witness = createLogWitness(join(base, "file", "witness"), "");
    const error = await witness.write(newId(), at(1, 1), undefined).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "WitnessError", logId: undefined });
  });
});
