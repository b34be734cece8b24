/** What a property of a model holds, as the SDK reads it. */
type Attribute =
  | { readonly kind: "scalar"; readonly type: string }
  | { readonly kind: "model"; readonly name: string }
  | { readonly kind: "list"; readonly item: Attribute }
  | { readonly kind: "other" };

// biome-ignore lint/suspicious/noExplicitAny: the SDK has no types
type Sdk = any;

/**
 * Where the raw JSON of an answer is not what clients of the SDK count on: scalars are texts unless the model has a
 * boolean or a number, nothing is null, lists are arrays, times have seven digits, GUIDs are in lower case, and URIs are
 * relative to the account. Properties that the model does not know are no problem: they are added to extras.
 */
export function modelProblems(sdk: Sdk, model: string, value: unknown, extras: Set<string> = new Set()): string[] {
  const problems: string[] = [];
  const checkScalar = (type: string, found: unknown, path: string): void => {
    const expected = type === "Boolean" ? "boolean" : type === "Number" ? "number" : "string";
    if (typeof found === expected) return;
    problems.push(`${path} is a ${typeof found} and not a ${expected}: ${JSON.stringify(found)}`);
  };
  const checkList = (item: Attribute, found: unknown, path: string): void => {
    if (!Array.isArray(found)) problems.push(`${path} is not an array`);
    else for (const [index, one] of found.entries()) check(item, one, `${path}[${index}]`);
  };
  const check = (attribute: Attribute, found: unknown, path: string): void => {
    if (attribute.kind === "scalar") checkScalar(attribute.type, found, path);
    else if (attribute.kind === "model") checkModel(attribute.name, found, path);
    else if (attribute.kind === "list") checkList(attribute.item, found, path);
  };
  const checkModel = (name: string, found: unknown, path: string): void => {
    if (typeof found !== "object" || found === null || Array.isArray(found)) {
      problems.push(`${path} is not an object`);
      return;
    }
    const attributes = attributesOf(sdk, name);
    for (const [property, member] of Object.entries(found)) {
      const attribute = attributes.get(property);
      if (attribute === undefined) extras.add(`${name}.${property}`);
      else check(attribute, member, `${path}.${property}`);
    }
  };
  checkModel(model, value, model);
  eachMember(value, model, (property, found, path) => {
    problems.push(...formProblems(property, found).map((problem) => `${path} ${problem}: ${JSON.stringify(found)}`));
  });
  return problems;
}

const known = new Map<string, ReadonlyMap<string, Attribute>>();

/** Read from the source of constructFromObject, which names all of them. Empty for models that are not there. */
export function attributesOf(sdk: Sdk, name: string): ReadonlyMap<string, Attribute> {
  const found = known.get(name) ?? readAttributes(String(sdk[name]?.constructFromObject ?? ""));
  known.set(name, found);
  return found;
}

function readAttributes(source: string): ReadonlyMap<string, Attribute> {
  const attributes = new Map<string, Attribute>();
  for (const [, name = "", read = ""] of source.matchAll(/obj\['(\w+)'\] = (.+);/g)) {
    attributes.set(name, attributeOf(read));
  }
  return attributes;
}

function attributeOf(read: string): Attribute {
  const scalar = /convertToType\(data\['\w+'\], '(\w+)'\)/.exec(read)?.[1];
  if (scalar !== undefined) return { kind: "scalar", type: scalar };
  const scalars = /convertToType\(data\['\w+'\], \['(\w+)'\]\)/.exec(read)?.[1];
  if (scalars !== undefined) return { kind: "list", item: { kind: "scalar", type: scalars } };
  const models = /convertToType\(data\['\w+'\], \[(\w+)\]\)/.exec(read)?.[1];
  if (models !== undefined) return { kind: "list", item: { kind: "model", name: models } };
  const model = /^(\w+)\.constructFromObject\(/.exec(read)?.[1];
  return model === undefined ? { kind: "other" } : { kind: "model", name: model };
}

type Visit = (property: string, found: unknown, path: string) => void;

function eachMember(value: unknown, path: string, visit: Visit): void {
  if (typeof value !== "object" || value === null) return;
  for (const [property, found] of Object.entries(value)) {
    visit(property, found, `${path}.${property}`);
    eachMember(found, `${path}.${property}`, visit);
  }
}

function formProblems(property: string, found: unknown): string[] {
  if (found === null) return ["is null"];
  if (typeof found !== "string") return [];
  return [...timeProblems(property, found), ...idProblems(found), ...uriProblems(property, found)];
}

function timeProblems(property: string, found: string): string[] {
  const isTime = /DateTime$|^(Sent|Delivered|Signed|Declined)Time$|^(created|lastModified)$/.test(property);
  const looksLikeTime = /^\d{4}-\d{2}-\d{2}T/.test(found);
  if (!isTime && !looksLikeTime) return [];
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{7}Z$/.test(found) ? [] : ["is not a time with seven digits"];
}

const idProblems = (found: string): string[] =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(found) && found !== found.toLowerCase() ? ["is in upper case"] : [];

function uriProblems(property: string, found: string): string[] {
  if (!/^uri$|Uri$/.test(property)) return [];
  return found.startsWith("/") && !found.startsWith("/restapi") ? [] : ["is not relative to the account"];
}
