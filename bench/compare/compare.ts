import { cpuPerRequest } from "../cpu.ts";
import type { LoadPlan } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import { acceptPlan } from "../measures/accept-plan.ts";
import { nativePlan } from "../measures/agreement-plan.ts";
import { acceptanceBytes } from "../measures/bytes.ts";
import { loneRequests } from "../measures/idle.ts";
import { templateReadPlan } from "../measures/template-read.ts";
import type { BenchOptions } from "../options.ts";
import { type Comparison, comparisonOf } from "../report.ts";
import { singleProcessCopy } from "../single-process.ts";
import { checkOut, type Held, holdSystem } from "./side.ts";

/** Figures of one turn, by what they are of. */
type Turn = Readonly<Record<string, number>>;

/** One of the two copies, for one measure. */
interface Side {
  measure(round: number): Promise<Turn>;
}

interface Copy {
  /** How the copy is measured. */
  side(id: string): Promise<Side>;
  stop(): Promise<void>;
}

type StartCopy = (folder: string, options: BenchOptions) => Promise<Copy>;

/** Which kind of copy each measure needs. */
const kinds: readonly { readonly ids: readonly string[]; readonly start: StartCopy }[] = [
  { ids: ["P16"], start: startSingle },
  { ids: ["P1", "P5", "P6", "P17"], start: startHeld },
];

/**
 * Measures this tree and another commit in pairs of turns on the same machine, so that what else happens there meets both
 * alike, and which of them comes first changes from pair to pair. No pair begins that would probably end after the time is up.
 */
export async function compare(commitOrFolder: string, options: BenchOptions): Promise<Comparison[]> {
  const deadline = performance.now() + options.minutes * 60_000;
  const other = checkOut(commitOrFolder);
  const here = new URL("../..", import.meta.url).pathname;
  try {
    const found: Comparison[] = [];
    for (const { ids, start } of kinds) {
      const wanted = ids.filter((id) => options.wants(id));
      if (wanted.length === 0) continue;
      await withCopies(start, [here, other.folder], options, async (copies) => {
        for (const id of wanted) {
          const pairs = await takeTurns(id, copies, { rounds: options.rounds, deadline });
          found.push(...comparisonOf(id, pairs));
        }
      });
    }
    if (found.length === 0) throw new Error(`only ${kinds.flatMap(({ ids }) => ids).join(", ")} can be compared`);
    return found;
  } finally {
    other.remove();
  }
}

async function withCopies(
  start: StartCopy,
  [one, other]: readonly [string, string],
  options: BenchOptions,
  work: (copies: readonly [Copy, Copy]) => Promise<void>,
): Promise<void> {
  const first = await start(one, options);
  try {
    const second = await start(other, options);
    try {
      await work([first, second]);
    } finally {
      await second.stop();
    }
  } finally {
    await first.stop();
  }
}

interface Bounds {
  readonly rounds: number;
  readonly deadline: number;
}

/** At least one pair; the first turn of each copy, in which it loads and compiles, does not count. */
async function takeTurns(
  id: string,
  copies: readonly [Copy, Copy],
  { rounds, deadline }: Bounds,
): Promise<[Turn, Turn][]> {
  const [here, there] = [await copies[0].side(id), await copies[1].side(id)];
  const pairs: [Turn, Turn][] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const began = performance.now();
    const hereFirst = round % 2 === 0;
    const before = hereFirst ? undefined : await there.measure(round);
    const ofHere = await here.measure(round);
    const ofThere = before ?? (await there.measure(round));
    if (round > 0) pairs.push([ofHere, ofThere]);
    const now = performance.now();
    if (pairs.length > 0 && now + (now - began) > deadline) break;
  }
  return pairs;
}

async function startSingle(folder: string, { seconds }: BenchOptions): Promise<Copy> {
  const copy = singleProcessCopy(folder);
  const { demo } = await copy.start();
  const requests = await loneRequests(demo);
  return {
    side: async () => ({
      measure: async () => {
        const found = Object.entries(await requests.measure(seconds));
        return Object.fromEntries(
          found.flatMap(([what, { p50, p10 }]) => [
            [`p50 of a lone ${what}, ms`, p50],
            [`p10 of a lone ${what}, ms`, p10],
          ]),
        );
      },
    }),
    stop: async () => {
      await copy.stop();
      copy.remove();
    },
  };
}

async function startHeld(folder: string, { seconds }: BenchOptions): Promise<Copy> {
  const held = await holdSystem(folder);
  const sideOf = async (id: string): Promise<Side> => {
    if (id === "P17") {
      const kept = async (round: number) => (await acceptanceBytes(held, `${round}`)).kept;
      return { measure: async (round) => ({ "bytes kept for an acceptance": await kept(round) }) };
    }
    if (id === "P1")
      return loaded("accept", held, (round) => acceptPlan(held, `turn-${round}`, { ...unwarmed, seconds }));
    const plan = id === "P5" ? await templateReadPlan(held) : await nativePlan(held.demo);
    return loaded(id === "P5" ? "template GET" : "agreement created and sent", held, () => ({ ...plan, seconds }));
  };
  return { side: sideOf, stop: held.stop };
}

const unwarmed = { warmupSeconds: 0 } as const;

/** What a request costs under a load that takes all it gets, and how many are answered. */
function loaded(what: string, held: Held, planOf: (round: number) => LoadPlan): Side {
  let firstNumber = 0;
  return {
    measure: async (round) => {
      const plan = { ...planOf(round), firstNumber };
      const before = await held.readCpu();
      const load = await runLoad(plan, [plan.method === "POST" ? 201 : 200]);
      firstNumber += load.requests;
      const cpu = cpuPerRequest(before, await held.readCpu(), load.requests) ?? {};
      const parts = Object.entries(cpu).map(([part, ms]) => [`${what}, CPU ms of ${part}`, ms]);
      const all = Object.values(cpu).reduce((sum, ms) => sum + ms, 0);
      return {
        [`${what}s a second`]: load.perSecond,
        [`${what}, CPU ms of all parts`]: all,
        ...Object.fromEntries(parts),
      };
    },
  };
}
