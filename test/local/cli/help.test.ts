import { expect, test } from 'vitest';
import { loadProgram, withAllBelow } from '../../../local/cli/program.ts';
import manifest from '../../../package.json' with { type: 'json' };

const MAX_COLUMNS = 112;

/** The program with what it prints. It throws where the command would exit. */
async function aProgram() {
  let printed = '';
  const program = await loadProgram();
  for (const command of withAllBelow(program))
    command.exitOverride().configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  return {
    program,
    run: (...words: string[]) => program.parseAsync(words, { from: 'user' }),
    printed: () => printed,
  };
}

test('every command has examples in its help, which fits the page', async () => {
  for (const command of withAllBelow(await loadProgram())) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 100 }).outputHelp();
    const name = command.name();

    if (name !== 'start') expect(help, name).toMatch(/^Examples?:\n {2}/m);
    // The knobs of the reference service are a table that is wider.
    for (const line of help.split('\nKnobs:')[0]?.split('\n') ?? [])
      expect(line.length, line).toBeLessThanOrEqual(MAX_COLUMNS);
  }
});

test('every example is a command with options that exist', async () => {
  const examples = withAllBelow(await loadProgram()).flatMap((command) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    return [
      ...help
        .replaceAll(/\\\n\s*/g, '')
        .matchAll(/^ {2}(?:eval "\$\()?returns-feed (.*?)(?:\)"| [|>] .*)?$/gm),
    ].map(([, words = '']) => words);
  });

  expect(examples.length).toBeGreaterThan(30);
  for (const example of examples) {
    const { program } = await aProgram();
    const commands = withAllBelow(program);
    const run: string[] = [];
    for (const command of commands)
      if (command.commands.length === 0) command.action(() => void run.push(command.name()));
    const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;
    const words = [...example.replace('whsec_…', secret).matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );

    await program.parseAsync(words, { from: 'user' });

    expect(run, example).toHaveLength(1);
  }
});

test('help shows the help of a command, and suggests one for a mistyped name', async () => {
  const below = await aProgram();
  await below.run('help', 'webhooks', 'list');

  expect(below.printed()).toContain('Usage: returns-feed webhooks list');
  await expect((await aProgram()).run('help', 'wtach')).rejects.toThrow(
    'There is no command "wtach". Did you mean "watch"?',
  );
  await expect((await aProgram()).run('help', 'webhooks', 'lst')).rejects.toThrow('Did you mean "list"?');
});

test('--version is the version of the package', async () => {
  const { run, printed } = await aProgram();

  await expect(run('--version')).rejects.toMatchObject({ exitCode: 0 });
  expect(printed()).toBe(`${manifest.version}\n`);
});
