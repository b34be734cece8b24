import { type ParserError, type Token, Tokenizer, TokenizerMode } from "parse5";
import type { HtmlAttribute, SourceRange } from "./tree.ts";

export interface SourceAttribute extends HtmlAttribute {
  readonly source: SourceRange;
}

export interface StartTag {
  readonly name: string;
  readonly attributes: readonly SourceAttribute[];
  /** Ends with `/>`. */
  readonly selfClosing: boolean;
  readonly source: SourceRange;
}

/** Gets the parts of a source in their order. */
export interface TokenSink {
  startTag(tag: StartTag): void;
  endTag(name: string, source: SourceRange): void;
  /** All the text between two other tokens, decoded. Never empty. */
  text(text: string, source: SourceRange): void;
  /** A comment, or something that browsers take for one: CDATA, processing instructions. */
  comment(source: SourceRange): void;
  doctype(source: SourceRange): void;
  /** A violation of the syntax by its name in the HTML standard. */
  syntaxError(name: string, offset: number): void;
}

/**
 * Cuts HTML into its tokens exactly as browsers do, including what the building of the tree would drop later: a tag in
 * the wrong place is still told. Takes linear time and never fails.
 */
export function readTokens(source: string, sink: TokenSink): void {
  let text = "";
  let textStart = 0;
  // The positions of single runs of text are not exact next to character references.
  const endText = (next: SourceRange): SourceRange => {
    if (text !== "") sink.text(text, { offset: textStart, length: next.offset - textStart });
    text = "";
    // What the end of the source cuts off is told to end one behind it.
    const length = Math.min(next.length, source.length - next.offset);
    textStart = next.offset + length;
    return { offset: next.offset, length };
  };
  const addText = (token: Token.CharacterToken): void => {
    text += token.chars;
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: (token) => {
        tokenizer.state = contentModes.get(token.tagName) ?? TokenizerMode.DATA;
        endText(rangeOf(token.location));
        sink.startTag(toStartTag(token));
      },
      onEndTag: (token) => sink.endTag(token.tagName, endText(rangeOf(token.location))),
      onCharacter: addText,
      onWhitespaceCharacter: addText,
      // Browsers drop them; as characters of the source they are refused elsewhere.
      onNullCharacter: () => {},
      onComment: (token) => sink.comment(endText(rangeOf(token.location))),
      onDoctype: (token) => sink.doctype(endText(rangeOf(token.location))),
      onEof: () => endText({ offset: source.length, length: 0 }),
      onParseError: (error: ParserError) => sink.syntaxError(error.code, error.startOffset),
    },
  );
  tokenizer.write(source, true);
}

/** Elements whose content is not markup, so that what stands in them is not told as if it were. */
const contentModes = new Map<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]>([
  ["script", TokenizerMode.SCRIPT_DATA],
  ["style", TokenizerMode.RAWTEXT],
  ["xmp", TokenizerMode.RAWTEXT],
  ["iframe", TokenizerMode.RAWTEXT],
  ["noembed", TokenizerMode.RAWTEXT],
  ["noframes", TokenizerMode.RAWTEXT],
  ["title", TokenizerMode.RCDATA],
  ["textarea", TokenizerMode.RCDATA],
]);

function toStartTag(token: Token.TagToken): StartTag {
  const locations = token.location?.attrs ?? {};
  return {
    name: token.tagName,
    attributes: token.attrs.map(({ name, value }) => ({ name, value, source: rangeOf(locations[name] ?? null) })),
    selfClosing: token.selfClosing,
    source: rangeOf(token.location),
  };
}

function rangeOf(location: Token.Location | null): SourceRange {
  if (location === null) return { offset: 0, length: 0 };
  return { offset: location.startOffset, length: Math.max(0, location.endOffset - location.startOffset) };
}
