import * as vscode from 'vscode';
import type { SkillListing } from '../protocol/methods';
import { type CommandDeps, currentSession } from './commandDeps';
import { commandCaller } from './engineHost';
import { findSkill, orderSkills, readSkillArgs, withRecent } from './skillChoices';

const recentKey = 'troupe.recentSkills';
const preview: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: 'Open the file' };
const withArguments: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Run with arguments…' };

interface SkillItem extends vscode.QuickPickItem {
  readonly skill?: SkillListing;
}

/** "Run Skill…": the list, or straight away what a keybinding names. */
export async function runSkill(deps: CommandDeps, given: unknown): Promise<void> {
  const wanted = readSkillArgs(given);
  if (wanted && 'problem' in wanted) throw new Error(wanted.problem);
  const engine = await deps.engine.get();
  const listed = await engine.handlers['skill/list']({}, commandCaller);
  // Commands of the composer open places in the sidebar; they have no prompt to run.
  const skills = listed.skills.filter(({ kind }) => kind !== 'local');
  if (wanted) {
    const skill = findSkill(skills, wanted.skill);
    if (!skill) throw new Error(`Troupe: there is no skill "${wanted.skill}", or several of that name. “Troupe: Run Skill…” lists them all.`);
    return start(deps, skill, wanted.args ?? (await askArguments(skill)));
  }
  if (skills.length === 0) {
    void vscode.window.showInformationMessage('Troupe: there are no skills yet. Put one at .claude/skills/<name>/SKILL.md, or install a plugin that brings some.');
    return;
  }
  const picked = await pickSkill(skills, deps.state.get<readonly string[]>(recentKey) ?? []);
  if (picked) await start(deps, picked.skill, picked.asksArguments ? await askArguments(picked.skill) : '');
}

async function start(deps: CommandDeps, skill: SkillListing, args: string | undefined): Promise<void> {
  if (args === undefined) return;
  const sessionId = await currentSession(deps);
  const engine = await deps.engine.get();
  await deps.state.update(recentKey, withRecent(deps.state.get<readonly string[]>(recentKey) ?? [], skill.qualified));
  engine.sendUi({ name: 'showSession', sessionId });
  await deps.reveal();
  await engine.handlers['skill/run']({ sessionId, name: skill.qualified, args }, commandCaller);
}

/** @returns undefined when the person leaves the box */
async function askArguments(skill: SkillListing): Promise<string | undefined> {
  if (skill.argumentHint === undefined) return '';
  return vscode.window.showInputBox({ title: `/${skill.name}`, prompt: skill.description, placeHolder: skill.argumentHint, ignoreFocusOut: true });
}

function pickSkill(skills: readonly SkillListing[], recent: readonly string[]): Promise<{ readonly skill: SkillListing; readonly asksArguments: boolean } | undefined> {
  return new Promise((resolve) => {
    const list = vscode.window.createQuickPick<SkillItem>();
    list.title = 'Run Skill';
    list.placeholder = 'Name or description of a skill';
    list.matchOnDescription = true;
    list.matchOnDetail = true;
    list.items = skillItems(skills, recent);
    const finish = (picked: SkillItem | undefined, asksArguments: boolean): void => {
      resolve(picked?.skill && { skill: picked.skill, asksArguments });
      list.dispose();
    };
    list.onDidAccept(() => finish(list.selectedItems[0], true));
    list.onDidTriggerItemButton(({ item, button }) => {
      if (button === withArguments && item.skill) return finish({ ...item, skill: { ...item.skill, argumentHint: item.skill.argumentHint ?? 'arguments' } }, true);
      finish(undefined, false);
      if (item.skill) void vscode.commands.executeCommand('vscode.open', vscode.Uri.file(item.skill.path), { preview: true });
    });
    list.onDidHide(() => finish(undefined, false));
    list.show();
  });
}

function skillItems(skills: readonly SkillListing[], recent: readonly string[]): readonly SkillItem[] {
  const ordered = orderSkills(skills, recent);
  const heading = (label: string): SkillItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  if (ordered.recent.length === 0) return ordered.others.map(skillItem);
  return [heading('recently used'), ...ordered.recent.map(skillItem), heading('all'), ...ordered.others.map(skillItem)];
}

function skillItem(skill: SkillListing): SkillItem {
  const isFile = /[\\/]/.test(skill.path);
  const name = skill.label && skill.label !== skill.name ? ` ${skill.label}` : '';
  return {
    skill,
    label: `/${skill.name}`,
    description: [`${skill.argumentHint ?? ''}${name}`.trim(), skill.source].filter(Boolean).join(' · '),
    detail: skill.description,
    buttons: isFile ? [withArguments, preview] : [withArguments],
  };
}
