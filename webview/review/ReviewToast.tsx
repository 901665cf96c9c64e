import { Button } from '../ui/Button';
import { Icon } from '../ui/Icon';
import { IconButton } from '../ui/IconButton';

export interface ToastInfo {
  readonly icon: string;
  readonly tone?: 'ok' | 'err';
  readonly title: string;
  readonly detail?: string | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** What was just done, and the way back. It is said aloud by the page's announcer, not by itself. */
export function ReviewToast({ toast, onClose }: { readonly toast: ToastInfo; readonly onClose: () => void }) {
  const { action } = toast;
  return (
    <div className="toast review-toast" role="group" aria-label="Last change">
      <Icon name={toast.icon} tone={toast.tone} />
      <div className="grow">
        <p>{toast.title}</p>
        {toast.detail ? <p className="quiet-line">{toast.detail}</p> : null}
      </div>
      {action ? (
        <Button
          onClick={() => {
            onClose();
            action.run();
          }}
        >
          {action.label}
        </Button>
      ) : null}
      <IconButton icon="close" label="Dismiss" onClick={onClose} />
    </div>
  );
}
