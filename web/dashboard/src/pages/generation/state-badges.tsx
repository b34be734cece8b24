import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { BatchStatus, DocumentStatus, ListedTemplate } from "./types.ts";

const documentTones = {
  queued: "info",
  rendering: "info",
  completed: "success",
  failed: "danger",
  expired: "info",
  cancelled: "warning",
} as const;
const batchTones = {
  queued: "info",
  running: "info",
  completed: "success",
  completed_with_errors: "warning",
  cancelled: "warning",
} as const;

export function DocumentState({ status }: { readonly status: DocumentStatus }) {
  const { documentStates } = useTexts("generation");
  return <Badge tone={documentTones[status]}>{documentStates[status]}</Badge>;
}

export function BatchState({ status }: { readonly status: BatchStatus }) {
  const { batchStates } = useTexts("generation");
  return <Badge tone={batchTones[status]}>{batchStates[status]}</Badge>;
}

export function TemplateState({ template }: { readonly template: ListedTemplate }) {
  const texts = useTexts("generation");
  const { publishedVersion, hasChanges } = template;
  if (publishedVersion === null) return <Badge>{texts.draft}</Badge>;
  return (
    <span className="gen-badges">
      <Badge tone="success">{texts.publishedAs(publishedVersion)}</Badge>
      {hasChanges && <Badge tone="warning">{texts.changedSince}</Badge>}
    </span>
  );
}
