import fc from "fast-check";

export type ModelDecision = "GRANT" | "DENY" | "WITHDRAW" | "RENEW";
export type ModelPurpose = "ads" | "calls" | "news";

export type ModelChange =
  | { readonly kind: "accept"; readonly decisions: Readonly<Partial<Record<ModelPurpose, boolean>>> }
  | { readonly kind: "decline" }
  | {
      readonly kind: "update";
      readonly decisions: Readonly<Partial<Record<ModelPurpose, ModelDecision>>>;
      readonly withdrawAll: boolean;
    };

export type ModelStep =
  | ModelChange
  | { readonly kind: "wait"; readonly hours: number }
  | { readonly kind: "sweep" }
  | { readonly kind: "both"; readonly changes: readonly [ModelChange, ModelChange] };

export const modelPurposes = ["ads", "calls", "news"] as const;
/** How long grants hold; no sum of the waits below comes close to any of them. */
export const expiresAfterHours: Readonly<Record<ModelPurpose, number | null>> = { ads: 48, calls: 96, news: null };

const change: fc.Arbitrary<ModelChange> = fc.oneof(
  fc.record({
    kind: fc.constant("accept" as const),
    decisions: fc
      .record({ ads: fc.boolean(), calls: fc.boolean(), news: fc.boolean() }, { requiredKeys: [] })
      .filter((decisions) => Object.keys(decisions).length > 0),
  }),
  fc.constant({ kind: "decline" } as const),
  fc
    .record({
      kind: fc.constant("update" as const),
      decisions: fc.record({ ads: decision(), calls: decision(), news: decision() }, { requiredKeys: [] }),
      withdrawAll: fc.boolean(),
    })
    .filter(({ decisions, withdrawAll }) => withdrawAll || Object.keys(decisions).length > 0),
);

function decision(): fc.Arbitrary<ModelDecision> {
  return fc.constantFrom("GRANT", "DENY", "WITHDRAW", "RENEW");
}

export const steps: fc.Arbitrary<ModelStep[]> = fc.array(
  fc.oneof(
    { arbitrary: change, weight: 5 },
    { arbitrary: fc.record({ kind: fc.constant("wait" as const), hours: fc.constantFrom(13, 31) }), weight: 2 },
    { arbitrary: fc.constant({ kind: "sweep" } as const), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant("both" as const), changes: fc.tuple(change, change) }), weight: 3 },
  ),
  { minLength: 1, maxLength: 14 },
);

interface ModelEvent {
  readonly purpose: ModelPurpose;
  readonly type: "GRANTED" | "RENEWED" | "DENIED" | "WITHDRAWN";
  readonly at: number;
}

/** The rules of consent, told once more in the plainest way: a list of what happened, and the hour it is. */
export interface ConsentModel {
  readonly events: readonly ModelEvent[];
  readonly hour: number;
}

export const emptyModel: ConsentModel = { events: [], hour: 0 };

export interface Applied {
  readonly model: ConsentModel;
  readonly outcome: "ok" | "CLICK_CONSENT_CONFLICT";
}

export function applyChange(model: ConsentModel, change: ModelChange): Applied {
  const add = (list: readonly (readonly [ModelPurpose, ModelEvent["type"]])[]): Applied => ({
    outcome: "ok",
    model: {
      ...model,
      events: [...model.events, ...list.map(([purpose, type]) => ({ purpose, type, at: model.hour }))],
    },
  });
  const lastType = (purpose: ModelPurpose) => model.events.findLast((event) => event.purpose === purpose)?.type;
  const isGrant = (purpose: ModelPurpose) => ["GRANTED", "RENEWED"].includes(lastType(purpose) ?? "");
  if (change.kind === "decline") return add(modelPurposes.map((purpose) => [purpose, "DENIED"]));
  if (change.kind === "accept") {
    return add(entries(change.decisions).map(([purpose, granted]) => [purpose, granted ? "GRANTED" : "DENIED"]));
  }
  const named = entries(change.decisions);
  if (named.some(([purpose, decided]) => decided === "RENEW" && !isGrant(purpose))) {
    return { model, outcome: "CLICK_CONSENT_CONFLICT" };
  }
  const rest = modelPurposes.filter((purpose) => change.decisions[purpose] === undefined);
  return add([
    ...named.flatMap(([purpose, decided]) =>
      lastType(purpose) === types[decided] && ["DENY", "WITHDRAW"].includes(decided)
        ? []
        : [[purpose, types[decided]] as const],
    ),
    ...(change.withdrawAll ? rest.filter((purpose) => statusIn(model, purpose)?.valid) : []).map(
      (purpose) => [purpose, "WITHDRAWN"] as const,
    ),
  ]);
}

const types = { GRANT: "GRANTED", RENEW: "RENEWED", DENY: "DENIED", WITHDRAW: "WITHDRAWN" } as const;

const entries = <V>(record: Readonly<Partial<Record<ModelPurpose, V>>>): [ModelPurpose, V][] =>
  Object.entries(record) as [ModelPurpose, V][];

function statusIn(
  { events, hour }: ConsentModel,
  purpose: ModelPurpose,
): { status: string; valid: boolean } | undefined {
  const last = events.findLast((event) => event.purpose === purpose);
  if (last === undefined) return undefined;
  if (last.type === "DENIED" || last.type === "WITHDRAWN") return { status: last.type, valid: false };
  const isOver = hasEnded(last, hour);
  return { status: isOver ? "EXPIRED" : last.type, valid: !isOver };
}

const hasEnded = ({ purpose, at }: ModelEvent, hour: number): boolean =>
  hour - at > (expiresAfterHours[purpose] ?? Number.POSITIVE_INFINITY);

/** How the API is to show it. */
export const shown = (model: ConsentModel) => ({
  revision: model.events.length,
  consents: modelPurposes.flatMap((purpose) => {
    const state = statusIn(model, purpose);
    return state === undefined ? [] : [{ purpose, ...state }];
  }),
  recorded: model.events.map(({ purpose, type }) => `${type} ${purpose}`).toReversed(),
  expired: model.events
    .filter((event, index) => {
      const next = model.events.slice(index + 1).find(({ purpose }) => purpose === event.purpose);
      return (event.type === "GRANTED" || event.type === "RENEWED") && hasEnded(event, next?.at ?? model.hour);
    })
    .map(({ purpose }) => purpose)
    .sort(),
});
