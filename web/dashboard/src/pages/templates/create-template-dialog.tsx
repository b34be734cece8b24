import type { Template } from "#api/templates.ts";
import { useApi } from "../../api/client.ts";
import { useNavigate } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useTemplateChanges } from "./queries.ts";
import { TemplateForm, type TemplateValues } from "./template-form.tsx";

interface CreateTemplateDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Leads to the new template, whose text is written next. */
export function CreateTemplateDialog({ isOpen, onClose }: CreateTemplateDialogProps) {
  const texts = useTexts("templates");
  const api = useApi();
  const navigate = useNavigate();
  const { listChanged } = useTemplateChanges();
  const create = async (values: TemplateValues) => {
    const { id } = await api.send<Template>("POST", "/v1/click/templates", values);
    onClose();
    navigate(`/templates/${id}`);
    await listChanged();
  };
  return (
    <Dialog title={texts.createTitle} isOpen={isOpen} onClose={onClose}>
      <TemplateForm submit={texts.create} onSubmit={create} onCancel={onClose} />
    </Dialog>
  );
}
