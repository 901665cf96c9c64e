import type { Attachment } from '../../extension/protocol/interaction';
import { pathParts, plural } from '../ui/format';

export function attachmentLabel(attachment: Attachment): string {
  switch (attachment.kind) {
    case 'file':
      return pathParts(attachment.path, '').name;
    case 'selection':
      return `${pathParts(attachment.path, '').name}:${attachment.startLine}-${attachment.endLine}`;
    case 'image':
    case 'text':
      return attachment.name;
    case 'problems':
      return plural(attachment.count, 'problem');
  }
}

export function attachmentIcon(attachment: Attachment): string {
  switch (attachment.kind) {
    case 'file':
      return 'file-code';
    case 'selection':
      return 'list-selection';
    case 'image':
      return 'file-media';
    case 'text':
      return 'note';
    case 'problems':
      return 'warning';
  }
}
