import { escapeHtml } from "#platform/restricted-html/serialize.ts";
import { unsafeCharacter } from "#platform/restricted-html/text.ts";
import { readTokens } from "#platform/restricted-html/tokens.ts";
import type { OutputValue } from "./liquid-state.ts";
import type { FoundMark, OutputMarks } from "./outputs.ts";

/** A value in the HTML. */
export interface FilledOutput {
  readonly offset: number;
  readonly length: number;
  readonly value: OutputValue;
  /** The attribute whose value it is in; undefined in text. */
  readonly attribute: string | undefined;
}

export interface FilledHtml {
  readonly html: string;
  readonly outputs: readonly FilledOutput[];
}

/**
 * Puts the values where their marks are, as text and nothing else. The marks have to stand in text or in quoted values of
 * attributes: see findMisplacedOutputs. Linear.
 */
export function fillOutputs(html: string, values: readonly OutputValue[], marks: OutputMarks): FilledHtml {
  const parts: string[] = [];
  const outputs: FilledOutput[] = [];
  let end = 0;
  let length = 0;
  const add = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  for (const { mark, attribute } of attributesOfMarks(html, marks)) {
    add(html.slice(end, mark.offset));
    end = mark.offset + mark.length;
    const value = values[mark.index];
    if (value === undefined) continue;
    const shown = attribute === undefined ? textOf(value) : escapeHtml(inOneLine(safe(value.text)));
    outputs.push({ offset: length, length: shown.length, value, attribute });
    add(shown);
  }
  add(html.slice(end));
  return { html: parts.join(""), outputs };
}

function textOf({ text, hasBreaks }: OutputValue): string {
  const escaped = escapeHtml(safe(text));
  return hasBreaks ? escaped.replaceAll("\n", "<br>") : escaped;
}

/** Line ends become those of HTML, and characters that HTML does not allow become U+FFFD. */
const safe = (text: string): string => text.replaceAll(/\r\n?/g, "\n").replaceAll(unsafeCharacter, "\ufffd");

const inOneLine = (text: string): string => text.replaceAll("\n", " ");

interface MarkPlace {
  readonly mark: FoundMark;
  readonly attribute: string | undefined;
}

function attributesOfMarks(html: string, marks: OutputMarks): MarkPlace[] {
  const found = marks.find(html);
  const attributes = new Map<FoundMark, string>();
  let next = 0;
  readTokens(html, {
    startTag: (tag) => {
      const end = tag.source.offset + tag.source.length;
      for (let mark = found[next]; mark !== undefined && mark.offset < end; mark = found[next]) {
        const { offset } = mark;
        const around = tag.attributes.find(
          ({ source }) => offset >= source.offset && offset < source.offset + source.length,
        );
        if (around !== undefined) attributes.set(mark, around.name);
        next += 1;
      }
    },
    endTag: () => {},
    text: () => {},
    comment: () => {},
    doctype: () => {},
    syntaxError: () => {},
  });
  return found.map((mark) => ({ mark, attribute: attributes.get(mark) }));
}
