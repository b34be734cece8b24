import { useState } from "react";
import { Link } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { CreateTemplateDialog } from "./create-template-dialog.tsx";
import { GenerationTabs } from "./generation-tabs.tsx";
import { useTemplates } from "./queries.ts";
import { RowPages } from "./row-pages.tsx";
import { TemplateState } from "./state-badges.tsx";
import type { ListedTemplate } from "./types.ts";

export function GenTemplatesPage() {
  const texts = useTexts("generation");
  const mayChange = useSession().can("gen:write");
  const list = useTemplates();
  const [isCreating, setIsCreating] = useState(false);
  const create = mayChange && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.createTemplate}
    </Button>
  );
  const columns: Column<ListedTemplate>[] = [
    { id: "name", title: texts.name, cell: (template) => <TemplateName template={template} /> },
    { id: "state", title: texts.state, cell: (template) => <TemplateState template={template} /> },
    { id: "format", title: texts.format, cell: ({ format }) => texts.formats[format] },
    { id: "updated", title: texts.updated, cell: ({ updatedAt }) => <Time value={updatedAt} /> },
  ];
  return (
    <Page title={texts.title} intro={texts.intro} actions={create}>
      <GenerationTabs current="templates" />
      <RowPages
        list={list}
        label={texts.templates}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={texts.noTemplates}
            text={mayChange ? texts.noTemplatesText : texts.noTemplatesForYou}
            action={create}
          />
        }
      />
      {mayChange && <CreateTemplateDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function TemplateName({ template: { id, name, slug } }: { readonly template: ListedTemplate }) {
  return (
    <>
      <Link to={`/generation/templates/${id}`}>{name}</Link>
      <div className="gen-aside">{slug}</div>
    </>
  );
}
