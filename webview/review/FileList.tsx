import { type KeyboardEvent, useRef, useState } from 'react';
import type { WorktreeFileView } from '../../extension/protocol/worktree';
import { Counts } from '../ui/DiffView';
import { pathParts, plural } from '../ui/format';
import { useRovingFocus } from '../ui/useRovingFocus';
import { fileKey, kindWords } from './reviewWords';

interface FileListProps {
  readonly label: string;
  readonly files: readonly WorktreeFileView[];
  readonly moreFiles: number;
  readonly ticked: ReadonlySet<string>;
  readonly onTick: (file: WorktreeFileView, ticked: boolean) => void;
  readonly onOpen: (path: string) => void;
}

/** One tab stop: arrows move, Enter opens the diff, Space ticks. */
export function FileList({ label, files, moreFiles, ticked, onTick, onOpen }: FileListProps) {
  const box = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState('');
  const move = useRovingFocus(box, { items: '.fbtn', axis: 'vertical', typeAhead: true });
  const tabStop = files.some((file) => file.path === current) ? current : files[0]?.path;
  return (
    <>
      <ul ref={box} aria-label={label} onKeyDown={move}>
        {files.map((file) => {
          const isTicked = ticked.has(fileKey(file));
          return (
            <FileRow
              key={file.path}
              file={file}
              isTicked={isTicked}
              isTabStop={file.path === tabStop}
              onFocus={() => setCurrent(file.path)}
              onTick={() => onTick(file, !isTicked)}
              onOpen={() => onOpen(file.path)}
            />
          );
        })}
      </ul>
      {moreFiles > 0 ? <p className="quiet-line more-files">{`and ${plural(moreFiles, 'more file')}; the review opens all of them`}</p> : null}
    </>
  );
}

interface FileRowProps {
  readonly file: WorktreeFileView;
  readonly isTicked: boolean;
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly onTick: () => void;
  readonly onOpen: () => void;
}

function FileRow({ file, isTicked, isTabStop, onFocus, onTick, onOpen }: FileRowProps) {
  const { name, folder } = pathParts(file.path, '');
  const { letter, word } = kindWords[file.kind];
  const title = [file.oldPath ? `${file.oldPath} → ${file.path}` : file.path, file.isUncommitted ? `${word}, not committed` : word].join('\n');
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== ' ') return;
    event.preventDefault();
    onTick();
  };
  return (
    <li className="row file">
      <input type="checkbox" aria-label={`Reviewed: ${file.path}`} checked={isTicked} tabIndex={-1} onChange={onTick} />
      <button type="button" className="fbtn" tabIndex={isTabStop ? 0 : -1} title={title} onFocus={onFocus} onKeyDown={onKeyDown} onClick={onOpen}>
        <span className="cut">{name}</span>
        <span className="cut muted small">{folder}</span>
        <span className="sr">{`, ${word}${isTicked ? ', reviewed' : ''}`}</span>
      </button>
      <span className="meta">
        {file.isBinary ? <span>binary</span> : <Counts added={file.added} removed={file.removed} />}
        <span className={`st st-${letter}`} aria-hidden="true">
          {letter}
        </span>
      </span>
    </li>
  );
}
