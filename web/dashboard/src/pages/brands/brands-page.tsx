import "../access/access.css";
import "./brands.css";
import { useState } from "react";
import type { Brand } from "#api/brands.ts";
import { useApi } from "../../api/client.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { atField, Loaded, RowButtons } from "../access/parts.tsx";
import { brandsPath, useBrands, useBrandsChanged, useMayChangeBrands } from "./brand-select.tsx";
import { PageHosts, SenderDomains } from "./dns-names.tsx";

/** How pages and mails may look; one of them holds for all that has chosen none. */
export function BrandsPage() {
  const texts = useTexts("brands");
  const mayChange = useMayChangeBrands();
  const brands = useBrands();
  const [isCreating, setIsCreating] = useState(false);
  const [deleting, setDeleting] = useState<Brand>();
  const api = useApi();
  const changed = useBrandsChanged();
  const prefer = useAction(async ({ id, isDefault }: Brand) => {
    await api.send("PATCH", `${brandsPath}/${id}`, { isDefault: !isDefault });
    await changed();
  });
  const columns = useColumns(
    mayChange ? { prefer: (brand) => void prefer.run(brand), remove: setDeleting } : undefined,
  );
  const create = mayChange && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={create}>
      {prefer.error !== undefined && <ErrorNotice error={prefer.error} />}
      <Loaded query={brands}>
        {(rows) => (
          <Table
            label={texts.title}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.emptyTitle} text={mayChange ? texts.emptyText : texts.emptyReadOnly} />}
          />
        )}
      </Loaded>
      <SenderDomains mayChange={mayChange} />
      <PageHosts mayChange={mayChange} />
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
      {deleting && (
        <ConfirmDialog
          isOpen
          title={texts.deleteTitle(deleting.name)}
          text={texts.deleteText}
          action={texts.remove}
          onConfirm={async () => {
            await api.send("DELETE", `${brandsPath}/${deleting.id}`);
            await changed();
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </Page>
  );
}

interface Acts {
  readonly prefer: (brand: Brand) => void;
  readonly remove: (brand: Brand) => void;
}

function useColumns(acts: Acts | undefined): readonly Column<Brand>[] {
  const texts = useTexts("brands");
  const { organization } = useSession();
  return [
    {
      id: "name",
      title: texts.name,
      width: "broad",
      cell: ({ id, name, isDefault }) => (
        <span className="brand-name">
          <Link to={`/brands/${id}`}>{name}</Link>
          {isDefault && <Badge tone="success">{texts.isDefault}</Badge>}
        </span>
      ),
    },
    {
      id: "look",
      title: texts.look,
      cell: ({ colors, logo }) => (
        <span className="brand-swatches">
          {logo !== null && <img src={`/brand-images/${organization.id}/${logo.sha256}`} alt="" />}
          {(["header", "button"] as const).map((part) => {
            const color = colors[part];
            return (
              color !== null && <span key={part} className="brand-swatch" style={{ background: color }} title={color} />
            );
          })}
        </span>
      ),
    },
    { id: "changed", title: texts.changed, cell: ({ modifiedAt }) => <RelativeTime value={modifiedAt} /> },
    {
      id: "buttons",
      title: "",
      align: "end",
      cell: (brand) =>
        acts !== undefined && (
          <RowButtons>
            <Button
              kind="quiet"
              aria-label={(brand.isDefault ? texts.unpreferOf : texts.preferOf)(brand.name)}
              onPress={() => acts.prefer(brand)}
            >
              {brand.isDefault ? texts.unprefer : texts.prefer}
            </Button>
            <Button kind="quiet" aria-label={texts.removeOf(brand.name)} onPress={() => acts.remove(brand)}>
              {texts.remove}
            </Button>
          </RowButtons>
        ),
    },
  ];
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("brands");
  const api = useApi();
  const navigate = useNavigate();
  const changed = useBrandsChanged();
  return (
    <Dialog title={texts.createTitle} isOpen onClose={onClose}>
      <Form
        submit={texts.create}
        onCancel={onClose}
        onSubmit={async (values) => {
          const asked = api.send<Brand>("POST", brandsPath, { name: values.text("name").trim() });
          const { id } = await atField(asked, { code: "BRAND_NAME_EXISTS", field: "name", message: texts.nameTaken });
          await changed();
          navigate(`/brands/${id}`);
        }}
      >
        <TextField name="name" label={texts.name} hint={texts.nameHint} maxLength={100} isRequired autoFocus />
      </Form>
    </Dialog>
  );
}
