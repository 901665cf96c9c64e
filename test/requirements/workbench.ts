const decisions = 'spec 17, Sessions, windows, folders / Settings and trust';
const ux = 'design: the sidebar and the editor around it';

export const workbench = {
  'workbench:commands:declared-and-registered': { behaviour: 'the palette offers exactly the commands that exist', source: 'architecture, three locks' },
  'workbench:settings:declared-are-used': { behaviour: 'every troupe.* setting of the settings editor reaches the engine, and no other does', source: decisions },
  'workbench:settings:repository-cannot-set-policy': { behaviour: 'an untrusted folder can set no troupe.* setting, and no folder the endpoint or the bypass mode', source: decisions },
  'workbench:settings:unset-stays-out': { behaviour: 'a setting nobody has set does not win over the settings files', source: decisions },
  'workbench:package:only-what-runs': { behaviour: 'the packaged extension holds the bundle, pictures, manifest, readme and licence and nothing else', source: 'owner: fixed repository root' },
  'workbench:engine:one-per-window': { behaviour: 'one engine is made for a window, when something first needs it', source: decisions },
  'workbench:engine:failed-start-is-tried-again': { behaviour: 'after a start that failed the next use tries again', source: 'own decision' },
  'workbench:engine:closing-waits-for-a-start': { behaviour: 'a window that closes while the engine starts still ends it, and starts no other', source: 'own decision' },
  'workbench:view:early-messages-are-kept': { behaviour: 'what a page sends before the engine runs is answered once it does', source: 'own decision' },
  'workbench:view:hidden-gets-nothing': { behaviour: 'a hidden view is sent nothing and is connected anew when shown', source: 'architecture, flow (a)' },
  'workbench:view:one-gets-the-command': { behaviour: 'with two views on screen a command reaches only the one used last', source: ux },
  'workbench:view:failed-start-is-said': { behaviour: 'a view says why the engine did not start', source: 'own decision' },
  'workbench:view:strict-csp': { behaviour: 'the page runs only its own bundle, by nonce, and loads nothing from elsewhere', source: ux },
  'workbench:view:session-in-sight': { behaviour: 'commands act on the session the person looks at, or looked at last', source: 'own decision' },
  'workbench:awaiting:one-notification': { behaviour: 'what awaits the person while no view is on screen is told once, merged, and told again only when more comes', source: ux },
  'workbench:awaiting:status-words': { behaviour: 'the status bar says how many await the person and how many run, and is hidden when nothing does', source: ux },
  'workbench:log:no-secrets': { behaviour: 'what looks like a key is cut from the log', source: decisions },
  'workbench:ripgrep:editors-own': { behaviour: 'search uses the ripgrep of VS Code where it lies there in any known place', source: 'own decision' },
  'workbench:diagnostics:lines': { behaviour: 'problems read like compiler output, errors first, and say how many are left out', source: ux },
  'workbench:skills:recent-first': { behaviour: 'Run Skill lists what was used last first', source: 'spec 17, Skills, palette' },
  'workbench:skills:keybinding-arguments': { behaviour: 'a keybinding can name a skill and its arguments, and a wrong one is told what to write', source: 'spec 17, Skills, palette' },
  'workbench:lm:request-shape': { behaviour: 'a request to a VS Code model carries the system text as the first user message, calls with their results, and notes for what it cannot take', source: 'spec 17, Settings and trust, what a provider does not report' },
  'workbench:lm:reply-shape': { behaviour: 'a reply of a VS Code model streams its text and ends with whole blocks, and usage is left open', source: 'spec 17, Settings and trust, what a provider does not report' },
  'workbench:lm:problems': { behaviour: 'a VS Code model that refuses says why and what to do', source: 'own decision' },
} as const;
