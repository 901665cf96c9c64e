import type { Notice } from '../../extension/protocol/events';
import { useApp } from '../store/appContext';
import { Button } from '../ui/Button';
import { IconButton } from '../ui/IconButton';
import { NoticeBox } from './NoticeBox';

/** A notice of the engine: a plain line when there is nothing to do about it, a box when there is. */
export function ChatNotice({ notice }: { readonly notice: Notice }) {
  const { actions } = useApp();
  const run = (id: string): void => {
    if (id === 'retry' || id === 'resume') void actions.resume();
    else if (id === 'switchModel' || id === 'setup') actions.openSetup(true);
    else if (id.startsWith('openFile:')) void actions.openFile(id.slice('openFile:'.length));
  };
  if (notice.level === 'info' && !notice.detail && !notice.actions?.length) {
    return (
      <div className="rule">
        <span>{notice.title}</span>
      </div>
    );
  }
  return (
    <div className="notice-line">
      <NoticeBox
        icon={notice.level === 'info' ? 'info' : notice.level}
        tone={notice.level === 'error' ? 'err' : notice.level === 'warning' ? 'warn' : undefined}
        title={notice.title}
        detail={notice.detail}
      >
        {notice.actions?.map((action) => (
          <Button key={action.id} onClick={() => run(action.id)}>
            {action.label}
          </Button>
        ))}
      </NoticeBox>
      <IconButton icon="close" label="Dismiss this notice" onClick={() => void actions.dismissNotice(notice.noticeId)} />
    </div>
  );
}
