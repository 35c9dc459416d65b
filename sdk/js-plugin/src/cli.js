#!/usr/bin/env node
// stoa-plugin types [manifest.json]: prints the type of the config that a manifest describes.
import { readFileSync } from 'node:fs';

const [command, file = 'manifest.json'] = process.argv.slice(2);
if (command !== 'types') {
  console.error('Usage: stoa-plugin types [manifest.json] > config.d.ts');
  process.exit(2);
}

const types = {
  number: 'number', integer: 'number', boolean: 'boolean', array: 'readonly unknown[]',
  ...Object.fromEntries(['string', 'text', 'textarea', 'url', 'email', 'color', 'secret'].map((t) => [t, 'string'])),
};

function typeOf(field, indent) {
  if (Array.isArray(field.enum)) return field.enum.map((value) => JSON.stringify(value)).join(' | ') || 'never';
  if (field.type !== 'object') return types[field.type] ?? 'unknown';
  return field.properties === undefined ? '{ readonly [key: string]: unknown }' : objectOf(field.properties, indent);
}

// A required field may be missing while an instance is disabled; then stoa calls
// nothing of the plugin but hooks.
function objectOf(fields, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(fields).map(([name, field]) => {
    const about = [field.label, field.description].filter(Boolean).join(': ').replaceAll('*/', '* /');
    const comment = about === '' ? '' : `${inner}/** ${about} */\n`;
    return `${comment}${inner}readonly ${JSON.stringify(name)}${field.required ? '' : '?'}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const { configSchema = {} } = JSON.parse(readFileSync(file, 'utf8'));
console.log(`// Made by stoa-plugin types from the manifest.\nexport interface Config ${objectOf(configSchema, '')}`);
