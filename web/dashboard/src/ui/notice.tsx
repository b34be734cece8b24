import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import "./notice.css";

export type Tone = "info" | "success" | "warning" | "danger";

interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children?: ReactNode;
}

/** A message on a page; read out when it appears. */
export function Notice({ tone = "info", title, children }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <Icon name={icons[tone]} />
      <div>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
    </div>
  );
}

const icons = { info: "info", success: "check", warning: "alert", danger: "alert" } as const;
