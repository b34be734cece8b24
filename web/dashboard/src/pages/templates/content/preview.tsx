import { useEffect, useMemo, useRef, useState } from "react";
import type { Template, Version } from "#api/templates.ts";
import { readPdfText } from "#platform/pdf-text.ts";
import { mount } from "../../../../../embed/mount.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { Switch } from "../../../ui/form.tsx";
import { Section } from "../../../ui/page.tsx";
import { Notice } from "../../../ui/states.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useConfiguration } from "../configuration.ts";
import { type Draft, draftOf } from "./draft.ts";
import { useSettled, variablesOf } from "./findings.ts";
import { pdfPath } from "./pdf-text.tsx";
import { keysIn, previewRendering, sampleOf } from "./preview-rendering.ts";

interface PreviewProps {
  readonly template: Template;
  readonly draft: Draft;
  readonly locale: string;
  /** What people are shown now, to be looked at in its place. */
  readonly live: Version | undefined;
}

const loadWords = () => import("../../../../../embed/more-words.ts");

const pauseMs = 250;
/** To read a long text takes a while, in which nobody could write. */
const longPauseMs = 1_500;
const longText = 100_000;

/** The text as the person who decides will see it. */
export function Preview({ template, draft: written, locale, live }: PreviewProps) {
  const texts = useTexts("editor");
  const [isPhone, setIsPhone] = useState(false);
  const [isOfLive, setIsOfLive] = useState(false);
  const { data: configuration } = useConfiguration(template.id);
  const draft = useMemo(() => (isOfLive && live ? draftOf(live) : written), [isOfLive, live, written]);
  const settled = useSettled(draft, draft.content.length > longText ? longPauseMs : pauseMs);
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const keys = useMemo(
    () => (template.type === "GENERATED" ? keysIn(settled.content) : []),
    [template.type, settled.content],
  );
  const samples = useMemo(() => {
    const variables = variablesOf(template);
    const variableOf = (key: string) => variables.find((variable) => variable.key === key);
    return new Map(keys.map((key) => [key, typed.get(key) ?? sampleOf(key, variableOf(key), locale)]));
  }, [keys, typed, template, locale]);
  const rendering = useMemo(
    () => previewRendering({ template, configuration, draft: settled, locale, samples }),
    [template, configuration, settled, locale, samples],
  );
  return (
    <Section
      title={texts.preview}
      intro={isOfLive && live ? texts.liveIntro(live.label ?? "") : texts.previewIntro}
      actions={
        <>
          {live && (
            <Switch isSelected={isOfLive} onChange={setIsOfLive}>
              {texts.showLive}
            </Switch>
          )}
          <Switch isSelected={isPhone} onChange={setIsPhone}>
            {texts.phoneWidth}
          </Switch>
        </>
      }
    >
      {settled.content === "" && <p className="editor-quiet">{texts.previewEmpty}</p>}
      {settled.content !== "" && rendering === undefined && <Notice tone="warning">{texts.previewInvalid}</Notice>}
      {settled.content !== "" && rendering !== undefined && (
        <Shown rendering={rendering} isPhone={isPhone} pdfUrl={urlOf(template.id, settled)} />
      )}
      {keys.length > 0 && (
        <details className="samples">
          <summary>{texts.samples}</summary>
          {[...samples].map(([key, value]) => (
            <TextField
              key={key}
              label={`{{${key}}}`}
              value={value}
              isRequired
              onChange={(text) => setTyped(new Map([...typed, [key, text]]))}
            />
          ))}
        </details>
      )}
    </Section>
  );
}

interface ShownProps {
  readonly rendering: Record<string, unknown>;
  readonly isPhone: boolean;
  readonly pdfUrl: string | undefined;
}

function urlOf(templateId: string, { content, format }: Draft): string | undefined {
  const pdf = format === "pdf" ? readPdfText(content) : undefined;
  return pdf && pdfPath(templateId, pdf.hash);
}

/** By the code that shows it on the pages of customers, in a tree of its own that has nothing of ours. */
function Shown({ rendering, isPhone, pdfUrl }: ShownProps) {
  const { nothingRecorded } = useTexts("editor");
  const host = useRef<HTMLDivElement>(null);
  const [isPressed, setIsPressed] = useState(false);
  useEffect(() => {
    const frame = host.current;
    if (frame === null) return;
    const element = document.createElement("div");
    const mounted = mount(element, { rendering, display: "INLINE", pdfUrl, viewer, loadWords });
    const scrolled = textIn(frame)?.scrollTop ?? 0;
    setIsPressed(false);
    frame.replaceChildren(element);
    const dress = () => {
      if (isPhone) addPhoneStyle(element);
      textIn(element)?.scrollTo(0, scrolled);
    };
    mounted.ready.then(dress, dress);
    return () => mounted.unmount();
  }, [rendering, isPhone, pdfUrl]);
  useEffect(() => {
    const frame = host.current;
    const stop = (event: MouseEvent) => {
      if (!isDecision(event)) return;
      event.preventDefault();
      event.stopPropagation();
      setIsPressed(true);
    };
    frame?.addEventListener("click", stop, { capture: true });
    return () => frame?.removeEventListener("click", stop, { capture: true });
  }, []);
  return (
    <>
      <div ref={host} className="preview" data-phone={isPhone || undefined} />
      <p role="status" className="editor-quiet">
        {isPressed && nothingRecorded}
      </p>
    </>
  );
}

/** The pages of a file are drawn by what draws them elsewhere in the dashboard. */
async function viewer() {
  const engine = await import("../../../ui/pdf/engine.ts");
  return {
    openPdf: async (data: Uint8Array) => {
      const pdf = await engine.openPdf(data);
      const shown = new AbortController();
      const draw = async (number: number, canvas: HTMLCanvasElement, width: number) => {
        const points = pdf.pages[number - 1]?.width ?? width;
        const scale = Math.min(mostPixelsPerPoint, Math.max(1, (width / points) * window.devicePixelRatio));
        const picture = await pdf.draw(number, scale, shown.signal);
        Object.assign(canvas, { width: picture.width, height: picture.height });
        canvas.getContext("2d")?.drawImage(picture, 0, 0);
      };
      const close = () => {
        shown.abort();
        pdf.close();
      };
      return { draw, close };
    },
  };
}

const mostPixelsPerPoint = 4;

const shadowOf = (frame: Element): ShadowRoot | null | undefined => frame.querySelector("assent-embed")?.shadowRoot;
const textIn = (frame: Element): Element | null => shadowOf(frame)?.querySelector(".text") ?? null;

/** What would hand over a decision; a button that is not ready yet only says what is missing. */
const decisions = "button.primary:not([aria-disabled]), button.secondary";

function isDecision(event: Event): boolean {
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(decisions) !== null;
}

/** What the styles of the embed say for small screens; they ask for the width of the window. */
function addPhoneStyle(frame: Element): void {
  const shadow = shadowOf(frame);
  if (shadow == null) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".card { padding: 1em; } .buttons button { inline-size: 100%; }");
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
}
