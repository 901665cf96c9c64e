import { existsSync } from 'node:fs';
import type { HookEventName } from '../../extension/hooks/hookEvents';
import { type HookLanguage, needInterpreter, pythonProgram } from './hookScripts';
import type { TempRepo } from './tempRepo';

/**
 * One script for every event, in one language: it keeps what it reads in `seen/<language>-<event>`, says `<event> says so`
 * on stderr and ends with the code `setExit` gave that event, 0 at first, in whichever language.
 */
export function eventScript(repo: TempRepo, language: HookLanguage) {
  needInterpreter(language);
  repo.write('seen/.keep', '');
  const seen = `${repo.path('seen')}/${language}-`;
  const codes = repo.path('codes');
  repo.write('codes/.keep', '');
  const sources: Readonly<Record<HookLanguage, readonly [file: string, text: string]>> = {
    bash: ['hook.sh', `input=$(cat)\n[[ $input =~ \\"hook_event_name\\":\\"([A-Za-z]+)\\" ]]\nevent=\${BASH_REMATCH[1]}\nprintf '%s\\n' "$input" >> "${seen}$event"\necho "$event says so" >&2\nread -r code < "${codes}/$event" || code=0\nexit "$code"\n`],
    node: ['hook.js', `const fs = require('fs');\nconst input = fs.readFileSync(0, 'utf8');\nconst event = JSON.parse(input).hook_event_name;\nfs.appendFileSync('${seen}' + event, input + '\\n');\nconsole.error(event + ' says so');\nprocess.exitCode = fs.existsSync('${codes}/' + event) ? Number(fs.readFileSync('${codes}/' + event, 'utf8')) : 0;\n`],
    python: ['hook.py', `import json, os, sys\ntext = sys.stdin.read()\nevent = json.loads(text)['hook_event_name']\nwith open('${seen}' + event, 'a') as seen:\n    seen.write(text + '\\n')\nprint(event + ' says so', file=sys.stderr)\npath = '${codes}/' + event\nsys.exit(int(open(path).read()) if os.path.exists(path) else 0)\n`],
  };
  const [file, text] = sources[language];
  const path = repo.write(`hooks/${file}`, text);
  const program = language === 'bash' ? 'bash' : language === 'node' ? process.execPath : pythonProgram();
  return {
    handler: { type: 'command', command: program, args: [path] } as const,
    setExit: (events: readonly HookEventName[], code: number): void => {
      for (const event of events) repo.write(`codes/${event}`, `${code}\n`);
    },
    seen: (event: HookEventName): readonly Readonly<Record<string, unknown>>[] => {
      if (!existsSync(`${seen}${event}`)) return [];
      return repo.read(`${seen}${event}`).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}
