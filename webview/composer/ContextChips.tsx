import type { Attachment } from '../../extension/protocol/interaction';
import type { EditorContext } from '../../extension/protocol/view';
import { pathParts, plural } from '../ui/format';
import { Icon } from '../ui/Icon';
import { attachmentIcon, attachmentLabel } from './attachmentWords';

export type EditorPart = 'file' | 'selection' | 'problems';

interface ContextChipsProps {
  readonly attachments: readonly Attachment[];
  readonly editor: EditorContext;
  readonly onRemove: (attachment: Attachment) => void;
  readonly onAdd: (part: EditorPart) => void;
}

/** What goes with the message, and (dashed) what the editor has open and could. Nothing goes unless it was clicked. */
export function ContextChips({ attachments, editor, onRemove, onAdd }: ContextChipsProps) {
  const offers = editorOffers(editor, attachments);
  if (attachments.length === 0 && offers.length === 0) return null;
  return (
    <div className="chips">
      {attachments.map((attachment, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two pictures may have the same name
        <span className="chip" key={`${attachmentLabel(attachment)}${i}`}>
          {attachment.kind === 'image' ? <img src={`data:${attachment.mediaType};base64,${attachment.data}`} alt="" /> : <Icon name={attachmentIcon(attachment)} />}
          <span className="cut" title={'path' in attachment ? attachment.path : undefined}>
            {attachmentLabel(attachment)}
          </span>
          <button type="button" aria-label={`Remove ${attachmentLabel(attachment)}`} title="Remove" onClick={() => onRemove(attachment)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      {offers.map((offer) => (
        <button
          key={offer.part}
          type="button"
          className="chip offer"
          title={`Attach ${offer.about}`}
          aria-label={`Attach ${offer.about}: ${offer.label}`}
          onClick={() => onAdd(offer.part)}
        >
          <Icon name="add" />
          <span className="cut">{offer.label}</span>
        </button>
      ))}
    </div>
  );
}

function editorOffers({ file, selection, problemCount }: EditorContext, attachments: readonly Attachment[]): { part: EditorPart; label: string; about: string }[] {
  const has = (kind: Attachment['kind']): boolean => attachments.some((a) => a.kind === kind);
  const attached = attachments.some((a) => a.kind === 'file' && a.path === file);
  return [
    ...(selection && !has('selection')
      ? [{ part: 'selection' as const, label: `${pathParts(selection.path, '').name}:${selection.startLine}-${selection.endLine}`, about: 'the selected lines' }]
      : []),
    ...(file && !attached && !selection ? [{ part: 'file' as const, label: pathParts(file, '').name, about: 'the open file' }] : []),
    ...(problemCount > 0 && !has('problems') ? [{ part: 'problems' as const, label: plural(problemCount, 'problem'), about: 'what the Problems view says about it' }] : []),
  ];
}
