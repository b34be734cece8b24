/** Facts of the HTML standard about the elements that a document may have. */

/** Have no content and no end tag. */
export const voidElements: ReadonlySet<string> = new Set(
  words("area base br col embed hr img input link meta source track wbr"),
);

/** Whose end tag may be left out where something else shows that they end. */
export const elementsThatEndThemselves: ReadonlySet<string> = new Set(
  words("p li dt dd rt rp tr td th thead tbody tfoot caption colgroup"),
);

/** What a start tag ends when it comes right inside of it: group after group, from the innermost outwards. */
export const endedByStartTag: ReadonlyMap<string, readonly ReadonlySet<string>[]> = new Map([
  ...words(`address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul`).map(
    (name): [string, ReadonlySet<string>[]] => [name, groups("p")],
  ),
  ["li", groups("p", "li")],
  ["dt", groups("p", "dt dd")],
  ["dd", groups("p", "dt dd")],
  ["rt", groups("rt rp")],
  ["rp", groups("rt rp")],
  ["td", groups("p", "td th")],
  ["th", groups("p", "td th")],
  ["tr", groups("p", "td th", "tr", "caption colgroup")],
  ...words("thead tbody tfoot").map((name): [string, ReadonlySet<string>[]] => [
    name,
    groups("p", "td th", "tr", "thead tbody tfoot caption colgroup"),
  ]),
]);

/** Which element a start tag implies right inside of a table. */
export const impliedInTable: ReadonlyMap<string, string> = new Map([
  ["tr", "tbody"],
  ["col", "colgroup"],
]);

function words(text: string): string[] {
  return text.split(/\s+/);
}

function groups(...names: string[]): ReadonlySet<string>[] {
  return names.map((group) => new Set(words(group)));
}
