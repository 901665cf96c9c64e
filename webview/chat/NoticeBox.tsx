import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';

interface NoticeBoxProps {
  readonly icon: string;
  readonly tone?: 'warn' | 'err';
  readonly title: string;
  readonly detail?: string | undefined;
  readonly children?: ReactNode;
}

/** What happened, what it means, what to do. */
export function NoticeBox({ icon, tone, title, detail, children }: NoticeBoxProps) {
  return (
    <div className="notice">
      <Icon name={icon} tone={tone} />
      <div>
        <p>{title}</p>
        {detail ? <p>{detail}</p> : null}
        {children ? <div className="acts">{children}</div> : null}
      </div>
    </div>
  );
}
