// The chat view as a person uses it: words and roles, no test ids.
import { waitFor } from '../waitFor.mjs';
import { webviewFrame } from '../workbench.mjs';

/** @typedef {import('playwright-core').Page} Page */

export class Sidebar {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** Asked anew each time: a reload makes another frame. */
  frame() {
    return webviewFrame(this.page, '#root .app');
  }

  async box() {
    return (await this.frame()).getByRole('combobox', { name: 'Message' }).or((await this.frame()).getByRole('textbox', { name: 'Message' }));
  }

  async type(text) {
    const box = await this.box();
    await box.waitFor({ timeout: 30_000 });
    await box.fill(text);
  }

  async send(text) {
    await this.type(text);
    await (await this.box()).press('Enter');
  }

  async press(key) {
    await (await this.box()).press(key);
  }

  /** Waits until the text stands on screen. */
  async sees(text, timeout = 30_000) {
    await (await this.frame()).getByText(text).first().waitFor({ state: 'visible', timeout });
  }

  async seesNot(text) {
    await (await this.frame()).getByText(text).first().waitFor({ state: 'hidden', timeout: 30_000 });
  }

  async click(name, role = 'button') {
    await (await this.frame()).getByRole(role, { name }).first().click({ timeout: 30_000 });
  }

  async field(label) {
    return (await this.frame()).locator('vscode-text-field').filter({ hasText: label }).locator('input');
  }

  /** The row of a tool call, by what it says. */
  async row(text) {
    return (await this.frame()).locator('.tool .row').filter({ hasText: text }).last();
  }

  async dock() {
    const dock = (await this.frame()).locator('section.dock');
    await dock.waitFor({ timeout: 60_000 });
    return dock;
  }

  /** Clicks an answer of the dock; keys and clicks are not taken for 400 ms after the card changes, so it is tried until the card moves on. */
  async answer(name) {
    const dock = await this.dock();
    const before = await dock.innerText();
    await waitFor(`"${name}" to be taken`, async () => {
      if ((await dock.count()) === 0 || (await dock.innerText().catch(() => '')) !== before) return true;
      await dock.getByRole('button', { name, exact: true }).first().click({ timeout: 2_000 }).catch(() => undefined);
      return false;
    }, 30_000);
  }

  /** Chat, Agents or Review. */
  async tab(name) {
    await (await this.frame()).getByRole('tab', { name }).click({ timeout: 30_000 });
  }

  /** Rows of the agent tree as `level name`. */
  async tree() {
    const rows = (await this.frame()).getByRole('treeitem');
    return rows.evaluateAll((all) => all.map((row) => `${row.getAttribute('aria-level')} ${row.querySelector('.name')?.textContent}`));
  }

  async agentRow(name) {
    const frame = await this.frame();
    return frame.getByRole('treeitem').filter({ has: frame.locator('.name').getByText(name, { exact: true }) }).first();
  }

  /** A worktree's card in the Review tab. */
  async card(name) {
    const card = (await this.frame()).getByRole('region', { name: `Worktree ${name}`, exact: true });
    await card.waitFor({ timeout: 60_000 });
    return card;
  }

  async pickMode(label) {
    await this.click(/^Mode: /);
    await (await this.frame()).getByRole('menuitemradio', { name: label }).click();
  }
}
