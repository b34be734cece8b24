import "../access/access.css";
import "./brands.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Brand, SenderDomain } from "#api/brands.ts";
import { useApi } from "../../api/client.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { atField, Loaded, RowButtons } from "../access/parts.tsx";
import { brandsPath, useBrands, useBrandsChanged, useMayChangeBrands } from "./brand-select.tsx";
import { PageHosts } from "./page-hosts.tsx";
import { tones } from "./tones.ts";

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

const domainsPath = "/v1/sign/sender-domains";

function useSenderDomains() {
  const api = useApi();
  return useQuery({ queryKey: [domainsPath], queryFn: () => api.get<SenderDomain[]>(domainsPath) });
}

/** Which domains mails come from, and what their DNS lacks. */
function SenderDomains({ mayChange }: { readonly mayChange: boolean }) {
  const texts = useTexts("senderDomains");
  const domains = useSenderDomains();
  const [isAdding, setIsAdding] = useState(false);
  const add = mayChange && <Button onPress={() => setIsAdding(true)}>{texts.add}</Button>;
  return (
    <Section title={texts.title} intro={texts.intro} actions={add}>
      <Loaded query={domains}>
        {(all) => (
          <>
            {all.length === 0 && <p>{texts.none}</p>}
            {all.map((one) => (
              <Domain key={one.id} domain={one} mayChange={mayChange} />
            ))}
          </>
        )}
      </Loaded>
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

function Domain({ domain, mayChange }: { readonly domain: SenderDomain; readonly mayChange: boolean }) {
  const texts = useTexts("senderDomains");
  const { status, isSender, records, checkedAt } = domain;
  const address = `${domain.mailbox}@${domain.domain}`;
  const api = useApi();
  const queries = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const changed = () => queries.invalidateQueries({ queryKey: [domainsPath] });
  const check = useAction(() => api.send("POST", `${domainsPath}/${domain.id}/check`).finally(changed));
  return (
    <article className="sender-domain" aria-label={address}>
      <h3 className="brand-name">
        {address}
        <Badge tone={tones[status]}>{texts.states[status]}</Badge>
        {isSender && <Badge tone="success">{texts.inUse}</Badge>}
      </h3>
      <p className="quiet">
        {texts.explained[status]} {checkedAt !== null && texts.checked}{" "}
        {checkedAt !== null && <RelativeTime value={checkedAt} />}
      </p>
      {records.map(({ purpose, type, name, value, required, status: found }) => (
        <section key={purpose} className="sender-record" aria-label={texts.purposes[purpose]}>
          <h4 className="brand-name">
            {texts.purposes[purpose]}
            <Badge tone={required ? tones[found] : found === "found" ? "success" : "info"}>{texts.found[found]}</Badge>
            {!required && <small>{texts.recommended}</small>}
          </h4>
          <p className="quiet">{texts.record(type)}</p>
          <CopyLine text={name} />
          <CopyLine text={value} />
          {purpose === "spf" && <p className="quiet">{texts.spfHint(value.split(" ")[1] ?? "")}</p>}
        </section>
      ))}
      {check.error !== undefined && <ErrorNotice error={check.error} />}
      {mayChange && (
        <div className="form-buttons">
          <Button isBusy={check.isBusy} aria-label={texts.checkOf(address)} onPress={() => void check.run()}>
            {texts.check}
          </Button>
          <Button kind="quiet" aria-label={texts.removeOf(address)} onPress={() => setIsDeleting(true)}>
            {texts.remove}
          </Button>
        </div>
      )}
      {isDeleting && (
        <ConfirmDialog
          isOpen
          title={texts.deleteTitle(address)}
          text={texts.deleteText}
          action={texts.remove}
          onConfirm={async () => {
            await api.send("DELETE", `${domainsPath}/${domain.id}`);
            await changed();
          }}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </article>
  );
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("senderDomains");
  const api = useApi();
  const queries = useQueryClient();
  return (
    <Dialog title={texts.addTitle} isOpen onClose={onClose}>
      <Form
        submit={texts.add}
        onCancel={onClose}
        onSubmit={async (values) => {
          const body = { domain: values.text("domain").trim(), mailbox: values.text("mailbox").trim() || null };
          const asked = api.send("POST", domainsPath, body);
          await atField(asked, { code: "SENDER_DOMAIN_EXISTS", field: "domain", message: texts.exists });
          await queries.invalidateQueries({ queryKey: [domainsPath] });
          onClose();
        }}
      >
        <TextField name="domain" label={texts.domain} hint={texts.domainHint} maxLength={253} isRequired autoFocus />
        <TextField name="mailbox" label={texts.mailbox} hint={texts.mailboxHint} maxLength={64} />
      </Form>
    </Dialog>
  );
}
