import { expect } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { until } from "#platform/testing/until.ts";
import { eventSources } from "../../services/webhooks/domain/event-types.ts";
import type { Api } from "./api.ts";
import { bodyOf } from "./journeys.ts";
import type { ReceivedRequest, Receiver } from "./receiver.ts";

/** An event as an endpoint was told of it. */
export interface Hook {
  readonly id: string;
  readonly type: string;
  readonly organizationId: string;
  readonly createdAt: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

/** An endpoint of an organization, and what came to it. */
export interface HookEndpoint {
  readonly id: string;
  /** In the order in which they came. Throws when one is not what was promised of all of them. */
  hooks(): readonly Hook[];
  requests(): readonly ReceivedRequest[];
}

/** Registers an address of the receiver. */
export async function registerEndpoint(
  api: Api,
  receiver: Receiver,
  name: string,
  fields: object = {},
): Promise<HookEndpoint> {
  const wish = { url: receiver.urlOf(name), ...fields };
  const { id, secret } = bodyOf(201, await api.post("/v1/webhooks/endpoints", wish));
  const checked: Hook[] = [];
  return {
    id,
    requests: () => receiver.at(name),
    hooks: () => {
      const requests = receiver.at(name);
      for (const request of requests.slice(checked.length)) checked.push(checkedHook(request, secret));
      return checked;
    },
  };
}

/** Its signature is looked at by somebody else's code. */
function checkedHook({ headers, text }: ReceivedRequest, secret: string): Hook {
  const hook = new Webhook(secret).verify(text, headers) as Hook & { readonly timestamp: string };
  const { id, type, organizationId, createdAt, data, timestamp, ...rest } = hook;
  expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "Assent-Webhooks/1.0" });
  expect([headers["webhook-id"], timestamp, rest]).toEqual([id, createdAt, {}]);
  return { id, type, organizationId, createdAt, data };
}

/** What an endpoint was told of, event by event. */
export interface SeenEvents {
  /** What has been waited for, by what it is called on the bus. */
  readonly subjects: ReadonlySet<string>;
  /** Waits for an event of this kind about this thing, and answers what it tells: what the catalogue says. */
  arrived(subject: string, about: (data: Hook["data"]) => boolean): Promise<Hook["data"]>;
  /** The same for what has an id; answers the thing itself. */
  arrivedOf(subject: string, noun: string, id: string): Promise<Hook["data"]>;
}

export function watchEvents(endpoint: HookEndpoint): SeenEvents {
  const subjects = new Set<string>();
  const arrived: SeenEvents["arrived"] = async (subject, about) => {
    const source = eventSources.find((one) => one.subject === subject);
    if (source === undefined) throw new Error(`${subject} is not in the catalogue`);
    const find = () => endpoint.hooks().find(({ type, data }) => type === source.type && about(data));
    const { data } = await until(find, 20_000).catch((error: unknown) => {
      throw new Error(`${subject} did not arrive`, { cause: error });
    });
    expect(shapeOf(data)).toEqual(shapeOf(source.example));
    subjects.add(subject);
    return data;
  };
  return {
    subjects,
    arrived,
    arrivedOf: async (subject, noun, id) => (await arrived(subject, (data) => data[noun]?.id === id))[noun],
  };
}

/** The names of all members. What is a list, or has names of the customer's own, is one value. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "value";
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === "metadata" ? "value" : shapeOf(member)]),
  );
}
