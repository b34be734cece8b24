import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { ScreenshotSchema, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { exportPage } from "#platform/export-page.ts";
import { isOfTables, nextOfTables } from "#platform/export-tables.ts";
import { type ImageFacts, ImageFault, readWholeImage } from "#platform/image-file.ts";
import { type Deployment, isScreenshotId, newScreenshotId } from "../domain/deployment.ts";
import { invalid, problem } from "../domain/problems.ts";
import { requireActive } from "../domain/template.ts";
import { findDeployment } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { openDeployment } from "./deployment-rules.ts";
import { parseDeploymentId, type TemplatesDeps } from "./deps.ts";

type Handlers = ServiceImpl<typeof TemplatesService>;

/** A picture of what a deployment looks like, without its bytes. */
interface Screenshot extends ImageFacts {
  readonly id: string;
  readonly deploymentId: string;
  readonly size: number;
  readonly hash: string;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** A screen of 4K twice over, or a long page on a phone; larger ones fill the memory of whoever looks at them. */
const limits = { maxPixels: 40_000_000, maxSide: 30_000 };

/** All of a deployment are listed in one answer and kept for as long as it is. */
const maxScreenshots = 20;

export const createScreenshot = (deps: Pick<TemplatesDeps, "orm" | "clock">): Pick<Handlers, "createScreenshot"> => ({
  async createScreenshot({ deploymentId, content }, context) {
    const { orgId, clientId } = requireCaller(context);
    const id = parseDeploymentId(deploymentId);
    const facts = await readPicture(content);
    const hash = sha256Label(content);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      // Locked until the end, so that the same picture sent twice at once is one.
      const { template } = await openDeployment(tenant, id);
      const found = await findScreenshots(tenant, id);
      const same = found.find((one) => one.hash === hash);
      if (same !== undefined) return { screenshot: screenshotMessage(same) };
      requireActive(template);
      requireRoom(found.length);
      const now = deps.clock.now();
      const made = { ...facts, id: newScreenshotId(), deploymentId: id, size: content.length, hash };
      const screenshot: Screenshot = { ...made, createdBy: clientId, createdAt: now };
      await addScreenshot(tenant, screenshot, content);
      return { screenshot: screenshotMessage(screenshot) };
    });
  },
});

export const listScreenshots = (deps: Pick<TemplatesDeps, "orm">): Pick<Handlers, "listScreenshots"> => ({
  async listScreenshots(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseDeploymentId(request.deploymentId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      if ((await findDeployment(tenant, id)) === null) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
      return { screenshots: (await findScreenshots(tenant, id)).map(screenshotMessage) };
    });
  },
});

export const getScreenshot = (deps: Pick<TemplatesDeps, "orm">): Pick<Handlers, "getScreenshot"> => ({
  async getScreenshot(request, context) {
    const { orgId } = requireCaller(context);
    const { deploymentId, screenshotId } = namesIn(request);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      if ((await findDeployment(tenant, deploymentId)) === null) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
      const screenshot = await findScreenshot(tenant, deploymentId, screenshotId);
      const content = screenshot && (await readContent(tenant, screenshot.id));
      // The bytes are missing if somebody deletes the screenshot between the two reads.
      if (screenshot === undefined || content === undefined) throw new DomainError("CLICK_SCREENSHOT_NOT_FOUND");
      return { screenshot: screenshotMessage(screenshot), content };
    });
  },
});

export const deleteScreenshot = (deps: Pick<TemplatesDeps, "orm">): Pick<Handlers, "deleteScreenshot"> => ({
  async deleteScreenshot(request, context) {
    const { orgId } = requireCaller(context);
    const { deploymentId, screenshotId } = namesIn(request);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      // Locked, so that the deployment cannot begin to name it meanwhile.
      const { deployment } = await openDeployment(tenant, deploymentId);
      const screenshot = await findScreenshot(tenant, deploymentId, screenshotId);
      if (screenshot === undefined) throw new DomainError("CLICK_SCREENSHOT_NOT_FOUND");
      if (deployment.screenshotId === screenshotId) throw new DomainError("CLICK_SCREENSHOT_IN_USE");
      await tenant.em.execute("delete from templates.screenshot where organization_id = ? and id = ?", [
        orgId,
        screenshotId,
      ]);
      return {};
    });
  },
});

/**
 * Notes the hash of the screenshot that the deployment names from now on. Any text may be the id of a picture that the
 * organization keeps elsewhere; one that looks like the id of a screenshot must be one of this deployment, which is locked or
 * new. Throws CLICK_VALIDATION_FAILED.
 */
export async function pinScreenshot(
  { clock, screenshotBytes }: Pick<TemplatesDeps, "clock" | "screenshotBytes">,
  tenant: OrmTenant,
  deployment: Deployment,
): Promise<void> {
  const { id, screenshotId } = deployment;
  const isKept = screenshotId !== null && isScreenshotId(screenshotId);
  const screenshot = isKept ? await findScreenshot(tenant, id, screenshotId) : undefined;
  if (isKept && screenshot === undefined) {
    throw invalid(problem("screenshotId", "NOT_FOUND", "must be a screenshot that was uploaded for this deployment"));
  }
  if (screenshot !== undefined) await noteNamed(tenant, screenshot, screenshotBytes, clock.now());
  deployment.screenshotHash = screenshot?.hash ?? null;
}

/** Evidence keeps what was named for as long as the organization is there, so all of it together has a bound. */
async function noteNamed(
  { orgId, em }: OrmTenant,
  { hash, size }: Screenshot,
  mostBytes: number,
  now: Date,
): Promise<void> {
  await em.execute("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`templates named screenshots ${orgId}`]);
  const [row] = await em.execute<{ bytes: string; isKnown: boolean }[]>(
    `select coalesce(sum(size), 0) as bytes, coalesce(bool_or(hash = ?), false) as "isKnown"
     from templates.named_screenshot where organization_id = ?`,
    [hash, orgId],
  );
  if (row === undefined || row.isKnown) return;
  if (Number(row.bytes) + size > mostBytes) {
    throw invalid(problem("screenshotId", "SCREENSHOTS_FULL", fullMessage(mostBytes)));
  }
  await em.execute(
    "insert into templates.named_screenshot (organization_id, hash, size, named_at) values (?, ?, ?, ?)",
    [orgId, hash, size, now],
  );
}

const fullMessage = (mostBytes: number): string =>
  `must be one that a deployment has named before: with this one, the screenshots that evidence keeps for the organization would have more than ${mostBytes / 1_048_576} MiB. Whoever operates Assent can allow more (SCREENSHOTS_MB).`;

async function readPicture(content: Uint8Array): Promise<ImageFacts> {
  try {
    return await readWholeImage(content, limits);
  } catch (error) {
    throw error instanceof ImageFault ? invalid(problem("content", "INVALID_IMAGE", error.message)) : error;
  }
}

function requireRoom(screenshots: number): void {
  if (screenshots < maxScreenshots) return;
  const message = `must not be one more: a deployment has at most ${maxScreenshots} screenshots`;
  throw invalid(problem("content", "TOO_MANY_SCREENSHOTS", message));
}

const namesIn = (given: { readonly deploymentId: string; readonly screenshotId: string }) => ({
  deploymentId: parseDeploymentId(given.deploymentId),
  screenshotId: given.screenshotId,
});

const columns = `id, deployment_id as "deploymentId", content_type as "contentType", width, height, size, hash,
  created_by as "createdBy", created_at as "createdAt"`;

async function addScreenshot({ orgId, em }: OrmTenant, screenshot: Screenshot, content: Uint8Array): Promise<void> {
  const { id, deploymentId, contentType, width, height, size, hash, createdBy, createdAt } = screenshot;
  await em.execute(
    `insert into templates.screenshot
       (organization_id, id, deployment_id, content_type, width, height, size, hash, content, created_by, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [orgId, id, deploymentId, contentType, width, height, size, hash, Buffer.from(content), createdBy, createdAt],
  );
}

/** Newest first. */
const findScreenshots = ({ orgId, em }: OrmTenant, deploymentId: string): Promise<Screenshot[]> =>
  em.execute<Screenshot[]>(
    `select ${columns} from templates.screenshot where organization_id = ? and deployment_id = ?
     order by created_at desc, id`,
    [orgId, deploymentId],
  );

/** A text that is no id of a screenshot names none. */
async function findScreenshot(
  { orgId, em }: OrmTenant,
  deploymentId: string,
  id: string,
): Promise<Screenshot | undefined> {
  if (!isScreenshotId(id)) return undefined;
  const rows = await em.execute<Screenshot[]>(
    `select ${columns} from templates.screenshot where organization_id = ? and deployment_id = ? and id = ?`,
    [orgId, deploymentId, id],
  );
  return rows[0];
}

async function readContent({ orgId, em }: OrmTenant, id: string): Promise<Buffer | undefined> {
  const rows = await em.execute<{ content: Buffer }[]>(
    "select content from templates.screenshot where organization_id = ? and id = ?",
    [orgId, id],
  );
  return rows[0]?.content;
}

const screenshotMessage = ({ createdAt, ...screenshot }: Screenshot): MessageInitShape<typeof ScreenshotSchema> => ({
  ...screenshot,
  createdAt: timestampFromDate(new Date(createdAt)),
});

/** The export of an organization: pictures and PDFs as files, then the records of all tables. */
export const exportWithFiles = (pool: pg.Pool) => ({
  exportOrganization({ cursor }: { readonly cursor: string }, context: HandlerContext) {
    const { orgId } = requireCaller(context);
    const query = async <Row extends pg.QueryResultRow>(sql: string, values: readonly string[]) =>
      (await withOrg(pool, orgId, ({ client }) => client.query<Row>(sql, [orgId, ...values]))).rows[0];
    return exportPage(cursor, async (after) => {
      const next = isOfTables(after) ? undefined : await findNext(after);
      if (next === undefined) return nextOfTables(pool, orgId, schema, after);
      const { id, path, title, sql } = next;
      return { id, files: [{ path, title, read: () => read(sql, id) }] };
    });

    async function read(sql: string, id: string): Promise<Uint8Array> {
      const row = await query<{ content: Buffer }>(sql, [id]);
      if (row === undefined) throw new DomainError("DOCUMENT_ERASED");
      return row.content;
    }
    /** The ids of PDFs come before those of pictures. */
    async function findNext(after: string) {
      const pdf = await query<{ id: string }>(
        `select min(${pdfId}) as id from templates.file where organization_id = $1 and ${pdfId} > $2 having min(${pdfId}) is not null`,
        [after],
      );
      if (pdf !== undefined) {
        const sql = `select content from templates.file where organization_id = $1 and ${pdfId} = $2`;
        return { id: pdf.id, path: `documents/texts/${pdf.id.slice("pdf_".length)}.pdf`, title: "Text as a PDF", sql };
      }
      const picture = await query<Pick<Screenshot, "id" | "contentType">>(
        `select id, content_type as "contentType" from templates.screenshot
         where organization_id = $1 and id > $2 order by id limit 1`,
        [after],
      );
      if (picture === undefined) return undefined;
      const path = `documents/screenshots/${picture.id}.${picture.contentType === "image/png" ? "png" : "jpg"}`;
      const sql = "select content from templates.screenshot where organization_id = $1 and id = $2";
      return { id: picture.id, path, title: `Screenshot ${picture.id}`, sql };
    }
  },
});

/** One for each file of a template, and a name for a file. */
const pdfId = `'pdf_' || template_id || '-' || substr(content_hash, 8, 16) collate "C"`;
