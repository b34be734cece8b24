import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { TemplateFileSchema, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders, requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { maxPdfBytes, writePdfText } from "#platform/pdf-text.ts";
import { type ContentFormat, contentHash } from "../domain/content.ts";
import { invalid, problem } from "../domain/problems.ts";
import { requireActive } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate, lockTemplate } from "../store/template-store.ts";
import { parseTemplateId, type TemplatesDeps } from "./deps.ts";
import { deleteUnused, isUnused, lookAtAfter } from "./unused-files.ts";

type Handlers = ServiceImpl<typeof TemplatesService>;

/** A PDF that can be the text of versions of a template, without its bytes. */
interface TextFile {
  readonly templateId: string;
  /** What a version has as its content. */
  readonly text: string;
  readonly contentHash: string;
  readonly hash: string;
  /** Of the file as it was sent: whoever sends it again gets what it became. */
  readonly sentHash: string;
  readonly size: number;
  readonly pages: number;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** Reading a hostile file may take that long; agreements give it as much. */
const checkMs = 18_000;

/** Of those that no version names. */
const maxUnused = 50;

export const createTemplateFile = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "pdfs">,
): Pick<Handlers, "createTemplateFile"> => ({
  async createTemplateFile({ templateId: given, content }, context) {
    const caller = requireCaller(context);
    const templateId = parseTemplateId(given);
    const sentHash = sha256Label(content);
    const known = await inOrganization(caller.orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const file = await findSent(tenant, templateId, sentHash);
      if (file === undefined) requireActive(template);
      else await keepOn(tenant, file, deps.clock.now());
      return file;
    });
    if (known !== undefined) return { file: fileMessage(known) };
    // Takes time, so nothing is locked meanwhile.
    const checked = await checkFile(deps, caller, content);
    return inOrganization(caller.orgId, deps.orm, async (tenant) => {
      // Nobody saves a version that names a file while unused ones are deleted, and the same file sent twice is one.
      const template = await lockTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const same =
        (await findSent(tenant, templateId, sentHash)) ?? (await findFile(tenant, templateId, checked.contentHash));
      const now = deps.clock.now();
      if (same !== undefined) {
        await keepOn(tenant, same, now);
        return { file: fileMessage(same) };
      }
      requireActive(template);
      await deleteUnused(tenant, templateId, now);
      await requireRoom(tenant, templateId);
      const { bytes, ...facts } = checked;
      const file: TextFile = { ...facts, templateId, sentHash, createdBy: caller.clientId, createdAt: now };
      await addFile(tenant, file, bytes);
      return { file: fileMessage(file) };
    });
  },
});

export const getTemplateFile = (deps: Pick<TemplatesDeps, "orm">): Pick<Handlers, "getTemplateFile"> => ({
  async getTemplateFile(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      if ((await findTemplate(tenant, templateId)) === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const file = await findFile(tenant, templateId, request.contentHash, "content_hash, hash");
      const content = file && (await readBytes(tenant, file));
      if (file === undefined || content === undefined) throw new DomainError("CLICK_FILE_NOT_FOUND");
      return { file: fileMessage(file), content };
    });
  },
});

/**
 * Makes sure that a text which is a PDF names a file that was uploaded for the template, which must be held: nobody else
 * can say what a file says. Throws CLICK_VALIDATION_FAILED.
 */
export async function requireFile(
  tenant: OrmTenant,
  templateId: string,
  { format, content }: { readonly format: ContentFormat; readonly content: string },
): Promise<void> {
  if (format !== "PDF" || (await findFile(tenant, templateId, contentHash(content))) !== undefined) return;
  const message = "must be the content of a PDF that was uploaded for this template";
  throw invalid(problem("content", "FILE_NOT_FOUND", message));
}

type Checked = Pick<TextFile, "text" | "contentHash" | "hash" | "size" | "pages"> & { readonly bytes: Uint8Array };

/** The file as it may be shown, checked and rewritten as those of agreements are. */
async function checkFile({ pdfs }: Pick<TemplatesDeps, "pdfs">, caller: Caller, sent: Uint8Array): Promise<Checked> {
  const options = { headers: callerHeaders(caller), timeoutMs: checkMs };
  const { content: bytes, pages } = await pdfs.checkPdf({ content: sent }, options).catch((error: unknown) => {
    const refusal = error instanceof ConnectError ? fromConnectError(error) : undefined;
    throw refusal?.code === "CORRUPTED_DOCUMENT" ? refused(refusal.message) : error;
  });
  if (bytes.length > maxPdfBytes) throw refused("The PDF has more than 5 MiB after it was written anew.");
  if (pages.every(({ text }) => text.length === 0)) throw refused(unread);
  const hash = sha256Label(bytes);
  const round = (side: number): number => Math.round(side * 100) / 100;
  const text = writePdfText({
    ...{ hash, size: bytes.length },
    pages: pages.map(({ width, height, text }) => ({ width: round(width), height: round(height), text })),
  });
  return { text, contentHash: contentHash(text), hash, size: bytes.length, pages: pages.length, bytes };
}

const refused = (reason: string) => invalid(problem("content", "INVALID_PDF", reason));

const unread =
  "The PDF has no text that screen readers could read, as a scan has none. Run a text recognition on it and retry.";

const columns = `template_id as "templateId", text, content_hash as "contentHash", hash, sent_hash as "sentHash", size,
  pages, created_by as "createdBy", created_at as "createdAt"`;

async function findFile(
  { orgId, em }: OrmTenant,
  templateId: string,
  hash: string,
  named: "content_hash" | "content_hash, hash" = "content_hash",
): Promise<TextFile | undefined> {
  const [file] = await em.execute<TextFile[]>(
    `select ${columns} from templates.file where organization_id = ? and template_id = ? and ? in (${named}) limit 1`,
    [orgId, templateId, hash],
  );
  return file;
}

async function findSent({ orgId, em }: OrmTenant, templateId: string, hash: string): Promise<TextFile | undefined> {
  const [file] = await em.execute<TextFile[]>(
    `select ${columns} from templates.file where organization_id = ? and template_id = ? and sent_hash = ?
     order by created_at desc limit 1`,
    [orgId, templateId, hash],
  );
  return file;
}

async function readBytes({ orgId, em }: OrmTenant, file: TextFile): Promise<Buffer | undefined> {
  const rows = await em.execute<{ content: Buffer }[]>(
    "select content from templates.file where organization_id = ? and template_id = ? and content_hash = ?",
    [orgId, file.templateId, file.contentHash],
  );
  return rows[0]?.content;
}

async function addFile({ orgId, em }: OrmTenant, file: TextFile, bytes: Uint8Array): Promise<void> {
  const { templateId, contentHash, hash, sentHash, size, pages, text, createdBy, createdAt } = file;
  await em.execute(
    `insert into templates.file (organization_id, template_id, content_hash, hash, sent_hash, size, pages, text, content,
       created_by, created_at, look_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[orgId, templateId, contentHash, hash, sentHash, size, pages, text, Buffer.from(bytes), createdBy, createdAt],
      lookAtAfter(createdAt),
    ],
  );
}

/** Whoever sends it again has as much time to use it as who sent it first. */
async function keepOn({ orgId, em }: OrmTenant, { templateId, contentHash }: TextFile, now: Date): Promise<void> {
  await em.execute(
    "update templates.file set look_at = ? where organization_id = ? and template_id = ? and content_hash = ?",
    [lookAtAfter(now), orgId, templateId, contentHash],
  );
}

async function requireRoom({ orgId, em }: OrmTenant, templateId: string): Promise<void> {
  const [row] = await em.execute<{ files: number }[]>(
    `select count(*)::integer as files from templates.file f
     where f.organization_id = ? and f.template_id = ? and ${isUnused}`,
    [orgId, templateId],
  );
  if ((row?.files ?? 0) < maxUnused) return;
  const message = `must not be one more: a template has at most ${maxUnused} files that no version has, for a day`;
  throw invalid(problem("content", "TOO_MANY_FILES", message));
}

const fileMessage = ({ text, createdAt, ...file }: TextFile): MessageInitShape<typeof TemplateFileSchema> => ({
  ...file,
  content: text,
  createdAt: timestampFromDate(new Date(createdAt)),
});
