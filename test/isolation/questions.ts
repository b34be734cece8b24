import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { operations } from "../../gateway/routes/operations.ts";
import type { Answer, Api } from "../support/api.ts";
import { allPlaces, allUnknownNames, type Place, protectedPlaces, requestWith, unknownName } from "./places.ts";
import { comparable, createResources, createTermsResources, type Resources, valueIn } from "./resources.ts";
import { createAnewFor, isOfSigning, signingHeaders } from "./sign-resources.ts";

/** Two organizations with the same data, but for the names by which one asks for what is the other's. */
export interface Tenants {
  readonly b: Api;
  /** What only the first organization has. */
  readonly ofA: Resources;
  readonly ofB: Resources;
  /** Everything that gives away the first organization: its id and the ids of all that it has. */
  readonly traces: readonly string[];
}

/** Something that the second organization does, and what is wrong with the answers it got. */
export interface Question {
  readonly title: string;
  /** What it names: something of the other organization, or something of its own that it reads or changes. */
  readonly kind: "foreign" | "read" | "change";
  /** Asks without meaning to change anything. */
  readonly safe: boolean;
  /** Does what the question itself needs, before any statement is changed. Gives what asks it. */
  prepare(): Promise<() => Promise<string[]>>;
}

/** Every way in which the API can be made to run a statement for the second organization. */
export async function allQuestions(tenants: Tenants): Promise<Question[]> {
  // Both may have data about a person of the same name: there is no unknown name to compare with.
  const named = allPlaces.filter((place) => !place.operation.path.includes("{userRef}") && !isMadeLater(place));
  const foreign = [...named.map((place) => foreignQuestion(place, tenants)), ...receiptsAsSessions(tenants)];
  const lists = operations.filter(
    ({ method, pathParams, scopes, isForPeople }) =>
      method === "GET" && pathParams.length === 0 && scopes.length > 0 && !isForPeople,
  );
  return [
    ...(await Promise.all(foreign)),
    ...protectedPlaces.filter((place) => !isMadeLater(place)).map((place) => ownQuestion(place, tenants)),
    ...lists.map(({ path }) => listQuestion(path, tenants)),
    creation(tenants),
  ];
}

/** What it makes comes from statements that run in the background, which no answer waits for. */
const isMadeLater = ({ operation }: Place): boolean => operation.operationId === "createExport";

/** An acceptance without a session is its own session. */
function receiptsAsSessions(tenants: Tenants): Promise<Question>[] {
  const ofA = { ...tenants.ofA, session: valueIn(tenants.ofA, "receipt") };
  const places = allPlaces.filter((place) => /session/i.test(place.title));
  return places.map((place) => foreignQuestion(place, { ...tenants, ofA }));
}

/** The other organization's id has to be answered as an unknown one is. */
async function foreignQuestion(place: Place, tenants: Tenants): Promise<Question> {
  const names = [...Object.values(tenants.ofA), ...allUnknownNames()];
  const absent = comparable(await ask(place, tenants, unknownName), names);
  const run = async (): Promise<string[]> => {
    const answer = await ask(place, tenants, (resource) => valueIn(tenants.ofA, resource));
    const foreign = comparable(answer, names);
    const expected = JSON.stringify(absent);
    return JSON.stringify(foreign) === expected ? [] : [`${JSON.stringify(foreign)} instead of ${expected}`];
  };
  return {
    title: `${place.title} with the other's id`,
    kind: "foreign",
    safe: place.operation.method === "GET",
    prepare: async () => run,
  };
}

/** An id of its own has to lead to nothing of the other's. */
const ownQuestion = (place: Place, tenants: Tenants): Question => {
  const changes = place.operation.method !== "GET";
  return {
    title: `${place.title} with an id of its own`,
    kind: changes ? "change" : "read",
    safe: !changes,
    // Most changes can be made once.
    prepare: async () => {
      const own = changes ? await unchanged(place, tenants) : tenants.ofB;
      return async () => problemsIn(await ask(place, tenants, (resource) => valueIn(own, resource), own), tenants);
    },
  };
};

const unchanged = async ({ operation }: Place, { b, ofB }: Tenants): Promise<Resources> =>
  isOfSigning(operation)
    ? await createAnewFor(operation, b, ofB)
    : { ...ofB, ...(await createTermsResources(b, `own-${randomUUID()}`)) };

const listQuestion = (path: string, tenants: Tenants): Question => ({
  title: `GET ${path}`,
  kind: "read",
  safe: true,
  prepare: async () => async () => problemsIn(await tenants.b.get(path), tenants),
});

export const creation = (tenants: Tenants): Question => ({
  title: "creating everything",
  kind: "change",
  safe: false,
  prepare: async () => async () => {
    await createResources(tenants.b, `new-${randomUUID()}`);
    return [];
  },
});

function problemsIn({ status, body }: Answer, { traces }: Tenants): string[] {
  const text = JSON.stringify(body ?? "");
  const seen = traces.filter((trace) => text.includes(trace));
  return [
    ...(seen.length > 0 ? [`${status} shows ${seen.join(", ")}`] : []),
    ...(status >= 500 || status === 404 ? [`${status} ${text}`] : []),
  ];
}

const tries = 3;

/** Again when it is answered that it may be sent again, as it can be beside other work. */
async function ask(
  { operation, at }: Place,
  { b, ofB }: Tenants,
  value: (resource: string) => string,
  own = ofB,
): Promise<Answer> {
  const { path, body } = requestWith(operation, at, value, own);
  const headers: Record<string, string> = { accept: "application/json", ...signingHeaders(operation, own) };
  if (operation.needsIdempotencyKey) headers["x-idempotency-key"] = randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    const answer = await b.call(operation.method, path, body, headers);
    if (answer.status !== 503 || attempt === tries) return answer;
    await delay(1_000);
  }
}
