export const plugins = {
  'plugin:load:without-manifest': { behaviour: 'a folder with components is a plugin under its own name; any other folder is refused with the reason', source: 'public docs of plugins' },
  'plugin:load:component-paths': { behaviour: 'skills add to their folder, commands and agents replace it, and an ignored folder is named', source: 'public docs of plugins' },
  'plugin:load:command-map': { behaviour: 'commands may be spelt out in the manifest, whose fields win over those of the file', source: 'public schema of plugin manifests' },
  'plugin:load:bad-manifest': { behaviour: 'a wrong known field refuses that plugin with file and line, an unknown one is named, paths stay inside the plugin', source: 'public docs of plugins' },
  'plugin:load:json-parts': { behaviour: 'hooks and servers of files and manifest add up, each file once; secrets are no variables of texts', source: 'public docs of plugins' },
  'plugin:load:order': { behaviour: 'session plugins come before built-in ones; a second one of the same name is off, with the reason', source: 'own decision on load order' },
  'plugin:builtin:ships': { behaviour: 'the plugin that ships loads without a complaint', source: 'own decision' },
  'plugin:session:runs': { behaviour: 'a plugin given for a run brings its skills, agents and hooks, and inspect counts them', source: 'public docs of plugins' },
} as const;
