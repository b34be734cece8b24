import { operationHtml } from "./operation-html.ts";
import { script } from "./page-script.ts";
import { style } from "./page-style.ts";
import { languages, type Resolve, type ShownOperation } from "./samples.ts";
import { escaped, type Json, markdown, propertiesHtml, schemaId } from "./schema-html.ts";

/** A file of the reference. */
export interface ReferenceFile {
  readonly text: string;
  readonly contentType: string;
}

interface Area {
  readonly name: string;
  /** In addresses. */
  readonly slug: string;
  readonly description: unknown;
  readonly operations: readonly ShownOperation[];
  /** Those that no area before it needs. */
  readonly schemas: readonly (readonly [string, Json])[];
}

/**
 * The reference of an OpenAPI document by the part of the address after /docs/: a page for each area, the first page with the
 * name "", and what they load. Nothing comes from elsewhere, and without scripts only search and trying out are missing.
 */
export function referenceFiles(document: Json): ReadonlyMap<string, ReferenceFile> {
  const areas = areasOf(document);
  const resolve = resolver(document);
  const html = (text: string): ReferenceFile => ({ text, contentType: "text/html; charset=utf-8" });
  return new Map<string, ReferenceFile>([
    ["", html(pageHtml({ document, areas, title: "API", content: overviewHtml(document, areas) }))],
    ...areas.map((area): [string, ReferenceFile] => [
      area.slug,
      html(
        linked(pageHtml({ document, areas, area, title: area.name, content: areaHtml(area, resolve) }), area, areas),
      ),
    ]),
    ["search.txt", { text: JSON.stringify(searchIndex(areas)), contentType: "text/plain; charset=utf-8" }],
    ["reference.css", { text: style, contentType: "text/css; charset=utf-8" }],
    ["reference.js", { text: script, contentType: "text/javascript; charset=utf-8" }],
  ]);
}

const methods = ["get", "post", "put", "patch", "delete"];

function areasOf(document: Json): Area[] {
  const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    methods
      .filter((method) => Object.hasOwn(item, method))
      .map((method) => ({ path, method, operation: item[method] as Json })),
  );
  const schemas = new Map(Object.entries((document.components as { schemas: Record<string, Json> }).schemas));
  const tags = document.tags as { name: string; description?: string }[];
  return tags.map(({ name, description }, index) => {
    const own = operations.filter(({ operation }) => (operation.tags as string[]).includes(name));
    const isLast = index === tags.length - 1;
    const needed = isLast ? [...schemas.keys()] : [...namesIn(own, schemas)];
    const taken = needed.flatMap((schema): [string, Json][] => {
      const found = schemas.get(schema);
      return found === undefined ? [] : [[schema, found]];
    });
    for (const [schema] of taken) schemas.delete(schema);
    return { name, slug: name.toLowerCase().replaceAll(" ", "-"), description, operations: own, schemas: taken };
  });
}

/** The schemas that something refers to, and those that these refer to, of those that are left. */
function namesIn(value: unknown, left: ReadonlyMap<string, Json>, found = new Set<string>()): Set<string> {
  for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    const schema = left.get(name);
    if (schema === undefined || found.has(name)) continue;
    found.add(name);
    namesIn(schema, left, found);
  }
  return found;
}

const resolver =
  (document: Json): Resolve =>
  (value) => {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value as Json;
    const parts = $ref.replace("#/", "").split("/");
    return parts.reduce((place, part) => place[part] as Json, document);
  };

interface Page {
  readonly document: Json;
  readonly areas: readonly Area[];
  readonly area?: Area;
  readonly title: string;
  readonly content: string;
}

function pageHtml({ document, areas, area, title, content }: Page): string {
  const { title: product, version } = document.info as Json;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · ${escaped(product)} API ${escaped(version)}</title>
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="layout">
${navigation(`${product} API`, areas, area)}
<main id="content">
${content}
</main>
</div>
</body>
</html>
`;
}

function navigation(title: string, areas: readonly Area[], current: Area | undefined): string {
  const links = areas.map((area) => {
    const isCurrent = area === current;
    const operations = isCurrent
      ? `<ul>${area.operations.map(({ operation }) => `<li><a href="#${escaped(operation.operationId)}">${escaped(operation.summary)}</a></li>`).join("")}</ul>`
      : "";
    return `<li><a href="/docs/${area.slug}"${isCurrent ? ' aria-current="page"' : ""}>${escaped(area.name)}</a>${operations}</li>`;
  });
  return `<nav aria-label="Reference"><p class="name">${escaped(title)}</p>
<div class="search" hidden><label for="search">Search</label><input id="search" type="search" autocomplete="off"><ul></ul><p role="status"></p></div>
<ul><li><a href="/docs"${current === undefined ? ' aria-current="page"' : ""}>Overview</a></li>
${links.join("\n")}</ul></nav>`;
}

function overviewHtml(document: Json, areas: readonly Area[]): string {
  const { title, version, description } = document.info as Json;
  const items = areas.map(
    ({ name, slug, description: about }) =>
      `<li><a href="/docs/${slug}">${escaped(name)}</a><span>${escaped(about)}</span></li>`,
  );
  return `<h1 id="top">${escaped(title)} API <small>${escaped(version)}</small></h1>
<p>Each area has a page with its operations. Programs read <a href="/openapi.json">/openapi.json</a>. In the code, <code>ASSENT</code> is the origin of this API and <code>TOKEN</code> a credential, both in the environment; save TypeScript as <code>request.mts</code> and run it with <code>node request.mts</code>, or Python with <code>python3</code>.</p>
<ul class="areas">
${items.join("\n")}
</ul>
${markdown(description)}`;
}

const areaHtml = ({ name, description, operations, schemas }: Area, resolve: Resolve): string =>
  `<h1 id="top">${escaped(name)}</h1>
${markdown(description)}
<fieldset class="languages"><legend>Code in</legend>${languages.map(languageHtml).join("")}</fieldset>
${operations.map((operation) => operationHtml(operation, resolve)).join("\n")}
${schemas.length === 0 ? "" : `<section class="schemas"><h2 id="schemas">Schemas</h2>\n${schemas.map(schemaHtml).join("\n")}\n</section>`}`;

const languageHtml = ({ id, name }: (typeof languages)[number], index: number): string =>
  `<label><input type="radio" name="language" id="language-${id}" value="${id}"${index === 0 ? " checked" : ""}>${name}</label>`;

const schemaHtml = ([name, schema]: readonly [string, Json]): string =>
  `<section class="schema" id="${schemaId(name)}"><h3>${escaped(name)}</h3>
${markdown(schema.description)}
${propertiesHtml(schema)}
</section>`;

/** Links to schemas lead to the page that has them. */
function linked(page: string, area: Area, areas: readonly Area[]): string {
  const places = new Map(areas.flatMap(({ slug, schemas }) => schemas.map(([name]) => [schemaId(name), slug])));
  return page.replaceAll(/href="#(schema-[^"]+)"/g, (link, id: string) => {
    const slug = places.get(id);
    return slug === undefined || slug === area.slug ? link : `href="/docs/${slug}#${id}"`;
  });
}

interface SearchEntry {
  readonly href: string;
  readonly title: string;
  /** Below the title. */
  readonly place: string;
  /** What is searched. */
  readonly text: string;
}

const searchIndex = (areas: readonly Area[]): SearchEntry[] =>
  areas.flatMap(({ name, slug, operations, schemas }) => [
    ...operations.map(({ path, method, operation }) => {
      const [title, id] = [String(operation.summary), String(operation.operationId)];
      const place = `${method.toUpperCase()} ${path}`;
      return { href: `/docs/${slug}#${id}`, title, place, text: `${title} ${place} ${id} ${name}` };
    }),
    ...schemas.map(([schema]) => {
      const title = `Schema ${schema}`;
      return { href: `/docs/${slug}#${schemaId(schema)}`, title, place: name, text: `${title} ${name}` };
    }),
  ]);
