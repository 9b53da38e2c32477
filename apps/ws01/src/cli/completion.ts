import { Argument, Command } from 'commander';
import { shellWord } from '../failure/shell-word.ts';
import { print } from './io/output.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The completions after a command. */
interface Words {
  /** The words before: `ws01 token`. */
  readonly path: string;
  /** The words that may follow, with descriptions. */
  readonly next: readonly { readonly word: string; readonly about: string }[];
}

/** @param createProgram creates all commands. */
export function completionCommand(createProgram: () => Promise<Command>): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .option('--json', 'print the completions of each command as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  ws01 completion bash > /etc/bash_completion.d/ws01
  ws01 completion zsh > "\${fpath[1]}/_ws01"
  ws01 completion fish > ~/.config/fish/completions/ws01.fish`,
    )
    .action(async (shell: Shell, { json }: { json?: true }) => {
      const words = wordsOf(await createProgram(), 'ws01');
      const followed = Object.fromEntries(
        words.map(({ path, next }) => [path, next.map(({ word }) => word)]),
      );
      await print(json ? `${JSON.stringify(followed)}\n` : SCRIPTS[shell](words));
    });
}

function wordsOf(command: Command, path: string): Words[] {
  const options = command.options.map(({ long, description }) => ({
    word: long ?? '',
    about: description,
  }));
  const children = command.commands.map((child) => ({
    word: child.name(),
    about: child.description(),
  }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((word) => ({ word, about: '' })),
  );
  const next = [...children, ...choices, ...options, { word: '--help', about: 'display help' }];
  return [
    { path, next },
    ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`)),
  ];
}

/**
 * The scripts find the typed command by leaving out options; at most three words have subcommands.
 */
const SCRIPTS: Readonly<Record<Shell, (words: readonly Words[]) => string>> = {
  bash: (words) => `# bash completion of ws01
_ws01() {
  local path="ws01" word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="$path $word"
  done
  case "$path" in
${words.map(({ path, next }) => `    "${path}") next="${next.map(({ word }) => word).join(' ')}" ;;`).join('\n')}
    *) next="" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}")
  [[ \${#COMPREPLY[@]} -gt 0 ]] || compopt -o default
}
complete -F _ws01 ws01
`,
  zsh: (words) => `#compdef ws01
_ws01() {
  local path="ws01" word
  local -a next
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] || path="$path $word"
  done
  case "$path" in
${words.map(({ path, next }) => `    "${path}") next=(${next.map(zshWord).join(' ')}) ;;`).join('\n')}
  esac
  (( $#next )) && _describe 'ws01' next || _files
}
compdef _ws01 ws01
`,
  fish: (words) => `# fish completion of ws01
function __ws01_path
  set -l path ws01
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or set path "$path $word"
  end
  echo $path
end
${words.flatMap(({ path, next }) => next.map(({ word, about }) => `complete -c ws01 -n 'test (__ws01_path) = "${path}"' ${fishWord(word)} -d ${shellWord(about)}`)).join('\n')}
`,
};

const zshWord = ({ word, about }: { word: string; about: string }): string =>
  shellWord(`${word}:${about}`);

const fishWord = (word: string): string =>
  word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
