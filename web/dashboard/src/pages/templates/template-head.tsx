import type { Template } from "#api/templates.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { TemplateState } from "./state-badges.tsx";
import "./templates.css";

/** What a template is, in one line above its tabs. */
export function TemplateHead({ template }: { readonly template: Template }) {
  const texts = useTexts("templates");
  const { slug, type, description, updatedAt, defaultLocale } = template;
  return (
    <div className="template-head">
      <p className="template-line">
        <TemplateState status={template.status} />
        <Badge>{texts.types[type]}</Badge>
        <code title={texts.slug}>{slug}</code>
        <span>
          {texts.defaultLocale} <code>{defaultLocale}</code>
        </span>
        <span>
          {texts.updated} <RelativeTime value={updatedAt} />
        </span>
      </p>
      {description && <p>{description}</p>}
      {template.status === "ARCHIVED" && <Notice>{texts.archivedNotice}</Notice>}
    </div>
  );
}
