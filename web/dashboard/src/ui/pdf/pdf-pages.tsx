import "./pdf.css";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/errors.ts";
import { useFile } from "../../api/use-file.ts";
import { useTexts } from "../../texts/texts.tsx";
import { ErrorState, Loading } from "../states.tsx";
import type { Pdf, PdfPage } from "./engine.ts";

/** A page as it is on the screen. */
export interface ShownPage extends PdfPage {
  /** How many pixels of the page's layout a point has. */
  readonly scale: number;
}

interface PdfPagesProps {
  /** An address of the API, or a chosen file; the same object until another document is meant. */
  readonly source: PdfSource;
  /** The name of the document. */
  readonly label: string;
  /** What lies over a page, in a box of exactly its size whose origin is the page's upper left corner. */
  readonly overlay?: (page: ShownPage) => ReactNode;
}

/** The pages of a document, one below the other. A page is drawn when it comes near the screen. */
export function PdfPages({ source, label, overlay }: PdfPagesProps) {
  const { pdf, error, retry } = usePdf(source);
  if (error !== undefined) return <ErrorState error={error} retry={retry} />;
  if (pdf === undefined) return <Loading />;
  return (
    <div className="pdf-pages">
      {pdf.pages.map((page) => (
        <PageFrame key={page.number} pdf={pdf} page={page} label={label} overlay={overlay} />
      ))}
    </div>
  );
}

interface PageFrameProps {
  readonly pdf: Pdf;
  readonly page: PdfPage;
  readonly label: string;
  readonly overlay: PdfPagesProps["overlay"];
}

function PageFrame({ pdf, page, label, overlay }: PageFrameProps) {
  const texts = useTexts("pdf");
  const frame = useRef<HTMLElement>(null);
  const isNear = useIsNear(frame);
  const scale = useScale(frame, page.width);
  const name = texts.page(label, page.number, pdf.pages.length);
  return (
    <section
      ref={frame}
      className="pdf-page"
      aria-label={name}
      data-page={page.number}
      style={{ aspectRatio: `${page.width} / ${page.height}`, maxWidth: `${Math.round(page.width * 1.6)}px` }}
    >
      {isNear && scale > 0 && <PagePicture pdf={pdf} page={page.number} scale={scale} />}
      {overlay && scale > 0 && <div className="pdf-overlay">{overlay({ ...page, scale })}</div>}
    </section>
  );
}

/** Sharp on screens with small dots, but never so large that a telephone runs out of memory. */
const mostPixelsPerPoint = 4;

function PagePicture({ pdf, page, scale }: { readonly pdf: Pdf; readonly page: number; readonly scale: number }) {
  const { pageFailed } = useTexts("pdf");
  const picture = useRef<HTMLDivElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const [hasFailed, setHasFailed] = useState(false);
  // In steps, so that it is not drawn anew for each pixel by which a window grows.
  const wanted = Math.min(mostPixelsPerPoint, Math.ceil(scale * window.devicePixelRatio * 2) / 2);
  useEffect(() => {
    const gone = new AbortController();
    pdf.draw(page, wanted, gone.signal).then(
      (canvas) => {
        if (!gone.signal.aborted) picture.current?.replaceChildren(canvas);
      },
      () => setHasFailed(!gone.signal.aborted),
    );
    return () => gone.abort();
  }, [pdf, page, wanted]);
  useEffect(() => {
    const gone = new AbortController();
    const layer = words.current;
    // A page without its words can still be seen.
    if (layer) pdf.layText(page, layer, gone.signal).catch(() => undefined);
    return () => {
      gone.abort();
      layer?.replaceChildren();
    };
  }, [pdf, page]);
  useEffect(() => words.current?.style.setProperty("--total-scale-factor", String(scale)), [scale]);
  return (
    <>
      <div ref={picture} className="pdf-picture" />
      <div ref={words} className="pdf-text" />
      {hasFailed && <p className="pdf-failed">{pageFailed}</p>}
    </>
  );
}

function useIsNear(frame: RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setIsNear(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: "800px",
    });
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  return isNear;
}

/** Zero before it is known. */
function useScale(frame: RefObject<HTMLElement | null>, points: number): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const measure = () => setWidth(frame.current?.clientWidth ?? 0);
    const observer = new ResizeObserver(measure);
    if (frame.current) observer.observe(frame.current);
    measure();
    return () => observer.disconnect();
  }, [frame]);
  return width / points;
}

/** An address of the API, or a file that was chosen. */
type PdfSource = string | Blob;

interface OpenedPdf {
  readonly pdf?: Pdf;
  readonly error?: unknown;
  readonly retry: () => void;
}

/** Opens a document and closes it when it is shown no longer. What reads it is loaded with the first one. */
function usePdf(source: PdfSource): OpenedPdf {
  const { unreadable } = useTexts("pdf");
  const read = useFile();
  const [state, setState] = useState<Omit<OpenedPdf, "retry">>({});
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the same source again
  useEffect(() => {
    const gone = new AbortController();
    setState({});
    const { signal } = gone;
    const content = typeof source === "string" ? read(source, { signal }) : Promise.resolve(source);
    open(content, unreadable).then(
      (pdf) => {
        gone.signal.addEventListener("abort", pdf.close, { once: true });
        if (gone.signal.aborted) pdf.close();
        else setState({ pdf });
      },
      (error: unknown) => {
        if (!gone.signal.aborted) setState({ error });
      },
    );
    return () => gone.abort();
  }, [source, unreadable, read, attempt]);
  return { ...state, retry: () => setAttempt((last) => last + 1) };
}

async function open(content: Promise<Blob>, unreadable: string): Promise<Pdf> {
  const [engine, blob] = await Promise.all([import("./engine.ts"), content]);
  const data = new Uint8Array(await blob.arrayBuffer());
  try {
    return await engine.openPdf(data);
  } catch {
    throw new ApiError({ status: 0, code: "PDF_UNREADABLE", message: unreadable, requestId: "", details: [] });
  }
}
