import { afterAll, beforeAll, expect } from 'vitest';
import { FakeHost } from '../../webview/transport/fakeTransport';
import { verifies } from '../support/verifies';
import { WebviewHost } from './host';
import { box, withPageOf } from './withPage';

let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());
const withPage = withPageOf(() => host);

verifies('webview:local:page', async () => {
  const engine = new FakeHost();
  engine.answer('command/run', ({ name }) => {
    if (name === 'skills') return { kind: 'page', page: { title: 'Skills and commands', groups: [{ title: 'Problems', rows: [{ name: 'odd/SKILL.md:2', detail: 'not closed', badge: 'warning', tone: 'warning', path: '/repo/odd/SKILL.md', line: 2 }] }] } };
    if (name === 'compact') return { kind: 'done', text: 'The conversation was summarised.' };
    if (name === 'permissions') return { kind: 'go', to: 'permissions' };
    return name === 'tidy' ? { kind: 'prompt' } : { kind: 'unknown', near: ['skills'] };
  });
  engine.answer('permission/grants', () => ({ grants: [] }));
  engine.answer('skill/list', () => ({ skills: [{ name: 'compact', qualified: 'compact', kind: 'local', source: 'Troupe', description: 'Summarises.', path: '' }] }));
  await withPage(engine, async (open) => {
    const { page } = open;
    const send = async (text: string): Promise<void> => {
      await box(open).fill(text);
      await box(open).press('Enter');
    };
    await send('/skills ');
    await page.getByRole('button', { name: 'odd/SKILL.md:2' }).click();
    expect(await open.called('file/open')).toEqual({ path: '/repo/odd/SKILL.md', line: 2 });
    await page.getByRole('button', { name: 'Back to the chat' }).click();
    await page.getByRole('region', { name: 'Skills and commands' }).waitFor({ state: 'detached' });
    await send('/compact now ');
    await page.getByText('The conversation was summarised.').waitFor();
    await send('/permissions ');
    await page.getByRole('region', { name: 'Permissions' }).waitFor();
    await send('/skilz ');
    await page.getByText('There is no command /skilz. Did you mean /skills? To send it as text, put a blank before it.').waitFor();
    expect(await box(open).inputValue(), 'what was typed stays').toBe('/skilz ');
    await box(open).fill('');
    await box(open).pressSequentially('/compact');
    await page.getByRole('option', { name: /compact/ }).waitFor();
    const before = open.calls('command/run').length;
    await box(open).press('Enter');
    expect(await open.called('command/run', before), 'a name typed to its end is sent by one Enter').toMatchObject({ name: 'compact' });
    await send('/tidy the desk');
    expect(await open.called('turn/submit')).toMatchObject({ text: '/tidy the desk' });
    await send(' /skilz is a word');
    expect(await open.called('turn/submit', 1)).toMatchObject({ text: ' /skilz is a word' });
    expect(open.calls('turn/submit')).toHaveLength(2);
  });
});
