import { useEffect, useMemo, useRef, useState } from "react";
import { directionOf } from "#platform/language.ts";
import { parseSafeHtml, shadowWithStyles } from "../../../../embed/dom.ts";
import textStyles from "../../../../embed/text.css?inline";
import { useTexts } from "../../texts/texts.tsx";
import { Switch } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import type { Evidence } from "./evidence.ts";
import "./acceptances.css";

interface AgreedTextSectionProps {
  readonly evidence: Evidence;
  /** Whether personal values of a merged text are left out. */
  readonly isHidden: boolean;
}

/** The text that was agreed to: as it was shown, if that is known, and its source. */
export function AgreedTextSection({ evidence: { agreement }, isHidden }: AgreedTextSectionProps) {
  const texts = useTexts("acceptances");
  const [isSource, setIsSource] = useState(false);
  const { rendered, content, contentType, contentHash, version } = agreement;
  const source = rendered ?? content;
  const isHtml = rendered !== null || contentType.startsWith("text/html");
  const parsed = useMemo(() => (isHtml ? parseSafeHtml(source) : undefined), [isHtml, source]);
  const label = version.title || texts.textTitle;
  return (
    <Section
      title={texts.textTitle}
      intro={rendered === null ? texts.textStored : texts.textRendered}
      actions={
        parsed && (
          <Switch isSelected={isSource} onChange={setIsSource}>
            {texts.showSource}
          </Switch>
        )
      }
    >
      {isHtml && parsed === undefined && <Notice tone="warning">{texts.textUnsafe}</Notice>}
      {isHidden && rendered === null && content.includes("{{") && <Notice>{texts.textErased}</Notice>}
      {parsed === undefined || isSource ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section className="agreed-text" tabIndex={0} aria-label={label} lang={version.locale}>
          <pre>{source}</pre>
        </section>
      ) : (
        <ShownText html={source} label={label} locale={version.locale} />
      )}
      <p className="acceptance-code">
        {texts.hash}: {contentHash}
      </p>
    </Section>
  );
}

interface ShownTextProps {
  /** Known to be safe. */
  readonly html: string;
  readonly label: string;
  readonly locale: string;
}

/** Rendered in a shadow tree, so that neither its classes nor its ids affect the page. */
function ShownText({ html, label, locale }: ShownTextProps) {
  const host = useRef<HTMLElement>(null);
  useEffect(() => {
    if (host.current === null) return;
    const shadow = host.current.shadowRoot ?? shadowWithStyles(host.current, textStyles);
    const fragment = parseSafeHtml(html);
    if (fragment === undefined) return;
    for (const link of fragment.querySelectorAll("a[href]")) prepareLink(link);
    shadow.replaceChildren(fragment);
  }, [html]);
  return (
    <section
      ref={host}
      className="agreed-text"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      aria-label={label}
      lang={locale}
      dir={directionOf(locale)}
    />
  );
}

/** Links open in a new tab; browsers do not find the targets of fragments inside a shadow tree. */
function prepareLink(link: Element): void {
  if (link.getAttribute("href")?.startsWith("#")) {
    link.removeAttribute("href");
    return;
  }
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
}
