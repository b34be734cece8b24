import { type LookupPage, lookupHtml, lookupId, lookupsOf } from "./lookup-page.ts";
import { operationHtml } from "./operation-html.ts";
import { script } from "./page-script.ts";
import { style } from "./page-style.ts";
import { languages, type Resolve, type ShownOperation } from "./samples.ts";
import { escaped, inline, type Json, markdown, propertiesHtml, schemaId } from "./schema-html.ts";

/** A file of the reference. */
export interface ReferenceFile {
  readonly text: string;
  readonly contentType: string;
}

interface Area {
  readonly name: string;
  /** In addresses. */
  readonly slug: string;
  readonly group: string;
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
  const lookups = lookupsOf(
    areas.flatMap(({ slug, operations }) =>
      operations.map((shown) => ({ ...shown, href: `/docs/${slug}#${escaped(shown.operation.operationId)}` })),
    ),
    resolve,
  );
  const html = (text: string): ReferenceFile => ({ text, contentType: "text/html; charset=utf-8" });
  return new Map<string, ReferenceFile>([
    ["", html(pageHtml({ document, areas, title: "API", content: overviewHtml(document, areas) }))],
    [
      lookupSlug,
      html(pageHtml({ document, areas, current: lookupSlug, title: lookupTitle, content: lookupHtml(lookups) })),
    ],
    ...areas.map((area): [string, ReferenceFile] => [
      area.slug,
      html(
        linked(
          pageHtml({ document, areas, current: area.slug, title: area.name, content: areaHtml(area, resolve) }),
          area,
          areas,
        ),
      ),
    ]),
    ["search.txt", { text: JSON.stringify(searchIndex(areas, lookups)), contentType: "text/plain; charset=utf-8" }],
    ["reference.css", { text: style, contentType: "text/css; charset=utf-8" }],
    ["reference.js", { text: script, contentType: "text/javascript; charset=utf-8" }],
  ]);
}

const lookupSlug = "errors";
const lookupTitle = "Errors and headers";

const methods = ["get", "post", "put", "patch", "delete"];

function areasOf(document: Json): Area[] {
  const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    methods
      .filter((method) => Object.hasOwn(item, method))
      .map((method) => ({ path, method, operation: item[method] as Json })),
  );
  const schemas = new Map(Object.entries((document.components as { schemas: Record<string, Json> }).schemas));
  const tags = document.tags as { name: string; description?: string }[];
  const groups = document["x-tagGroups"] as { name: string; tags: string[] }[];
  return tags.map(({ name, description }, index) => {
    const own = operations.filter(({ operation }) => (operation.tags as string[]).includes(name));
    const isLast = index === tags.length - 1;
    const needed = isLast ? [...schemas.keys()] : [...namesIn(own, schemas)];
    const taken = needed.flatMap((schema): [string, Json][] => {
      const found = schemas.get(schema);
      return found === undefined ? [] : [[schema, found]];
    });
    for (const [schema] of taken) schemas.delete(schema);
    const group = groups.find((each) => each.tags.includes(name))?.name ?? "";
    const slug = name.toLowerCase().replaceAll(" ", "-");
    return { name, slug, group, description, operations: own, schemas: taken };
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
  /** The address of the page after /docs/; none for the first page. */
  readonly current?: string;
  readonly title: string;
  readonly content: string;
}

function pageHtml({ document, areas, current = "", title, content }: Page): string {
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
${navigation(`${product} API`, areas, current)}
<main id="content">
${content}
</main>
</div>
</body>
</html>
`;
}

/** Folded on narrow screens, where it would fill the first of them. */
function navigation(title: string, areas: readonly Area[], current: string): string {
  const links = grouped(areas).map(
    ([group, inGroup], index) =>
      `<p id="group-${index}">${escaped(group)}</p><ul aria-labelledby="group-${index}">${inGroup.map((area) => areaLink(area, current)).join("\n")}</ul>`,
  );
  return `<nav aria-label="Reference"><p class="name"><a href="/docs">${escaped(title)}</a></p>
<div class="search" hidden><label for="search">Search</label><input id="search" type="search" autocomplete="off"><ul></ul><p role="status"></p></div>
<details class="menu"><summary>Contents</summary>
<ul><li>${pageLink("", "Overview", current)}</li><li>${pageLink(lookupSlug, lookupTitle, current)}</li></ul>
${links.join("\n")}</details></nav>`;
}

const pageLink = (slug: string, title: string, current: string): string =>
  `<a href="/docs${slug === "" ? "" : `/${slug}`}"${slug === current ? ' aria-current="page"' : ""}>${escaped(title)}</a>`;

function areaLink({ name, slug, operations }: Area, current: string): string {
  const own = operations.map(
    ({ operation }) => `<li><a href="#${escaped(operation.operationId)}">${escaped(operation.summary)}</a></li>`,
  );
  return `<li>${pageLink(slug, name, current)}${slug === current ? `<ul>${own.join("")}</ul>` : ""}</li>`;
}

const grouped = (areas: readonly Area[]): [string, Area[]][] => [...Map.groupBy(areas, ({ group }) => group).entries()];

function overviewHtml(document: Json, areas: readonly Area[]): string {
  const { title, version, description } = document.info as Json;
  const item = ({ name, slug, description: about }: Area): string =>
    `<li><a href="/docs/${slug}">${escaped(name)}</a><span>${inline(about)}</span></li>`;
  const groups = grouped(areas).map(
    ([group, inGroup]) =>
      `<section><h2>${escaped(group)}</h2>\n<ul class="areas">\n${inGroup.map(item).join("\n")}\n</ul></section>`,
  );
  return `<h1 id="top">${escaped(title)} API <small>${escaped(version)}</small></h1>
<p>Each area has its own page. All <a href="/docs/${lookupSlug}">errors and headers</a> are on one page. The OpenAPI document for programs is <a href="/openapi.json">/openapi.json</a>.</p>
<p>To run the code on these pages, set <code>ASSENT</code> to the origin of this API and <code>TOKEN</code> to a credential. The TypeScript uses no syntax beyond JavaScript: save it as <code>request.mjs</code> and run <code>node request.mjs</code> with any supported version of Node, or as <code>request.mts</code> with Node 22.18 or later. Save Python as <code>request.py</code> and run <code>python3 request.py</code>.</p>
<div class="groups">
${groups.join("\n")}
</div>
${headed(markdown(description))}`;
}

/** Headings get an id, to be linked to, and code can be scrolled by keyboard. */
const headed = (html: string): string =>
  html
    .replaceAll("<pre>", '<pre tabindex="0" aria-label="Example">')
    .replaceAll(/<h2>([^<]*)<\/h2>/g, (_, text: string) => {
      return `<h2 id="${text.toLowerCase().replaceAll(/[^a-z]+/g, "-")}">${text}</h2>`;
    });

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

const searchIndex = (areas: readonly Area[], { errors, headers }: LookupPage): SearchEntry[] => [
  ...areas.flatMap(({ name, slug, operations, schemas }) => [
    ...operations.map(({ path, method, operation }) => {
      const [title, id] = [String(operation.summary), String(operation.operationId)];
      const place = `${method.toUpperCase()} ${path}`;
      return { href: `/docs/${slug}#${id}`, title, place, text: `${title} ${place} ${id} ${name}` };
    }),
    ...schemas.map(([schema]) => {
      const title = `Schema ${schema}`;
      return { href: `/docs/${slug}#${schemaId(schema)}`, title, place: name, text: `${title} ${name}` };
    }),
  ]),
  ...errors.map(({ name, places, meanings }) => {
    const place = `Error ${[...places].join(", ")}: ${[...meanings].join(" ")}`;
    return { href: `/docs/${lookupSlug}#${lookupId("error", name)}`, title: name, place, text: `${name} ${place}` };
  }),
  ...headers.map(({ name, places }) => {
    const place = `Header in ${[...places].join(" and ")}`;
    return { href: `/docs/${lookupSlug}#${lookupId("header", name)}`, title: name, place, text: `${name} ${place}` };
  }),
];
