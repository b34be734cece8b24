import { Agent } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import type { Api } from "../support/api.ts";
import { createContract, openApiOf } from "../support/contract.ts";
import { operationFinder } from "../support/openapi.ts";
import { type CheckDeps, problemsOf } from "./checks.ts";
import { type FuzzOperation, readOperations } from "./operations.ts";
import { type Plan, plansFor, plansForEach } from "./plans.ts";
import type { Pool } from "./pool.ts";
import { requestOf, type Tokens } from "./requests.ts";
import { curlLine, type FuzzAnswer, send } from "./send.ts";
import { createJudge } from "./verdict.ts";

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly own: Api;
  readonly tokens: Tokens;
  readonly pool: Pool;
  /** Adds things that nothing has spoilt yet; called now and then. */
  readonly addBeginnings: () => Promise<void>;
}

export interface Finding {
  readonly problems: readonly string[];
  /** Sends the same request again. */
  readonly curl: string;
  readonly answer: string;
}

export interface FuzzResult {
  readonly findings: readonly Finding[];
  /** By operation and status. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Whether a request to it did what it is for. */
  readonly isDone: (operation: FuzzOperation) => boolean;
  readonly longestPauseMs: number;
  /** What the process held after the first half, and at the end. */
  readonly heap: { readonly halfway: number; readonly end: number };
}

const plansAtOnce = 250;
/** What nothing has spoilt yet is used up by then. */
const requestsPerBeginning = 2 * plansAtOnce;
/** People log in there: what programs ask for with random credentials, links and passwords is refused. */
export const isOfPeople = ({ path }: FuzzOperation): boolean => path.startsWith("/v1/dashboard/");

const furtherRounds = 4;
/** The rest would say the same again. */
const maxFindings = 100;

/** How many requests are under way at a time. */
const lanes = 4;

/** Sends so many requests and checks every answer. */
export async function runFuzz({ seed, requests, own, tokens, pool, addBeginnings }: FuzzOptions): Promise<FuzzResult> {
  const document = await openApiOf(own.baseUrl);
  const operations = readOperations(document);
  const plans = plansFor(operations);
  const deps: CheckDeps = {
    contract: createContract(document),
    judge: createJudge(),
    find: operationFinder(document),
    organizationId: own.organizationId,
  };
  const agent = new Agent({ keepAlive: true });
  const findings: Finding[] = [];
  const answers = new Map<string, Map<number, number>>();
  const sendAll = async (chosen: readonly Plan[]): Promise<void> => {
    const waiting = [...chosen].values();
    const sendNext = async (): Promise<void> => {
      for (const plan of waiting) {
        const { finding, status } = await tryOut(plan, { own, tokens, pool, agent, deps });
        if (finding !== undefined) findings.push(finding);
        count(answers, plan.operation.operationId, status);
      }
    };
    await Promise.all(Array.from({ length: lanes }, sendNext));
  };
  const isDone = ({ operationId }: FuzzOperation): boolean =>
    [...(answers.get(operationId)?.keys() ?? [])].some((status) => status < 300);
  let halfway = 0;
  const pauses = monitorEventLoopDelay({ resolution: 20 });
  pauses.enable();
  for (let sent = 0; sent < requests && findings.length < maxFindings; sent += plansAtOnce) {
    if (sent % requestsPerBeginning === 0) await addBeginnings();
    const numRuns = Math.min(plansAtOnce, requests - sent);
    const chosen = fc.sample(plans, { seed: seed + sent, numRuns });
    await sendAll(chosen);
    if (halfway === 0 && sent >= requests / 2) halfway = heapBytes();
  }
  // At last, when the most is known, each once, and then again those that have always been refused.
  await sendAll(plansForEach(operations, seed));
  for (let round = 1; round <= furtherRounds; round += 1) {
    await addBeginnings();
    const refused = operations.filter((one) => !isOfPeople(one) && !isDone(one));
    await sendAll(plansForEach(refused, seed + round));
  }
  pauses.disable();
  agent.destroy();
  return { findings, answers, isDone, longestPauseMs: pauses.max / 1e6, heap: { halfway, end: heapBytes() } };
}

interface TryDeps extends Pick<FuzzOptions, "own" | "tokens" | "pool"> {
  readonly agent: Agent;
  readonly deps: CheckDeps;
}

async function tryOut(
  plan: Plan,
  { own, tokens, pool, agent, deps }: TryDeps,
): Promise<{ finding: Finding | undefined; status: number }> {
  const request = requestOf(plan, pool, tokens);
  const found = (problems: readonly string[], answer: string): Finding => ({
    problems,
    curl: curlLine(own.baseUrl, request),
    answer,
  });
  const answer = await sendPatiently(own.baseUrl, agent, request).catch((error: unknown) => String(error));
  if (typeof answer === "string") return { finding: found([`no answer: ${answer}`], ""), status: 0 };
  const problems = problemsOf(plan, request, answer, deps);
  // A stranger's things are no part of what the organization can ask for, and descriptions name nothing that exists.
  if (answer.status < 300 && plan.credential !== "foreign" && plan.operation.isProtected) {
    pool.learn(plan.operation.path, bodyOf(answer), answer.headers);
  }
  const finding =
    problems.length === 0 ? undefined : found(problems, `${answer.status} ${answer.text.slice(0, 1_000)}`);
  return { finding, status: answer.status };
}

const tries = 3;

/** As callers are told to: what is answered that it may be sent again after some time is, and is answered then. */
async function sendPatiently(...asked: Parameters<typeof send>): Promise<FuzzAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(...asked);
    const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
    if (answer.status !== 503 || !(seconds <= 2) || attempt === tries) return answer;
    await setTimeout(seconds * 1000);
  }
}

function bodyOf({ headers, text }: FuzzAnswer): unknown {
  // Not those with a value on each line.
  return /[/+]json(;|$)/.test(headers.get("content-type") ?? "") && text !== "" ? JSON.parse(text) : undefined;
}

function count(answers: Map<string, Map<number, number>>, operation: string, status: number): void {
  const byStatus = answers.get(operation) ?? new Map<number, number>();
  byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  answers.set(operation, byStatus);
}

/** What this process holds once nothing is left that could be thrown away. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
