import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parse, parseFragment, serialize } from "parse5";
import { documentRules } from "../rules.ts";

type Parent = DefaultTreeAdapterTypes.ParentNode;
type Child = DefaultTreeAdapterTypes.ChildNode;

/**
 * What is wrong when this HTML is shown: in a page between other elements, with scripts and without, as the content of
 * elements by innerHTML, and after a browser has written it out and read it again. Empty when it does nothing but to be read.
 */
export function dangersOf(shown: string): string[] {
  const dangers = [...dangersInPage(shown, true), ...dangersInPage(shown, false)];
  for (const context of ["div", "body", "main", "section"]) {
    const first = inner(context, shown);
    dangers.push(...first.childNodes.flatMap(dangersOfNode));
    const once = serialize(first);
    const twice = serialize(inner(context, once));
    // Each time it is read, one more line feed after <pre> is lost; that is all that may happen.
    if (once.replaceAll(/(<pre[^>]*>)\n+/g, "$1") !== twice.replaceAll(/(<pre[^>]*>)\n+/g, "$1"))
      dangers.push(`changes when it is read again: ${once} / ${twice}`);
    dangers.push(...inner(context, once).childNodes.flatMap(dangersOfNode));
  }
  return [...new Set(dangers)];
}

const inner = (context: string, text: string) =>
  parseFragment(defaultTreeAdapter.createElement(context as never, html.NS.HTML, []), text, {});

function dangersInPage(shown: string, scriptingEnabled: boolean): string[] {
  const page = `<!doctype html><html><head><title>t</title></head><body><main>${shown}</main><form><button>ok</button></form></body></html>`;
  const document = parse(page, { scriptingEnabled });
  const root = document.childNodes.find((node) => node.nodeName === "html") as Parent;
  const body = root.childNodes[1] as DefaultTreeAdapterTypes.Element;
  const [main, form, ...others] = body.childNodes;
  if (root.childNodes.length !== 2 || main?.nodeName !== "main" || form?.nodeName !== "form" || others.length > 0) {
    return [`changes the page around it: ${serialize(document)}`];
  }
  const attributes = [...body.attrs, ...(root as DefaultTreeAdapterTypes.Element).attrs];
  if (attributes.length > 0) return ["gives attributes to the page"];
  if (serialize(form as Parent) !== "<button>ok</button>") return ["changes what comes after it"];
  return (main as Parent).childNodes.flatMap(dangersOfNode);
}

function dangersOfNode(node: Child): string[] {
  if (node.nodeName === "#text") return [];
  if (!("tagName" in node)) return [`has a ${node.nodeName}`];
  const { tagName, namespaceURI, attrs, childNodes } = node;
  const own = Object.hasOwn(documentRules.elements, tagName) ? documentRules.elements[tagName] : undefined;
  const dangers = own === undefined || namespaceURI !== html.NS.HTML ? [`has <${tagName}> of ${namespaceURI}`] : [];
  for (const { name, value } of attrs) {
    if (
      /^on|^style$|^src/.test(name) ||
      !(Object.hasOwn(own ?? {}, name) || Object.hasOwn(documentRules.attributes, name))
    ) {
      dangers.push(`has ${name} on <${tagName}>`);
    }
    if ((name === "href" || name === "cite") && !leadsSomewhereSafe(value)) dangers.push(`leads to ${value}`);
  }
  return [...dangers, ...childNodes.flatMap(dangersOfNode)];
}

/** As browsers resolve it, whatever page it is on. */
function leadsSomewhereSafe(value: string): boolean {
  if (value.startsWith("#")) return true;
  const url = URL.parse(value);
  const elsewhere = URL.parse(value, "http://base.example/");
  return url !== null && elsewhere?.href === url.href && ["https:", "mailto:", "tel:"].includes(url.protocol);
}
