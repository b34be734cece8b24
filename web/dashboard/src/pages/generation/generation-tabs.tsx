import { useTexts } from "../../texts/texts.tsx";
import { LinkTabs } from "../../ui/link-tabs.tsx";
import "./generation.css";

const paths = {
  templates: "/generation",
  documents: "/generation/documents",
  batches: "/generation/batches",
  usage: "/generation/usage",
} as const;

const names = ["templates", "documents", "batches", "usage"] as const;

/** Leads from one page of document generation to the next. */
export function GenerationTabs({ current }: { readonly current: keyof typeof paths }) {
  const texts = useTexts("generation");
  const tabs = names.map((name) => ({ to: paths[name], text: texts[name], isCurrent: name === current }));
  return <LinkTabs label={texts.tabs} tabs={tabs} />;
}
