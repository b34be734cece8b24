/** A value that a template takes. */
export interface DataField {
  /** Such as "customer.name", or "items[].price" for each of a list. */
  readonly path: string;
  /** As JSON Schema names them; "date" for a text that is one. */
  readonly types: readonly string[];
  readonly isRequired: boolean;
}

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly format?: string;
  readonly anyOf?: readonly Node[];
}

/** What a schema asks for, in the order in which it names it. Only what holds values, not what holds those. */
export function fieldsOf(schema: unknown): DataField[] {
  const fields: DataField[] = [];
  collect((schema ?? {}) as Node, "", true, fields);
  return fields;
}

function collect(node: Node, path: string, isRequired: boolean, fields: DataField[]): void {
  const { properties, items } = node;
  if (properties !== undefined) {
    const needed = new Set(node.required);
    for (const [name, child] of Object.entries(properties)) {
      collect(child, path === "" ? name : `${path}.${name}`, isRequired && needed.has(name), fields);
    }
  } else if (items !== undefined) collect(items, `${path}[]`, isRequired, fields);
  else if (path !== "") fields.push({ path, types: typesOf(node), isRequired });
}

function typesOf({ type, format, anyOf = [] }: Node): string[] {
  if ([format, ...anyOf.map((one) => one.format)].includes("date")) return ["date"];
  return typeof type === "string" ? [type] : [...(type ?? [])];
}
