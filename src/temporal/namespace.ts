/**
 * Creates or updates the namespace according to the settings, and returns once it is usable. Safe to repeat, and from several processes at
 * once.
 */
import { google, temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../config/config';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { isCode } from './ask';

/** The part of a connection that workers and clients share. */
export type EngineConnection = Pick<NativeConnection, 'workflowService' | 'operatorService'>;

export type AttributeType = 'Keyword' | 'KeywordList' | 'Int' | 'Datetime';

export interface NamespaceOptions {
  readonly namespace: string;
  readonly retentionH: number;
  readonly searchAttributes: Readonly<Record<string, AttributeType>>;
}

const { IndexedValueType } = temporal.api.enums.v1;
const types: Record<AttributeType, temporal.api.enums.v1.IndexedValueType> = {
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Datetime: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
};

const hourS = 3600;
const hours = (count: number) => google.protobuf.Duration.fromObject({ seconds: count * hourS });
const usableWithinMs = 30_000;
const pollMs = 50;

/** Returns the namespace's retention; undefined if there is no such namespace. */
async function currentRetentionS({ workflowService }: EngineConnection, namespace: string): Promise<number | undefined> {
  try {
    const { config } = await workflowService.describeNamespace({ namespace });
    return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  } catch (error) {
    if (isCode(error, 'notFound')) return undefined;
    throw error;
  }
}

async function register({ workflowService }: EngineConnection, { namespace, retentionH }: NamespaceOptions): Promise<void> {
  try {
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: hours(retentionH) });
    log.info('namespace created', { namespace, retentionH });
  } catch (error) {
    if (!isCode(error, 'alreadyExists')) throw error;
  }
}

async function setRetention(
  { workflowService }: EngineConnection,
  { namespace, retentionH }: NamespaceOptions,
  fromS: number,
): Promise<void> {
  try {
    await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: hours(retentionH) } });
    log.info('retention changed', { namespace, fromH: fromS / hourS, toH: retentionH });
  } catch (error) {
    if (!isCode(error, 'permissionDenied', 'unimplemented', 'unauthenticated')) throw error;
    log.warn('no permission to change the retention: change it where the namespace was created', {
      namespace,
      isH: fromS / hourS,
      wantedH: retentionH,
    });
  }
}

/** Runs a cheap count that names every search attribute, which fails until all of them exist. */
async function isUsable({ workflowService }: EngineConnection, { namespace, searchAttributes }: NamespaceOptions): Promise<boolean> {
  const query = Object.keys(searchAttributes)
    .map((name) => `\`${name}\` IS NULL`)
    .join(' AND ');
  try {
    await workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    if (isCode(error, 'invalidArgument', 'notFound')) return false;
    throw error;
  }
}

async function addMissing({ operatorService }: EngineConnection, { namespace, searchAttributes }: NamespaceOptions): Promise<void> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const conflicting = Object.entries(searchAttributes).filter(([name, type]) => (customAttributes[name] ?? types[type]) !== types[type]);
  if (conflicting.length)
    throw new ConfigError(
      `Namespace ${namespace} has search attributes of another type; they must be ${conflicting.map(([name, type]) => `${name} ${type}`).join(', ')}`,
    );
  const missing = Object.entries(searchAttributes).filter(([name]) => !(name in customAttributes));
  if (!missing.length) return;
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, types[type]])),
  });
  log.info('search attributes added', { namespace, names: missing.map(([name]) => name).join(' ') });
}

function permissionError({ namespace, searchAttributes }: NamespaceOptions, cause: unknown): ConfigError {
  const list = Object.entries(searchAttributes).map(([name, type]) => `    ${name}  ${type}`);
  const why = messageOf(cause).split('\n')[0];
  return new ConfigError(
    [
      `This Temporal does not allow Leadgate to create or change the namespace ${namespace} (${why}).`,
      '  Create it by hand, with these search attributes:',
      ...list,
    ].join('\n'),
  );
}

export async function prepareNamespace(connection: EngineConnection, options: NamespaceOptions): Promise<void> {
  const { namespace, retentionH } = options;
  const deadline = Date.now() + usableWithinMs;
  try {
    const retentionS = await currentRetentionS(connection, namespace);
    if (retentionS === undefined) await register(connection, options);
    else if (retentionS !== retentionH * hourS) await setRetention(connection, options, retentionS);
    while (!(await isUsable(connection, options))) {
      if (Date.now() > deadline) throw new ConfigError(`Namespace ${namespace} did not become usable within ${usableWithinMs / 1000} s`);
      await tryAddMissing(connection, options);
      await pause(pollMs);
    }
  } catch (error) {
    if (isCode(error, 'permissionDenied', 'unimplemented', 'unauthenticated')) throw permissionError(options, error);
    throw error;
  }
}

/**
 * Adds the missing search attributes. May fail while another process adds them, or while a new namespace is not known everywhere; the caller
 * retries.
 */
async function tryAddMissing(connection: EngineConnection, options: NamespaceOptions): Promise<void> {
  try {
    await addMissing(connection, options);
  } catch (error) {
    if (error instanceof ConfigError || isCode(error, 'permissionDenied', 'unimplemented', 'unauthenticated')) throw error;
  }
}
