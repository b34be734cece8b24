import { useState } from "react";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { useSession } from "../../../app/session.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { firstComparison } from "../compare/text-options.ts";
import { languageName } from "../language-name.ts";
import { useTemplateChanges, versionPath } from "../queries.ts";
import { PublishDialog } from "./publish-dialog.tsx";

type Asked = "publish" | "unpublish" | "archive";

interface VersionActionsProps {
  readonly version: Version;
  readonly isTemplateArchived: boolean;
}

/** What can be done with a version where it stands, by whoever may. */
export function VersionActions({ version, isTemplateArchived }: VersionActionsProps) {
  const texts = useTexts("templates");
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const { status } = version;
  const mayPublish = can("click:write") && !isTemplateArchived;
  const propsOf = (name: Asked) => ({ version, isOpen: asked === name, onClose: () => setAsked(undefined) });
  return (
    <div className="row-actions">
      {mayPublish && status === "DRAFT" && (
        <Button kind="primary" onPress={() => setAsked("publish")}>
          {texts.publish}
        </Button>
      )}
      <CompareLink version={version} />
      {mayPublish && status === "PUBLISHED" && <Button onPress={() => setAsked("unpublish")}>{texts.unpublish}</Button>}
      {can("click:admin") && status !== "ARCHIVED" && (
        <Button onPress={() => setAsked("archive")}>{texts.archiveVersion}</Button>
      )}
      <PublishDialog {...propsOf("publish")} />
      <UnpublishDialog {...propsOf("unpublish")} />
      <ArchiveDialog {...propsOf("archive")} />
    </div>
  );
}

function CompareLink({ version }: { readonly version: Version }) {
  const texts = useTexts("templates");
  const names = firstComparison(version);
  if (names === undefined) return null;
  const search = new URLSearchParams(names);
  return <ButtonLink to={`/templates/${version.templateId}/versions?${search}`}>{texts.compare}</ButtonLink>;
}

interface ActionProps {
  readonly version: Version;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function UnpublishDialog({ version, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const unpublish = async () => {
    await api.send("POST", `${versionPath(version)}/publish`, { published: false });
    await templateChanged(version.templateId);
  };
  return (
    <ConfirmDialog
      title={texts.unpublishTitle}
      text={texts.unpublishText(languageName(version.locale, locale))}
      action={texts.unpublish}
      isOpen={isOpen}
      onConfirm={unpublish}
      onClose={onClose}
    />
  );
}

function ArchiveDialog({ version, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const archive = async () => {
    await api.send("POST", `${versionPath(version)}/archive`);
    await templateChanged(version.templateId);
  };
  return (
    <ConfirmDialog
      title={texts.archiveVersionTitle}
      text={texts.archiveVersionText(languageName(version.locale, locale))}
      action={texts.archiveVersion}
      isOpen={isOpen}
      onConfirm={archive}
      onClose={onClose}
    />
  );
}
