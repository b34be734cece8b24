import { createHash } from "node:crypto";
import { codeBlock, escaped, markdown, pretty } from "./html.ts";
import { operationHtml, type Resolve, type ShownOperation } from "./operation-html.ts";
import { type Json, propertiesHtml, schemaId } from "./schema-html.ts";
import { style } from "./style.ts";

/** Lets the page use its own styles and nothing else. */
export const referencePagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A reference page of an OpenAPI document: one file without scripts and without anything from elsewhere. */
export function referencePage(document: Json): string {
  const { title, version, description } = document.info as Json;
  const tags = tagsOf(document);
  const schemas = (document.components as { schemas: Record<string, Json> }).schemas;
  const resolve = resolver(document);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} API ${escaped(version)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<div class="layout">
${navigation(`${title} API`, tags)}
<main id="content">
<h1 id="top">${escaped(title)} API <small>${escaped(version)}</small></h1>
<p>For programs the same is at <a href="/openapi.json">/openapi.json</a>. In the requests below, <code>$ASSENT</code> is where this API is, and <code>$TOKEN</code> a credential.</p>
${markdown(description)}
${tags.map((tag) => tagHtml(tag, resolve)).join("\n")}
<section class="schemas" id="schemas"><h2>Schemas</h2>
${Object.entries(schemas).map(schemaHtml).join("\n")}
</section>
</main>
</div>
</body>
</html>
`;
}

interface Tag {
  readonly name: string;
  readonly description: unknown;
  readonly operations: readonly ShownOperation[];
}

const methods = ["get", "post", "put", "patch", "delete"];

function tagsOf(document: Json): Tag[] {
  const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    methods
      .filter((method) => Object.hasOwn(item, method))
      .map((method) => ({ path, method, operation: item[method] as Json })),
  );
  return (document.tags as { name: string; description?: string }[]).map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => (operation.tags as string[]).includes(name)),
  }));
}

const tagId = (name: string): string => `tag-${escaped(name.toLowerCase().replaceAll(" ", "-"))}`;

function navigation(title: string, tags: readonly Tag[]): string {
  const groups = tags.map(({ name, operations }) => {
    const links = operations.map(
      ({ operation }) => `<li><a href="#${escaped(operation.operationId)}">${escaped(operation.summary)}</a></li>`,
    );
    return `<li><a href="#${tagId(name)}">${escaped(name)}</a><ul>${links.join("")}</ul></li>`;
  });
  return `<nav aria-label="Operations"><p class="name">${escaped(title)}</p>
<ul><li><a href="#top">Overview</a></li>
${groups.join("\n")}
<li><a href="#schemas">Schemas</a></li></ul></nav>`;
}

const tagHtml = ({ name, description, operations }: Tag, resolve: Resolve): string =>
  `<section class="tag" id="${tagId(name)}"><h2>${escaped(name)}</h2>
${markdown(description)}
${operations.map((operation) => operationHtml(operation, resolve)).join("\n")}
</section>`;

const schemaHtml = ([name, schema]: [string, Json]): string =>
  `<section class="schema" id="${schemaId(name)}"><h3>${escaped(name)}</h3>
${markdown(schema.description)}
${propertiesHtml(schema)}
<details><summary>JSON Schema</summary>${codeBlock(pretty(schema), `JSON Schema of ${name}`)}</details>
</section>`;

const resolver =
  (document: Json): Resolve =>
  (value) => {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value as Json;
    const parts = $ref.replace("#/", "").split("/");
    return parts.reduce((place, part) => place[part] as Json, document);
  };
