import { useId, useState } from 'react';
import type { Question, QuestionReply } from '../../extension/protocol/interaction';
import type { QuestionEntry } from '../../extension/protocol/view';
import { Button } from '../ui/Button';
import { Icon } from '../ui/Icon';
import { Output } from '../ui/Output';
import { TextArea } from '../ui/TextArea';
import { answersOf, type Choice, noChoice, toggled } from './questionAnswers';

interface QuestionCardProps {
  readonly entry: QuestionEntry;
  readonly name: string;
  readonly onReply: (requestId: string, reply: QuestionReply) => Promise<boolean | undefined>;
}

export function QuestionCard(props: QuestionCardProps) {
  return props.entry.reply ? <Answered {...props} /> : <Waiting {...props} />;
}

function Waiting({ entry, name, onReply }: QuestionCardProps) {
  const { questions, requestId, source } = entry.request;
  const [choices, setChoices] = useState<readonly Choice[]>(() => questions.map(() => noChoice));
  const [sent, setSent] = useState(false);
  const answers = answersOf(questions, choices);
  const reply = async (answer: QuestionReply): Promise<void> => {
    setSent(true);
    if ((await onReply(requestId, answer)) === undefined) setSent(false);
  };
  return (
    <section className="card" aria-label={`Question from ${name}`}>
      <header>
        <Icon name="question" tone="warn" />
        <h3 className="cut">{source ? `${source.name} asks` : questions.length === 1 ? `${name} asks` : `${name} asks ${questions.length} things`}</h3>
      </header>
      {source ? <p className="inset">{source.message}</p> : null}
      {questions.map((question, i) => (
        <OneQuestion
          key={question.question}
          question={question}
          choice={choices[i] ?? noChoice}
          onChange={(choice) => setChoices(choices.map((old, j) => (j === i ? choice : old)))}
        />
      ))}
      <div className="acts">
        <Button kind="primary" disabled={sent || !answers} onClick={() => answers && void reply({ behavior: 'answer', answers })}>
          Answer
        </Button>
        <Button disabled={sent} onClick={() => void reply({ behavior: 'decline' })}>{source ? 'Not now' : `Let ${name} decide`}</Button>
      </div>
    </section>
  );
}

interface OneQuestionProps {
  readonly question: Question;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

function OneQuestion({ question, choice, onChange }: OneQuestionProps) {
  const group = useId();
  const type = question.multiSelect ? 'checkbox' : 'radio';
  const preview = question.options.find((option) => option.preview && choice.labels.includes(option.label))?.preview;
  return (
    <fieldset className="opts">
      <legend>
        {question.header ? <span className="tag">{question.header}</span> : null} {question.question}
      </legend>
      {question.options.map((option) => (
        <label key={option.label} className="opt">
          <input type={type} name={group} checked={choice.labels.includes(option.label)} onChange={() => onChange(toggled(choice, option.label, question.multiSelect))} />
          <span>
            {option.label}
            {option.description ? <small>{option.description}</small> : null}
          </span>
        </label>
      ))}
      <label className="opt">
        <input
          type={type}
          name={group}
          checked={choice.other}
          onChange={(event) => onChange(question.multiSelect ? { ...choice, other: event.target.checked } : { ...choice, labels: [], other: true })}
        />
        <span>Something else</span>
      </label>
      {preview ? (
        <div className="inset">
          <Output text={preview} label="Preview" keep="start" title={<span>Preview</span>} />
        </div>
      ) : null}
      {choice.other ? (
        <div className="inset">
          <TextArea label="Your answer" value={choice.text} onChange={(text) => onChange({ ...choice, text })} />
        </div>
      ) : null}
    </fieldset>
  );
}

function Answered({ entry, name }: QuestionCardProps) {
  const { reply } = entry;
  const answers = reply?.behavior === 'answer' ? Object.entries(reply.answers) : [];
  return (
    <div className="answered">
      <Icon name="question" tone="off" />
      <div>
        {answers.map(([question, answer]) => (
          <p key={question}>
            <span className="muted">{question}</span> {answer}
          </p>
        ))}
        {answers.length === 0 ? <p className="muted">{reply?.behavior === 'decline' ? `You let ${name} decide.` : `${name} took its question back.`}</p> : null}
      </div>
    </div>
  );
}
