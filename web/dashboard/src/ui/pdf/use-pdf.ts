import { useEffect, useState } from "react";
import { ApiError, errorOf, unreachable } from "../../api/errors.ts";
import { useTexts } from "../../texts/texts.tsx";
import type { Pdf } from "./engine.ts";

/** An address of the API, or a file that was chosen. */
export type PdfSource = string | Blob;

export interface OpenedPdf {
  readonly pdf?: Pdf;
  readonly error?: unknown;
  readonly retry: () => void;
}

/** Opens a document and closes it when it is shown no longer. What reads it is loaded with the first one. */
export function usePdf(source: PdfSource): OpenedPdf {
  const { unreadable } = useTexts("pdf");
  const [state, setState] = useState<Omit<OpenedPdf, "retry">>({});
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the same source again
  useEffect(() => {
    const gone = new AbortController();
    setState({});
    open(source, unreadable, gone.signal).then(
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
  }, [source, unreadable, attempt]);
  return { ...state, retry: () => setAttempt((last) => last + 1) };
}

async function open(source: PdfSource, unreadable: string, signal: AbortSignal): Promise<Pdf> {
  const [engine, data] = await Promise.all([import("./engine.ts"), bytesOf(source, signal)]);
  try {
    return await engine.openPdf(data);
  } catch {
    throw new ApiError({ status: 0, code: "PDF_UNREADABLE", message: unreadable, requestId: "", details: [] });
  }
}

async function bytesOf(source: PdfSource, signal: AbortSignal): Promise<Uint8Array> {
  if (typeof source !== "string") return new Uint8Array(await source.arrayBuffer());
  const response = await fetch(source, { credentials: "same-origin", signal }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await errorOf(response);
  return new Uint8Array(await response.arrayBuffer());
}
