import { createHash } from "node:crypto";
import { operationHtml, type Resolve, type ShownOperation } from "./operation-html.ts";
import { codeBlock, escaped, type Json, markdown, pretty, propertiesHtml, schemaId } from "./schema-html.ts";

/** Light and dark, from wide screens to phones, and on paper. */
const style = `
:root {
  color-scheme: light dark;
  --text: #1c2430; --quiet: #5a6575; --page: #fff; --side: #f5f7fa; --line: #dce2ea; --soft: #f0f3f7; --link: #0b57b7;
  --get: #0b57b7; --post: #17703a; --put: #6b3fa0; --patch: #8a5300; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e3e8ef; --quiet: #9aa6b6; --page: #12161c; --side: #181d25; --line: #2c3541; --soft: #1c222b; --link: #8ab8ff;
    --get: #8ab8ff; --post: #77d79b; --put: #c6a5f0; --patch: #f1bd6c; --delete: #ff9d94;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--page); z-index: 1; }
.layout { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem 1.25rem; background: var(--side);
  border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav .name { font-size: 1rem; font-weight: 700; margin: 0 0 1rem; }
nav li > a { display: block; padding: .2rem 0; color: var(--quiet); text-decoration: none; }
nav li > a:hover { color: var(--link); text-decoration: underline; }
nav > ul > li > a { margin-top: .8rem; font-weight: 600; color: var(--text); }
main { padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem; max-width: 68rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--quiet); }
h2 { font-size: 1.4rem; margin: 2.5rem 0 .5rem; }
.tag > h2, .schemas > h2 { margin-top: 4rem; padding-bottom: .4rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .5rem; font-weight: 400; overflow-wrap: anywhere; }
h4 { font-size: 1.15rem; margin: 0 0 .5rem; }
h5 { font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; color: var(--quiet); margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; }
.operation, .schema { margin: 1.75rem 0; padding: 1.25rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: .6rem; }
.operation:target, .schema:target { border-color: var(--link); }
.schema h3 { font-weight: 600; font-size: 1.05rem; }
code, pre { font: .85em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
:not(pre) > code { background: var(--soft); padding: .1em .3em; border-radius: .25em; overflow-wrap: anywhere; }
code.path { background: none; padding: 0; font-size: .95rem; }
pre { margin: .5rem 0; padding: .8rem 1rem; background: var(--soft); border-radius: .4rem; overflow-x: auto; max-height: 32rem; }
.method { display: inline-block; min-width: 4.4em; margin-right: .4rem; padding: .1em .5em; border: 1px solid; border-radius: .3em;
  font: 600 .78rem/1.5 ui-monospace, monospace; text-transform: uppercase; text-align: center; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.status { font: 600 .85rem ui-monospace, monospace; color: var(--post); margin-right: .4rem; }
.answer { margin: .5rem 0 1rem; }
.media { font-size: .9rem; }
.optional { color: var(--quiet); white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th { font-weight: 600; color: var(--quiet); }
th, td { text-align: left; vertical-align: top; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); }
td:first-child code { white-space: nowrap; }
td:last-child { min-width: 12rem; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; padding: .2rem 0; }
.schema > details > summary { margin-top: .5rem; }
@media (max-width: 60rem) {
  .layout { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  nav ul ul { display: none; }
  nav > ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
  nav > ul > li > a { margin: 0; padding: .35rem 0; font-weight: 400; color: var(--link); }
  nav .name { margin: 0 0 .25rem; }
  main { padding-top: 1.25rem; }
  .operation, .schema { padding: 1rem; }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -99rem; }
  tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; padding: .1rem 0; border: 0; }
  td:first-child code { white-space: normal; }
  td:empty { display: none; }
}
@media print { nav { display: none; } .layout { display: block; } .operation, .schema { break-inside: avoid-page; } }
`;

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
