import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { besideImage, installedPackages, isShipped, releasedFiles } from "../../dev/pack.ts";
import { noReport } from "../chaos/lifecycle/load.ts";
import { type Answered, type Goal, judge, judgeLeaves, judgeRepeated } from "../chaos/restore/judge.ts";
import { drills } from "./drills.ts";
import { alertProblems, courseOf, type Scrape } from "./operations/alerts.ts";
import { injectedFaults } from "./operations/faults.ts";
import { rotations } from "./operations/rotations.ts";
import { columns, tableOf, violationsOf, within } from "./operations/table.ts";

const root = join(import.meta.dirname, "../..");

test("each drill can be run by itself, and all of them together", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const single = drills.map(({ name, program }) => [`drill:${name}`, `node dev/bootstrap.mjs ${program}`]);
  expect(Object.fromEntries(single)).toEqual(
    Object.fromEntries(Object.entries(scripts).filter(([name]) => name.startsWith("drill:"))),
  );
  expect(scripts.drill).toBe("node dev/bootstrap.mjs test/drills/run.ts");
});

test("what a build is not sent is left out of what the drill copies", () => {
  const shipped = isShipped("# comment\n.git\ndocs\n**/test\n**/*.test.ts\n");
  const paths = [
    "docs/a.md",
    ".git",
    "services/click/test/a.ts",
    "platform/a.test.ts",
    "platform/testing/a.ts",
    "gateway/app.ts",
  ];
  expect(paths.filter(shipped)).toEqual(["platform/testing/a.ts", "gateway/app.ts"]);
});

test("nothing is installed by a start in production: it says what to do in one line", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-bare-"));
  try {
    for (const file of ["dev/bootstrap.mjs", "package.json", "package-lock.json"])
      cpSync(join(root, file), join(folder, file));
    const run = (env: Record<string, string>) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, encoding: "utf8" } as const;
      const { status, stderr } = spawnSync(process.execPath, ["dev/bootstrap.mjs", "dev/migrate.ts"], options);
      return [status, stderr];
    };
    const refusal = "assent: the installed packages differ from package-lock.json: run npm ci --omit=dev\n";
    expect(run({ NODE_ENV: "production" })).toEqual([1, refusal]);
    writeFileSync(join(folder, "release.json"), "{}");
    expect(run({})).toEqual([1, refusal]);
    expect(readdirSync(folder).sort()).toEqual(["dev", "package-lock.json", "package.json", "release.json"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a release has what was made and what tells how to install it, no test and no secret", () => {
  const files = releasedFiles();
  const missing = [
    "gen/processes/click.mjs",
    "gen/assent/click/v1/click_pb.ts",
    "web/dist/verify.html",
    ...besideImage,
  ];
  expect(missing.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))).toEqual([]);
  expect(
    files.filter((file) => /(^|\/)test\/|\.test\.ts$|node_modules|(^|\/)secrets\/|\.(log|tgz)$/.test(file)),
  ).toEqual([]);
  expect(files.filter((file) => existsSync(join(root, file))).length).toBe(files.length);
});

describe("the archive of a release", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-pack-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is the same, byte for byte, wherever, whenever and by whomever a commit is packed", () => {
    const [one, other] = [pack("one", "077", "Asia/Tokyo"), pack("another", "022", "UTC")];
    expect([...one.keys()].map((name) => name.replace(/^assent-\d+\.\d+\.\d+/, ""))).toEqual([
      ...[".cdx.json", ".intoto.json", ".sha256", ".tgz"],
    ]);
    for (const [name, bytes] of one) expect([name, other.get(name)?.equals(bytes)]).toEqual([name, true]);
    const { predicate } = JSON.parse(String(one.get([...one.keys()][1] ?? "")));
    expect(predicate.buildDefinition.internalParameters).toEqual({ uncommittedChanges: false });
  }, 120_000);

  test("has every package in its bill of materials that is installed with it, and none of development", () => {
    const [name = ""] = readdirSync(join(folder, "one.packed"));
    const { components, dependencies } = JSON.parse(readFileSync(join(folder, "one.packed", name), "utf8"));
    const listed = components.map((one: { "bom-ref": string }) => one["bom-ref"]);
    const locked = readFileSync(join(root, "package-lock.json"), "utf8");
    expect(listed.toSorted()).toEqual([...installedPackages(locked)].sort());
    // What npm has written down of the packages that are installed here, for this system alone.
    const here = installedPackages(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8"));
    expect([...here].filter((one) => !listed.includes(one))).toEqual([]);
    expect([listed.length > 200, listed.some((one: string) => one.startsWith("jest@"))]).toEqual([true, false]);
    const needed = dependencies.flatMap(({ dependsOn }: { dependsOn: string[] }) => dependsOn);
    expect(needed.filter((one: string) => !listed.includes(one))).toEqual([]);
  });

  /** The sources as they are, committed in a folder of their own beside what was built of them. */
  function pack(name: string, umask: string, TZ: string): Map<string, Buffer> {
    const [sources, packed] = [join(folder, name), join(folder, `${name}.packed`)];
    mkdirSync(sources);
    const sh = (line: string, cwd: string, env: Record<string, string> = {}) =>
      execFileSync("bash", ["-e", "-o", "pipefail", "-c", `umask ${umask}; ${line}`], {
        ...{
          cwd,
          env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
          stdio: ["ignore", "ignore", "pipe"],
        },
      });
    const known = "git -c safe.directory=* ls-files -z --cached --others --exclude-standard";
    sh(`${known} | tar --null -T - --ignore-failed-read -c 2> /dev/null | tar -x -C ${sources}`, root);
    for (const made of ["gen", "web/dist"]) cpSync(join(root, made), join(sources, made), { recursive: true });
    const date = "2026-01-02T03:04:05Z";
    const author = "-c user.name=Ann -c user.email=ann@example.com";
    sh(`git init -q; git add -A; git ${author} commit -qm "A release"`, sources, {
      ...{ GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
    sh(`${process.execPath} dev/pack.ts ${packed}`, sources, { TZ });
    return new Map(
      readdirSync(packed)
        .sort()
        .map((file) => [file, readFileSync(join(packed, file))]),
    );
  }
});

describe("the walk of an operator", () => {
  const served = { ...noReport, requests: 9, unavailable: 1, refused: 2, broken: 3, longestMs: 1_250 };
  const row = { step: "load", what: "a|b", seconds: 3.4, violations: [] };

  test("is told as a table, and a step that failed as a violation", () => {
    const rows = [
      { ...row, load: served },
      { ...row, step: "other", violations: ["it broke"] },
    ];
    expect(tableOf(rows).split("\n").slice(2)).toEqual([
      "| load | a/b | 9 | 0 | 6 | 1.3 s | 3 s | 0 |",
      "| other | a/b | – | – | – | – | 3 s | 1 |",
      "",
    ]);
    expect(violationsOf(rows)).toEqual(["other: it broke"]);
  });

  test("bounds every step", async () => {
    expect(await within(60, Promise.resolve("done"))).toBe("done");
    await expect(within(0.001, new Promise(() => {}))).rejects.toThrow("it was not done within 0.001 s");
  });

  test("stands in docs/reliability.md as it ended without a violation, with each rotation and fault", () => {
    const page = readFileSync(join(root, "docs/reliability.md"), "utf8");
    const [, table = ""] = page.split(`| ${columns.join(" | ")} |\n`);
    const rows = [...table.matchAll(/^\| (?!---)(.+) \|$/gm)].map(([, cells = ""]) => cells.split(" | "));
    const told = new Map(rows.map(([step = "", ...cells]) => [step, cells]));
    for (const { step } of [...rotations, ...injectedFaults]) expect([step, told.has(step)]).toEqual([step, true]);
    for (const [step, cells] of told)
      expect([step, cells[2] === "–" ? "0" : cells[2], cells.at(-1)]).toEqual([step, "0", "0"]);
    expect(injectedFaults.length).toBeGreaterThanOrEqual(10);
    expect(new Set(injectedFaults.flatMap(({ alerts }) => alerts)).size).toBeGreaterThanOrEqual(10);
  });

  const labels = 'namespace="assent",installation="drill",service_name="click",pod="click"';
  const scraped = (at: number, up: number, accepted: number, end: number): Scrape => ({
    at,
    values: new Map([
      [`up{${labels}}`, up],
      [`assent_http_duration_seconds_count{${labels},route="/v1/click/accept",status="503"}`, accepted],
      [`assent_certificate_end_timestamp_seconds{${labels},certificate="rpc"}`, end],
    ]),
  });

  test("takes a scrape for a minute: counters grow as quickly as they did, ends are as far away as they were", () => {
    const [before, after] = [scraped(0, 1, 100, 5_000), scraped(6_000, 1, 106, 5_006)] as const;
    const during = [scraped(9_000, 0, 3, 5_009)];
    const [up, counted, end] = [...before.values.keys()].map((one) =>
      courseOf(one, { before: [before, after], during })
        .split(" ")
        .map(Number),
    );
    expect([up?.slice(29, 32), counted?.slice(28, 32)]).toEqual([
      [1, 0, 0],
      [1_840, 1_900, 1_960, 2_020],
    ]);
    expect(end?.slice(30, 32)).toEqual([5_000 + 1_800, 5_000 + 1_800 + 60]);
  });

  test("lets Prometheus say which alerts are silent before a fault and fire in it", () => {
    const found = spawnSync("promtool", ["--version"], { encoding: "utf8" });
    if (found.error !== undefined && process.env.CI !== "true") return;
    const [days, now] = [86_400, Date.now() / 1_000];
    const at = (n: number, up: number, end: number) => scraped((now + n) * 1_000, up, 5 * n, now + end * days);
    const before = [at(0, 1, 90), at(5, 1, 90)] as const;
    const during = [at(10, 0, 1), at(13, 0, 1)];
    const alerts = ["ProcessIsMissing", "CertificateEnds", "CertificateEndsSoon"];
    expect(alertProblems(alerts, { before, during })).toEqual([]);
    expect(alertProblems(alerts, { before, during: before })).toEqual(alerts.map((alert) => `${alert} did not fire`));
    const early = { before: [during[0] as Scrape, during[0] as Scrape] as const, during };
    expect(alertProblems(["CertificateEndsSoon"], early)).toEqual(["CertificateEndsSoon fired before the fault"]);
  });
});

describe("what a restore brought back", () => {
  const at = (receiptId: string, sentAt: number): Answered => ({
    ...{ key: `key of ${receiptId}`, receiptId, sentAt, answeredAt: sentAt + 10 },
    leaf: `log ${sentAt}`,
  });
  const answered = [at("a", 1_000), at("b", 5_000), at("c", 9_000)];
  const of = (goal: Goal, ...stored: string[]) => judge(answered, { goal, killedAt: 10_000, stored: new Set(stored) });

  test("is everything that was answered, when the whole log is there", () => {
    expect(of({ kind: "the whole log" }, "a", "b", "c")).toMatchObject({ lost: [], lostMs: 0, problems: [] });
    expect(of({ kind: "the whole log" }, "a", "c").problems).toHaveLength(1);
  });

  test("is everything but the last seconds, when the archive alone is there", () => {
    const goal: Goal = { kind: "the archive", promisedMs: 1_000 };
    expect(of(goal, "a", "b")).toMatchObject({ lost: [{ receiptId: "c" }], lostMs: 990, problems: [] });
    expect(of(goal, "a").problems).toHaveLength(1);
  });

  test("is what was answered before the point in time, and nothing after it", () => {
    const goal: Goal = { kind: "a point in time", at: 6_000 };
    expect(of(goal, "a", "b")).toMatchObject({ lostMs: 990, problems: [] });
    expect(of(goal, "a").problems).toHaveLength(1);
    expect(of(goal, "a", "b", "c").problems).toHaveLength(1);
    // What was under way then may be there or not.
    expect(of({ kind: "a point in time", at: 5_005 }, "a").problems).toEqual([]);
  });

  test("has no place in a log that was given to another, lost or not", () => {
    expect(judgeLeaves([...answered, ...answered])).toEqual([]);
    expect(judgeLeaves([...answered, { ...at("d", 9_000), leaf: "log 5000" }])).toHaveLength(1);
  });

  test("is told again under the same keys, with the receipts that are still there", () => {
    const repeated = new Map([..."abc"].map((id) => [`key of ${id}`, id === "c" ? "new" : id]));
    expect(judgeRepeated(answered, repeated, new Set(["a", "b"]))).toEqual([]);
    expect(judgeRepeated(answered, repeated, new Set(["a", "b", "c"]))).toHaveLength(1);
    expect(judgeRepeated(answered, new Map(), new Set())).toHaveLength(1);
  });
});
