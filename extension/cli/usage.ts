export const usage = `troupe: agents, skills and plugins without an editor

Run
  troupe -p "prompt"            one prompt (or on stdin); --output-format text|json|stream-json
  troupe --stdio                the protocol as JSON lines on stdin and stdout
Look
  troupe inspect [all|skills|agents|plugins|hooks|settings|memory|styles] [--json]
  troupe skill render NAME [ARGS…] [--no-shell] [--json]
  troupe permission explain --tool T --input JSON [--agent NAME] [--mode M] [--json]
  troupe session list|show|export [ID] [--json]
Do
  troupe worktree list|show|diff|preview|merge|apply|discard|restore|clean [NAME] [--into BRANCH] [--message M] [--json]
Flags of a run
  --model M  --max-turns N  --permission-mode MODE  --allowedTools R…  --disallowedTools R…
  --add-dir D…  --plugin-dir D…  --settings FILE|JSON  --system-prompt T  --append-system-prompt T
  --continue  --resume ID  --session-id ID  --cwd D  --verbose  --trust  --init|--maintenance (run Setup hooks)  --dangerously-skip-permissions
A model is set by ANTHROPIC_API_KEY, or by ANTHROPIC_BASE_URL with ANTHROPIC_MODEL.
`;
