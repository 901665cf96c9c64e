/** What a model is asked for a prompt hook. `$ARGUMENTS` is the event as JSON; it follows when the prompt does not name it. */
export function promptCheck(prompt: string, input: string): string {
  return `Something has just happened in a coding session, and a person wants it checked.\n<check>\n${withInput(prompt, input)}\n</check>\n${answerForm}`;
}

/** The same for a model that can look at files first. */
export function agentCheckPrompt(prompt: string, input: string): string {
  return `Something has just happened in a coding session, and a person wants it checked. Look at the files you need with your tools, as few as will do; you can't change anything.\n<check>\n${withInput(prompt, input)}\n</check>\nThen, as your last words: ${answerForm}`;
}

const answerForm =
  'Answer with one JSON object and nothing else. {"ok": true} when the check is met. {"ok": false, "reason": "…"} when it is not: the reason goes to whoever has to mend it, so say what is missing in one or two sentences. Add "impossible": true when it can not be met at all.';

function withInput(prompt: string, input: string): string {
  return prompt.includes('$ARGUMENTS') ? prompt.replaceAll('$ARGUMENTS', () => input) : `${prompt}\n\n${input}`;
}
