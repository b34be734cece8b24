type Json = Record<string, unknown>;

const methods = ["get", "post", "patch", "delete"];

const style = `
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; border-radius: .3rem; }
.method { display: inline-block; width: 4.5rem; font-weight: 600; text-transform: uppercase; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }`;

/** A reference page of an OpenAPI document: one file without scripts and without anything from elsewhere. */
export function referencePage(document: Json): string {
  const { title, version, description } = document.info as Json;
  const paths = Object.entries(document.paths as Record<string, Json>);
  const operations = paths.flatMap(([path, item]) =>
    methods.filter((method) => method in item).map((method) => ({ path, method, operation: item[method] as Json })),
  );
  const tags = (document.tags as { name: string }[]).map(({ name }) => {
    const ofTag = operations.filter(({ operation }) => (operation.tags as string[]).includes(name));
    return `<h2>${escaped(name)}</h2>${ofTag.map(operationHtml).join("")}`;
  });
  const schemas = Object.entries((document.components as Json).schemas as Json).map(
    ([name, schema]) =>
      `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${pretty(schema)}</details>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)} API ${escaped(version)}</title>
<style>${style}</style></head>
<body><h1>${escaped(title)} API ${escaped(version)}</h1>
<p>${escaped(description)} The same as a document for programs: <a href="/openapi.json">/openapi.json</a>.</p>
${tags.join("\n")}
<h2>Schemas</h2>
${schemas.join("\n")}
</body></html>
`;
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Json }): string {
  const body = operation.requestBody as { content: Record<string, Json> } | undefined;
  return `<details id="${escaped(operation.operationId)}">
<summary><span class="method">${method}</span> <code>${escaped(path)}</code> – ${escaped(operation.summary)}</summary>
<p>${escaped(operation.description ?? "")}</p>
<p>${scopesHtml(operation.security as Record<string, string[]>[])}</p>
${parametersHtml(operation.parameters as Json[])}
${body === undefined ? "" : `<h3>Body</h3>${pretty(body.content["application/json"])}`}
<h3>Answers</h3>${responsesHtml(operation.responses as Record<string, Json>)}
</details>`;
}

function scopesHtml(security: readonly Record<string, string[]>[]): string {
  const scopes = security.flatMap(({ oauth = [] }) => oauth);
  if (scopes.length === 0) return "Needs no credential.";
  return `Scope: ${scopes.map((scope) => `<code>${escaped(scope)}</code>`).join(" or ")}`;
}

function parametersHtml(parameters: readonly Json[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(place)}${required === true ? ", required" : ""}</td><td><code>${escaped(JSON.stringify(schema))}</code></td><td>${escaped(description ?? "")}</td></tr>`,
  );
  return `<h3>Parameters</h3><table>${rows.join("")}</table>`;
}

function responsesHtml(responses: Readonly<Record<string, Json>>): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    // What is no text has a type and no schema.
    const schemas = Object.entries((content ?? {}) as Record<string, Json>).map(
      ([type, media]) => media.schema ?? type,
    );
    return `<tr><td><code>${escaped(status)}</code></td><td>${escaped(description)}</td><td>${schemas.map(schemaHtml).join("")}</td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

function schemaHtml(schema: unknown): string {
  const text = JSON.stringify(schema);
  const name = /^\{"\$ref":"#\/components\/schemas\/(\w+)"\}$/.exec(text)?.[1];
  return name === undefined ? `<code>${escaped(text)}</code>` : `<a href="#${name}">${name}</a>`;
}

const pretty = (value: unknown): string => `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (value: unknown): string =>
  String(value).replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");
