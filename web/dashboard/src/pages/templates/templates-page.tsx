import { useState } from "react";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { CreateTemplateDialog } from "./create-template-dialog.tsx";
import { TemplateFilters, useTemplateFilter } from "./template-filters.tsx";
import { TemplateList } from "./template-list.tsx";
import "./templates.css";

export function TemplatesPage() {
  const texts = useTexts("templates");
  const mayWrite = useSession().can("click:write");
  const [isCreating, setIsCreating] = useState(false);
  const filter = useTemplateFilter();
  const create = (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={mayWrite && create}>
      <TemplateFilters filter={filter} />
      <TemplateList filter={filter} />
      {mayWrite && <CreateTemplateDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}
