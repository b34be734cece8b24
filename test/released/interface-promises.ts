import { type Json, resolver } from "../support/openapi.ts";

/** What callers of the interface may rely on, taken from its OpenAPI document. All are lines that people can read. */
export interface Promises {
  /** What must not disappear: operations, parameters, fields, answers, values. */
  readonly kept: readonly string[];
  /** What must not be asked of, or sent to, callers who know nothing of it, below the promise that it belongs to. */
  readonly demands: Readonly<Record<string, readonly string[]>>;
  /** Bounds of what is taken, which may only become wider. */
  readonly bounds: Readonly<Record<string, number>>;
}

type Direction = "request" | "response";

interface Notes {
  readonly kept: Set<string>;
  readonly demands: Map<string, Set<string>>;
  readonly bounds: Map<string, number>;
  readonly resolve: (value: unknown) => Json;
}

export function promisesOf(document: Json): Promises {
  const notes: Notes = { kept: new Set(), demands: new Map(), bounds: new Map(), resolve: resolver(document) };
  for (const [path, item] of entries(document.paths)) {
    for (const [method, operation] of entries(item)) noteOperation(notes, `${method.toUpperCase()} ${path}`, operation);
  }
  for (const [name, item] of entries(document.webhooks)) {
    const { post } = item as { post: Json };
    for (const { schema } of contents(notes, post.requestBody))
      noteSchema(notes, "response", `sent ${name}`, schema, []);
  }
  return {
    kept: [...notes.kept].sort(),
    demands: Object.fromEntries([...notes.demands].map(([owner, texts]) => [owner, [...texts].sort()])),
    bounds: Object.fromEntries(notes.bounds),
  };
}

/** What callers of the interface of then would notice of the interface of now. */
export function brokenPromises(then: Promises, now: Promises): string[] {
  const [known, present] = [new Set(then.kept), new Set(now.kept)];
  const gone = outermost(then.kept.filter((promise) => !present.has(promise))).map((promise) => `gone: ${promise}`);
  const added = Object.entries(now.demands).flatMap(([owner, texts]) => {
    const before = new Set(then.demands[owner]);
    return known.has(owner) ? texts.filter((text) => !before.has(text)).map((text) => `new: ${owner} ${text}`) : [];
  });
  const narrower = Object.entries(now.bounds).flatMap(([name, bound]) => {
    const owner = name.slice(0, name.lastIndexOf(" "));
    const before = then.bounds[name];
    const isNarrower =
      before === undefined || (name.slice(owner.length + 1).startsWith("max") ? bound < before : bound > before);
    return known.has(owner) && isNarrower ? [`narrower: ${name} ${bound}`] : [];
  });
  return [...gone, ...added, ...narrower];
}

/** Without what is gone because that which it belongs to is gone. Both are sorted. */
function outermost(promises: readonly string[]): string[] {
  const found: string[] = [];
  for (const promise of promises) {
    if (!found.some((outer) => promise.startsWith(outer) && /^[ .[]/.test(promise.slice(outer.length))))
      found.push(promise);
  }
  return found;
}

function noteOperation(notes: Notes, name: string, operation: Json): void {
  notes.kept.add(name);
  notes.kept.add(`${name} is called ${operation.operationId}`);
  for (const alternative of operation.security as Json[]) {
    const means = entries(alternative).map(([scheme, scopes]) =>
      [scheme, ...(scopes as unknown as string[])].join(" "),
    );
    notes.kept.add(`${name} lets in ${means.join(" and ") || "anybody"}`);
  }
  if ((operation.security as Json[]).length === 0) notes.kept.add(`${name} lets in anybody`);
  for (const parameter of (operation.parameters ?? []) as Json[]) noteParameter(notes, name, notes.resolve(parameter));
  const body = notes.resolve(operation.requestBody ?? {});
  if (body.required === true) demand(notes, name, "a body");
  for (const { type, schema } of contents(notes, body)) {
    noteSchema(notes, "request", keep(notes, `${name} takes ${type}`), schema, []);
  }
  for (const [status, response] of entries(operation.responses)) {
    const answer = keep(notes, `${name} ${status}`);
    for (const header of Object.keys(notes.resolve(response).headers ?? {})) keep(notes, `${answer} header ${header}`);
    for (const { type, schema } of contents(notes, response)) {
      noteSchema(notes, "response", keep(notes, `${answer} ${type}`), schema, []);
    }
  }
}

function noteParameter(notes: Notes, operation: string, parameter: Json): void {
  const name = keep(notes, `${operation} takes ${parameter.in} ${parameter.name}`);
  if (parameter.required === true) demand(notes, operation, `${parameter.in} ${parameter.name}`);
  noteSchema(notes, "request", name, parameter.schema as Json, []);
}

/** `within` are the schemas around this one, which may contain themselves. */
function noteSchema(notes: Notes, direction: Direction, name: string, schema: Json, within: readonly Json[]): void {
  const found = notes.resolve(schema);
  if (within.includes(found)) return;
  const inner = [...within, found];
  for (const type of typesOf(found)) {
    // A type more is good for who sends and new for who reads.
    if (direction === "request") keep(notes, `${name} of type ${type}`);
    else demand(notes, name, `type ${type}`);
  }
  for (const value of valuesOf(found)) keep(notes, `${name} = ${JSON.stringify(value)}`);
  noteForm(notes, direction, name, found);
  const required = (found.required ?? []) as string[];
  for (const [field, of] of entries(found.properties)) {
    const member = keep(notes, `${name}.${field}`);
    if (required.includes(field) && direction === "response") keep(notes, `${member} is always there`);
    if (required.includes(field) && direction === "request") demand(notes, name, `.${field}`);
    noteSchema(notes, direction, member, of, inner);
  }
  if (isObject(found.items)) noteSchema(notes, direction, keep(notes, `${name}[]`), found.items, inner);
  if (isObject(found.additionalProperties)) {
    noteSchema(notes, direction, keep(notes, `${name}.*`), found.additionalProperties, inner);
  }
  for (const part of partsOf(found)) noteSchema(notes, direction, name, part, inner);
}

const boundNames = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"];

/** What a value of the type looks like. */
function noteForm(notes: Notes, direction: Direction, name: string, schema: Json): void {
  if (direction === "response") {
    if (schema.format !== undefined) keep(notes, `${name} in the form ${schema.format}`);
    return;
  }
  for (const form of ["format", "pattern"]) {
    if (schema[form] !== undefined) demand(notes, name, `${form} ${schema[form]}`);
  }
  for (const bound of boundNames) {
    if (typeof schema[bound] === "number") notes.bounds.set(`${name} ${bound}`, schema[bound]);
  }
}

/** What composed schemas say is said elsewhere. */
function typesOf(schema: Json): readonly unknown[] {
  if (schema.type !== undefined) return [schema.type].flat();
  if (partsOf(schema).length > 0) return [];
  const values = valuesOf(schema);
  if (values.length > 0) return [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  return schema.properties === undefined ? ["any"] : ["object"];
}

const valuesOf = (schema: Json): readonly unknown[] =>
  "const" in schema ? [schema.const] : ((schema.enum ?? []) as unknown[]);

const partsOf = (schema: Json): readonly Json[] =>
  ["allOf", "oneOf", "anyOf"].flatMap((word) => (schema[word] ?? []) as Json[]);

function contents(notes: Notes, holder: unknown): { readonly type: string; readonly schema: Json }[] {
  const { content } = notes.resolve(holder ?? {});
  return entries(content).map(([type, { schema }]) => ({ type, schema: (schema ?? {}) as Json }));
}

function keep(notes: Notes, promise: string): string {
  notes.kept.add(promise);
  return promise;
}

function demand(notes: Notes, owner: string, text: string): void {
  const texts = notes.demands.get(owner) ?? new Set();
  notes.demands.set(owner, texts.add(text));
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;
const entries = (value: unknown): [string, Json][] => Object.entries((value ?? {}) as Record<string, Json>);
