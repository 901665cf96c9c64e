import type { LocalPage as Page, PageRow } from '../../extension/protocol/localCommand';
import { useApp } from '../store/appContext';
import { IconButton } from '../ui/IconButton';

/** What a command like /skills or /doctor has to show, in the chat's place. */
export function LocalPage({ page, onBack }: { readonly page: Page; readonly onBack: () => void }) {
  return (
    <section className="local-page" aria-label={page.title}>
      <div className="scope">
        <IconButton icon="arrow-left" label="Back to the chat" onClick={onBack} />
        <h3 className="cut">{page.title}</h3>
      </div>
      {page.intro === undefined ? null : <p className="quiet-line">{page.intro}</p>}
      {page.groups.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h4 className="lab">{group.title}</h4>
          <ul className="page-rows">
            {group.rows.map((row) => (
              <Row key={`${row.name} ${row.detail} ${row.path} ${row.line}`} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

function Row({ row }: { readonly row: PageRow }) {
  const { actions } = useApp();
  const { name, detail, badge, tone, path, line, command } = row;
  const lead = path !== undefined ? () => void actions.openFile(path, line) : command !== undefined ? () => void actions.submit({ text: command, attachments: [], steer: false }) : undefined;
  return (
    <li>
      <div className="row-head">
        {lead ? (
          <button type="button" className="link name" title={path ?? command} onClick={lead}>
            {name}
          </button>
        ) : (
          <span className="name">{name}</span>
        )}
        {badge === undefined || badge === '' ? null : <span className={`badge-word ${tone ?? ''}`}>{badge}</span>}
      </div>
      {detail === undefined || detail === '' ? null : <div className="row-detail">{detail}</div>}
    </li>
  );
}
