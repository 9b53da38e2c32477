import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Ws01Error } from '../../src/contract/errors.ts';
import {
  type Dependency,
  DependencyError,
  type FailureKind,
} from '../../src/failure/dependency-error.ts';
import { asWs01Error, translateFailure } from '../../src/failure/translate.ts';

it('each failure of a dependency has its code, and says nothing of what the operator is told', () => {
  const expected: readonly (readonly [Dependency, FailureKind, string])[] = [
    ['database', 'unavailable', 'StorageUnavailable'],
    ['database', 'busy', 'Busy'],
    ['database', 'outcomeUnknown', 'StorageUnavailable'],
    ['database', 'misconfigured', 'StorageUnavailable'],
    ['database', 'incompatible', 'StorageUnavailable'],
    ['files', 'unavailable', 'StorageUnavailable'],
    ['files', 'busy', 'Busy'],
    ['decoders', 'unavailable', 'Internal'],
    ['decoders', 'busy', 'Busy'],
    ['mail', 'unavailable', 'MailUnavailable'],
    ['sms', 'unavailable', 'SmsUnavailable'],
  ];
  for (const [dependency, kind, code] of expected) {
    const failure = new DependencyError(dependency, kind, 'secret', { retryAfter: 7 });
    const told = translateFailure(failure) ?? assert.fail(`${dependency} ${kind} is told`);
    assert.deepEqual(
      [told.code, told.retryAfter, told.cause],
      [code, 7, failure],
      `${dependency} ${kind}`,
    );
    assert.doesNotMatch(told.message, /secret/);
    assert.equal(/not known whether/.test(told.message), kind === 'outcomeUnknown');
  }
});

it('what was refused is the operation’s to answer; anything else without a code is a defect', () => {
  const refused = new DependencyError('decoders', 'refused', 'no image', { reason: 'unreadable' });
  assert.equal(translateFailure(refused), undefined);
  assert.equal(translateFailure(new Error('another')), undefined);
  const own = new Ws01Error('NotFound', 'There is none.');
  assert.equal(asWs01Error(own), own);
  for (const thrown of [refused, new TypeError('secret'), 'secret']) {
    const { code, message, cause } = asWs01Error(thrown);
    assert.deepEqual([code, cause], ['Internal', thrown]);
    assert.doesNotMatch(message, /secret/);
  }
});
