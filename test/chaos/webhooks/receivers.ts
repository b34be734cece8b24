import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../accept-history/random.ts";
import { type Action, type Behaviour, retryAfterSeconds, type SeenRequest, statusOf } from "./history.ts";

export interface Receivers {
  /** Where a receiver of this name is, which behaves in this way. */
  add(name: string, behaviour: Behaviour): string;
  /** What came to receivers, by their names in place of the ids of endpoints. */
  readonly requests: readonly SeenRequest[];
  readonly strays: readonly string[];
  /** Requests that come now belong to this round; the services' clock is so far ahead. */
  setRound(round: number, aheadMs: number): void;
  /** The requests under way. */
  open(): number;
  stop(): Promise<void>;
}

interface Receiver {
  readonly behaviour: Behaviour;
  requests: number;
  /** By event, how often it was answered badly. */
  readonly faults: Map<string, number>;
}

const faultProbability = 0.25;
const mostFaults = 2;
const requestsUntilGone = 5;
const longestMs = 250;
const dripEveryMs = 50;

const faults: readonly Action[] = [
  "answers 429",
  "answers 500",
  "redirects",
  "redirects to metadata",
  "hangs",
  "drips",
  "resets",
  "talks nonsense",
];

/** Servers of customers on this machine, of which some misbehave in every way, and which remember all that came. */
export async function startReceivers(random: Random): Promise<Receivers> {
  const byName = new Map<string, Receiver>();
  const requests: SeenRequest[] = [];
  const strays: string[] = [];
  let round = 0;
  let aheadMs = 0;
  let open = 0;
  const now = (): number => Date.now() + aheadMs;

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = now();
    const name = (request.url ?? "").replace("/in/", "");
    const receiver = byName.get(name);
    if (receiver === undefined) {
      strays.push(request.url ?? "");
      response.writeHead(404).end();
      return;
    }
    open += 1;
    const inRound = round;
    // The end of the connection, also when the other side is killed.
    const closed = once(response, "close");
    const body = await text(request).catch(() => undefined);
    // Without its whole body it is no request.
    if (body !== undefined) {
      const header = (key: string): string => String(request.headers[key] ?? "");
      const webhookId = header("webhook-id");
      const action = choose(receiver, webhookId, random);
      const seen = { endpointId: name, webhookId, timestamp: header("webhook-timestamp"), body, action };
      await act(action, request, response, closed, random);
      requests.push({
        ...seen,
        ...{ signature: header("webhook-signature"), round: inRound, startedAt, endedAt: now() },
      });
    }
    open -= 1;
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    add: (name, behaviour) => {
      byName.set(name, { behaviour, requests: 0, faults: new Map() });
      return `${root}/in/${name}`;
    },
    requests,
    strays,
    setRound: (next, ahead) => {
      round = next;
      aheadMs = ahead;
    },
    open: () => open,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function choose(receiver: Receiver, eventId: string, random: Random): Action {
  receiver.requests += 1;
  switch (receiver.behaviour) {
    case "steady":
      return "answers 200";
    case "slow":
      return "answers 200 after a while";
    case "gone":
      return receiver.requests > requestsUntilGone ? "answers 410" : "answers 200";
    case "broken":
      return "answers 500";
    case "silent":
      return "hangs";
    case "redirecting":
      return random.pick(["redirects", "redirects to metadata"]);
    case "faulty":
      return chooseFault(receiver, eventId, random);
  }
}

/** No event is answered badly more than twice. */
function chooseFault({ faults: made }: Receiver, eventId: string, random: Random): Action {
  const before = made.get(eventId) ?? 0;
  if (before >= mostFaults || !random.chance(faultProbability)) return "answers 200";
  made.set(eventId, before + 1);
  return random.pick(faults);
}

/** Resolves when the answer was given, or nobody waits for one any more. */
async function act(
  action: Action,
  { socket }: IncomingMessage,
  response: ServerResponse,
  closed: Promise<unknown>,
  random: Random,
): Promise<void> {
  if (action === "hangs") return void (await closed);
  if (action === "drips") return drip(response, closed);
  if (action === "resets") return void socket.resetAndDestroy();
  if (action === "talks nonsense") return void socket.end("what is it?\r\n\r\n");
  if (action === "answers 200 after a while") await Promise.race([delay(random.between(20, longestMs)), closed]);
  response.writeHead(statusOf(action), headersOf(action)).end("ok");
}

function headersOf(action: Action): Record<string, string> {
  if (action === "redirects") return { location: "/elsewhere" };
  if (action === "redirects to metadata") return { location: "http://169.254.169.254/latest/meta-data/" };
  if (action === "answers 429") return { "retry-after": String(retryAfterSeconds) };
  return {};
}

async function drip(response: ServerResponse, closed: Promise<unknown>): Promise<void> {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), dripEveryMs);
  await closed;
  clearInterval(timer);
}
