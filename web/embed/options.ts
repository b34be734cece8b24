import type { DecisionHandler } from "./handover.ts";
import type { DisplayMode, Rendering } from "./rendering.ts";
import type { Words } from "./words.ts";

/** How a text is mounted. Either `rendering` or `url` is required. */
export interface MountOptions {
  /** The JSON of a rendering that the page already has. */
  readonly rendering?: unknown;
  /** Where it is fetched: the `renderUrl` of a session, or an address of the customer's backend. */
  readonly url?: string | undefined;
  /** Where the file of a text that is a PDF is fetched; `…/pdf` below `url` when absent. */
  readonly pdfUrl?: string | undefined;
  /** Draws such a file, on a page that has something to do so; the viewer of the API when absent. */
  readonly viewer?: (() => Promise<Viewer>) | undefined;
  /** Where an acceptance or refusal is POSTed, in addition to the callbacks and events. */
  readonly acceptUrl?: string | undefined;
  /** Instead of the display mode of the deployment. */
  readonly display?: DisplayMode | undefined;
  /** False when the page shows the title itself. */
  readonly showTitle?: boolean | undefined;
  /** True where nobody is there to record a decision: the text is shown, with words that say so. */
  readonly readOnly?: boolean | undefined;
  /** Whether a MODAL opens by itself (the default) or by `open()`. */
  readonly open?: "auto" | "manual" | undefined;
  /** `auto` follows the person's setting; without it the page's own scheme holds. */
  readonly colorScheme?: "light" | "dark" | "auto" | undefined;
  /** Of the words before the rendering is there; then its own locale counts. */
  readonly language?: string | undefined;
  /** Words in a language that we do not speak. */
  readonly words?: Partial<Words> | undefined;
  /** Where the words of languages come from that the script does not bring; the API when absent. */
  readonly loadWords?: (() => Promise<unknown>) | undefined;
  /** Of an acceptance without a session. */
  readonly userRef?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** May return a promise: the person sees progress until it settles, and an error when it rejects. */
  readonly onAccept?: DecisionHandler | undefined;
  readonly onDecline?: DecisionHandler | undefined;
  /** A window was closed, with or without a decision. */
  readonly onClose?: (() => void) | undefined;
}

/** What draws a file; it is loaded for texts that are files alone. */
export interface Viewer {
  openPdf(data: Uint8Array): Promise<OpenPdf>;
}

export interface OpenPdf {
  draw(number: number, canvas: HTMLCanvasElement, width: number): Promise<void>;
  close(): void;
}

/** A mounted text. */
export interface Mounted {
  /** Resolves when the text is shown; rejects when it cannot be. */
  readonly ready: Promise<Rendering>;
  /** Opens the window of a MODAL, or the text of a LINK. */
  open(): void;
  close(): void;
  /** Removes everything from the page. */
  unmount(): void;
}
