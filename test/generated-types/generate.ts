// Generates types of events in other languages from docs/events/schema.json, and programs that read events with them and
// write them again. All tools have fixed versions; what they install stays in node_modules/.cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { classNameOf, MESSAGE_TYPES } from '../shared/contract/published-schemas.ts';

const SCHEMA = fileURLToPath(new URL('../../docs/events/schema.json', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/generated-types/', import.meta.url));
const QUICKTYPE = 'quicktype@26.0.0';
const PYTHON_PACKAGES = ['datamodel-code-generator==0.89.0', 'pydantic==2.12.5'];
const JACKSON = '2.20.1';
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.9.0';

/** Why a language can't be tested on this machine. */
export class Unavailable extends Error {}

/** Reads events from standard input, one a line, and writes them as the generated types have them. */
export type Program = (lines: readonly string[]) => string[];

export function pythonProgram(): Program {
  const folder = folderOf('python');
  const environment = join(CACHE, 'venv');
  const python = join(environment, 'bin', 'python');
  generatePython(environment, folder);
  writeFileSync(
    join(folder, 'main.py'),
    `import sys
from events import Event
for line in sys.stdin:
    event = Event.model_validate_json(line)
    assert type(event.root).__name__ != "dict"
    print(event.model_dump_json(by_alias=True, exclude_unset=True))
`,
  );
  return (lines) => piped(python, [join(folder, 'main.py')], lines);
}

/** Writes `events.py`. @param more further packages for the virtual environment, which has Pydantic */
export function generatePython(environment: string, folder: string, more: readonly string[] = []): void {
  const python = join(environment, 'bin', 'python');
  if (!existsSync(join(environment, 'bin', 'datamodel-codegen'))) {
    need('python3', ['-m', 'venv', environment]);
    need(python, ['-m', 'pip', 'install', '--quiet', ...PYTHON_PACKAGES, ...more]);
  }
  run(join(environment, 'bin', 'datamodel-codegen'), [
    ...['--input', SCHEMA, '--input-file-type', 'jsonschema', '--output', join(folder, 'events.py')],
    ...['--output-model-type', 'pydantic_v2.BaseModel', '--use-annotated', '--use-title-as-name'],
  ]);
}

export function goProgram(): Program {
  const folder = folderOf('go');
  generateGo(folder);
  const cases = MESSAGE_TYPES.map(
    (type) =>
      `	case "${type}":\n		event, err := Unmarshal${classNameOf(type)}(line)\n		if err != nil {\n			return nil, err\n		}\n		return event.Marshal()`,
  );
  writeFileSync(
    join(folder, 'main.go'),
    `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func again(line []byte) ([]byte, error) {
	var envelope struct{ Type string }
	if err := json.Unmarshal(line, &envelope); err != nil {
		return nil, err
	}
	switch envelope.Type {
${cases.join('\n')}
	}
	return nil, fmt.Errorf("the type %s is unknown", envelope.Type)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, err := again(lines.Bytes())
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}
`,
  );
  writeFileSync(join(folder, 'go.mod'), 'module events\n\ngo 1.24\n');
  run('go', ['build', '-o', 'events', '.'], folder);
  return (lines) => piped(join(folder, 'events'), [], lines);
}

/** Writes `events.go`, of the package `main`, as docs/events/catalogue.md says. */
export function generateGo(folder: string): void {
  need('go', ['version']);
  const file = join(folder, 'events.go');
  need('npx', quicktype('go', 'main', file));
  // Without this, a list that is empty is not written.
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(
    file,
    lines.map((line) => (line.includes('[]') ? line.replace('omitempty', 'omitzero') : line)).join('\n'),
  );
}

export function javaProgram(): Program {
  const folder = folderOf('java');
  generateJava(folder);
  const cases = MESSAGE_TYPES.map((type) => {
    const name = classNameOf(type);
    return `      case "${type}": return Converter.${name}ToJsonString(Converter.${name}FromJsonString(line));`;
  });
  writeFileSync(
    join(folder, 'Main.java'),
    `import com.fasterxml.jackson.databind.ObjectMapper;
import events.Converter;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;

public class Main {
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = lines.readLine(); line != null; line = lines.readLine())
      out.println(again(new ObjectMapper().readTree(line).get("type").asText(), line));
  }

  private static String again(String type, String line) throws Exception {
    switch (type) {
${cases.join('\n')}
      default: throw new IllegalArgumentException(type);
    }
  }
}
`,
  );
  const path = `.:jars/*`;
  run('javac', ['-cp', path, '-d', 'classes', 'Main.java', ...[join('events', 'Converter.java')]], folder);
  return (lines) => piped('java', ['-cp', `classes:jars/*`, 'Main'], lines, folder);
}

/** Writes the package `events`, and the jars that it needs. @param more further artifacts, as group:artifact:version */
export function generateJava(folder: string, more: readonly string[] = []): void {
  need('javac', ['-version']);
  mkdirSync(join(folder, 'events'));
  need('npx', quicktype('java', 'events', join(folder, 'events', 'Converter.java')));
  writeFileSync(join(folder, 'pom.xml'), pom(more));
  need('mvn', ['-q', '-B', `${DEPENDENCY_PLUGIN}:copy-dependencies`, '-DoutputDirectory=jars'], folder);
}

function quicktype(language: string, packageName: string, output: string): string[] {
  const source = ['--src-lang', 'schema', '--src', `${SCHEMA}#/$defs/`];
  return ['--yes', QUICKTYPE, ...source, '--lang', language, '--package', packageName, '-o', output];
}

function pom(more: readonly string[]): string {
  const jackson = ['core:jackson-databind', 'datatype:jackson-datatype-jsr310'].map(
    (name) => `com.fasterxml.jackson.${name}:${JACKSON}`,
  );
  const dependencies = [...jackson, ...more].map((name) => {
    const [group, artifact, version] = name.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>events</artifactId><version>1</version><dependencies>${dependencies.join('')}</dependencies></project>\n`;
}

/** An empty folder below the cache. */
export function folderOf(name: string): string {
  const folder = join(CACHE, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs what needs a tool of the machine or a registry. @throws Unavailable */
export function need(command: string, args: readonly string[], cwd?: string): void {
  const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error !== undefined) throw new Unavailable(`${command} is missing`);
  if (status !== 0) throw new Unavailable(`${command} ${args[0]} failed: ${stderr.slice(-500)}`);
}

export function run(command: string, args: readonly string[], cwd?: string): void {
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} failed: ${stderr}${stdout}`);
}

function piped(command: string, args: readonly string[], lines: readonly string[], cwd?: string): string[] {
  const input = lines.map((line) => `${line}\n`).join('');
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd, input, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  return stdout.trimEnd().split('\n');
}
