export const skills = {
  'skill:frontmatter:fast-equals-yaml': { behaviour: 'what is read without the YAML package means the same in YAML', source: 'own decision: quick loads of many files' },
  'skill:frontmatter:fast-covers-plain': { behaviour: 'the usual shapes of frontmatter need no YAML package', source: 'own decision: quick loads of many files' },
  'skill:frontmatter:typed-readers': { behaviour: 'booleans, lists, tools and hints are read from every spelling people use', source: 'public docs of skills; fixtures 05, 07, 27' },
  'skill:frontmatter:recovers': { behaviour: 'a value that YAML refuses is kept as text, the other keys keep their meaning', source: 'decision: recover what can be recovered, with a diagnostic' },
  'skill:frontmatter:lines': { behaviour: 'fields, problems and the body know their line, with BOM and CR LF taken off', source: 'fixture 14' },
  'skill:frontmatter:never-throws': { behaviour: 'no block makes the reader throw', source: 'fixtures: mustNotThrow' },
  'skill:load:fixtures': { behaviour: 'files as people write them load with the right fields and warnings', source: 'fixtures of loaders, see the README beside them' },
} as const;
