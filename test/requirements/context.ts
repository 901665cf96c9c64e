export const context = {
  'context:compact:auto': { behaviour: 'a conversation that is nearly full is replaced by the model’s own summary before the next step, and the work goes on', source: 'issue 5 context' },
  'context:compact:keeps': { behaviour: 'after a compaction the model has the summary, the memory files, what it was asked word for word, the skills in use and the files it knew', source: 'spec 03, issue 5 context' },
  'context:compact:overflow': { behaviour: 'a request that is too long is summarised from what fits, sent again once, and fails with words when that gains nothing', source: 'spec 19 Providers' },
  'context:compact:manual': { behaviour: 'a person asks for a summary, at once or at the next step of running work, and can say what it should keep', source: 'issue 5 context' },
  'context:compact:failed': { behaviour: 'a summary that fails changes nothing, is told, and is not tried for ever', source: 'issue 5 context' },
  'context:compact:resumes': { behaviour: 'a compacted session resumes with the same request bytes', source: 'issue 5 context' },
  'context:compact:children': { behaviour: 'a sub-agent’s conversation is compacted by itself and keeps its brief', source: 'issue 6 per-agent context' },
  'context:report:parts': { behaviour: 'the gauge tells what fills the context, part by part', source: 'design ux 6' },
  'styles:load:places': { behaviour: 'output styles come from managed, project (nearest first), user and plugin folders; a file without a name has its file’s', source: 'spec 16' },
  'styles:choose:name': { behaviour: 'a style is chosen by its name, a forcing plugin wins, an unknown name gives the default and is told', source: 'spec 16' },
  'styles:session:fixed': { behaviour: 'the style of the start holds for the session, its sub-agents are without it, and without the keep flag the engineering part is gone', source: 'spec 16' },
} as const;
