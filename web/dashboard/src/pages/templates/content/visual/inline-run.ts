import type { Mark, Node } from "prosemirror-model";
import { findMergeFields } from "#platform/merge-fields.ts";
import { textOf } from "#platform/restricted-html/outline.ts";
import type { HtmlElement, HtmlNode, HtmlText, SourceRange } from "#platform/restricted-html/tree.ts";
import { isInlineName, markType, nodeType, schema } from "./schema.ts";

/** Where something of the source stands in the document, or in the node that has it. */
export interface Place {
  readonly source: SourceRange;
  readonly from: number;
  readonly to: number;
  /** Of words: how far from `from` the character at this offset of the source is. */
  readonly positionOf?: (offset: number) => number;
}

export interface Placed {
  readonly node: Node;
  readonly places: readonly Place[];
}

interface RunSettings {
  raw(range: SourceRange): string;
  verbatim(node: HtmlNode): string;
  /** Whether the text has merge fields. */
  readonly withFields: boolean;
  /** Whether blanks are shown as they are. */
  readonly isPre: boolean;
}

/** Gathers what follows each other in one line of thought: words, and what stands among them. */
export class InlineRun {
  readonly #settings: RunSettings;
  #leaves: Placed[] = [];
  #endsWithBlank = true;

  constructor(settings: RunSettings) {
    this.#settings = settings;
  }

  add(nodes: readonly HtmlNode[], marks: readonly Mark[] = []): void {
    for (const node of nodes) {
      if (node.kind === "text") this.#text(node, marks);
      else this.#element(node, marks);
    }
  }

  /** Browsers show no blank at the end of a line. */
  finish(): Placed[] {
    const last = this.#leaves.at(-1);
    const text = last?.node.text;
    if (last === undefined || text === undefined || this.#settings.isPre || !text.endsWith(" ")) return this.#leaves;
    const rest = this.#leaves.slice(0, -1);
    const trimmed = text.slice(0, -1);
    if (trimmed === "") return rest;
    const places = last.places.map((place) => ({ ...place, to: Math.min(place.to, trimmed.length) }));
    return [...rest, { node: schema.text(trimmed, last.node.marks), places }];
  }

  #element(node: HtmlElement, marks: readonly Mark[]): void {
    const { name, attributes, source } = node;
    const kept = attributes.map(({ name: attribute, value }) => [attribute, value] as const);
    if (!this.#isRepresentable(node)) {
      const html = this.#settings.verbatim(node);
      this.#push(nodeType("opaque_inline").create({ html, text: textOf([node]) }, null, marks), source);
    } else if (name === "br") {
      this.#push(nodeType("line_break").create({ kept }, null, marks), source);
      this.#endsWithBlank = true;
    } else {
      const before = this.#leaves.length;
      this.add(node.children, this.#own(name, kept, marks).addToSet(marks));
      // The first word stands for its element.
      const first = this.#leaves[before];
      if (first === undefined) return;
      const place = { source, from: 0, to: first.node.nodeSize };
      this.#leaves[before] = { ...first, places: [...first.places, place] };
    }
  }

  /** A mark that is no other's: neither that of an element around this one nor of the one right before. */
  #own(name: string, kept: readonly (readonly [string, string])[], around: readonly Mark[]): Mark {
    const others = [...around, ...(this.#leaves.at(-1)?.node.marks ?? [])];
    for (let number = 0; ; number += 1) {
      const mark = markType(name).create({ kept, number });
      if (!mark.isInSet(others)) return mark;
    }
  }

  #isRepresentable(node: HtmlElement): boolean {
    const { name, attributes, children, source } = node;
    // Written as it is decoded, a brace in an attribute would look like a merge field.
    const hidden = attributes.some(({ value }) => /[{}]/.test(value) && !this.#settings.raw(source).includes(value));
    if (hidden) return false;
    if (name === "br") return true;
    if (!isInlineName(name) || children.length === 0) return false;
    return this.#settings.isPre || !isOnlyBlank(node) || !hasAttributes(node);
  }

  #text(node: HtmlText, marks: readonly Mark[]): void {
    const raw = this.#settings.raw(node.source);
    if (bracesOf(node.text) !== bracesOf(raw)) {
      this.#asWritten(raw, node, marks);
      return;
    }
    const decoded = this.#settings.withFields ? findMergeFields(node.text).fields : [];
    const written = this.#settings.withFields ? findMergeFields(raw).fields : [];
    let end = 0;
    let rawEnd = 0;
    for (const [index, { key, offset, length }] of decoded.entries()) {
      const { offset: rawOffset = 0 } = written[index] ?? {};
      const start = node.source.offset;
      this.#words(node.text.slice(end, offset), { offset: start + rawEnd, length: rawOffset - rawEnd }, marks);
      this.#push(nodeType("field").create({ key }, null, marks), { offset: start + rawOffset, length });
      end = offset + length;
      rawEnd = rawOffset + length;
    }
    const rest = { offset: node.source.offset + rawEnd, length: node.source.length - rawEnd };
    this.#words(node.text.slice(end), rest, marks);
  }

  /** Blanks around it are those of the line. */
  #asWritten(raw: string, { text, source }: HtmlText, marks: readonly Mark[]): void {
    const [, before = "", html = "", after = ""] = /^([\t\n\f\r ]*)(.*?)([\t\n\f\r ]*)$/s.exec(raw) ?? [];
    const { offset } = source;
    // Of <pre>, one line feed more than is shown stands at the start.
    const shown = /^[\t\n\f\r ]*/.exec(text)?.[0] ?? "";
    this.#words(shown, { offset, length: before.length }, marks);
    const place = { offset: offset + before.length, length: html.length };
    this.#push(nodeType("opaque_inline").create({ html, text: text.trim() }, null, marks), place);
    this.#words(after, { offset: place.offset + html.length, length: after.length }, marks);
  }

  #words(text: string, source: SourceRange, marks: readonly Mark[]): void {
    const hadBlank = this.#endsWithBlank;
    const shown = this.#settings.isPre ? text : collapsed(text, hadBlank);
    if (shown === "") return;
    const positionOf = (offset: number): number => {
      const before = this.#settings.raw({ offset: source.offset, length: offset - source.offset });
      const decoded = before.replaceAll(/&(?:#\w+|\w+);?/g, "x");
      return Math.min((this.#settings.isPre ? decoded : collapsed(decoded, hadBlank)).length, shown.length);
    };
    this.#leaves.push({
      node: schema.text(shown, marks),
      places: [{ source, from: 0, to: shown.length, positionOf }],
    });
    this.#endsWithBlank = shown.endsWith(" ");
  }

  #push(node: Node, source: SourceRange): void {
    this.#leaves.push({ node, places: [{ source, from: 0, to: node.nodeSize }] });
    this.#endsWithBlank = false;
  }
}

/** As browsers show it: one blank for many, and none at the start of a line. */
function collapsed(text: string, isAfterBlank: boolean): string {
  const shown = text.replaceAll(/[\t\n\f\r ]+/g, " ");
  return isAfterBlank && shown.startsWith(" ") ? shown.slice(1) : shown;
}

/** Whether an element is around nothing but blanks. */
const isOnlyBlank = ({ name, children }: HtmlElement): boolean =>
  isInlineName(name) &&
  children.every((child) => (child.kind === "text" ? /^[\t\n\f\r ]*$/.test(child.text) : isOnlyBlank(child)));

const hasAttributes = ({ attributes, children }: HtmlElement): boolean =>
  attributes.length > 0 || children.some((child) => child.kind === "element" && hasAttributes(child));

/** What a text has of the syntax of merge fields. */
const bracesOf = (text: string): string => [...text.matchAll(/\{\{+[\w.]*|\}\}+|\{%|%\}/g)].join(" ");
