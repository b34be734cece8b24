/** What each tab of the page of a template is given. */
export interface TemplateTabProps {
  readonly templateId: string;
}
