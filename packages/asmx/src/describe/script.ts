import type { Operation, Service } from '../contract/service.ts';
import type { ServiceAddress } from './service-address.ts';

/**
 * The script that ScriptManager pages load from `/WS01.asmx/js`: an object named like the service,
 * with one function an operation, `WS01.Op(arguments…, succeeded, failed, userContext)`, and the
 * properties `path`, `timeout`, `defaultUserContext`, `defaultSucceededCallback` and
 * `defaultFailedCallback` as `get_…` and `set_…` (the public shape of `Sys.Net.WebServiceProxy`).
 * It needs no library, and calls by JSON.
 *
 * @param debug with its comments and blanks (`/jsdebug`).
 */
export function proxyScript(
  service: Service,
  { baseUrl, path }: ServiceAddress,
  debug: boolean,
): string {
  const settings = [
    `var NAME = ${literal(service.name)};`,
    `var PATH = ${literal(new URL(baseUrl).pathname.replace(/\/$/, '') + path)};`,
    'var OPERATIONS = {',
    service.operations.map(operationEntry).join(',\n'),
    '};',
  ].join('\n');
  const text = `(function () {\n'use strict';\n${settings}\n${RUNTIME}\n})();\n`;
  return debug ? text : withoutComments(text);
}

function operationEntry({ name, documentation, parameters }: Operation): string {
  const names = parameters.map((parameter) => literal(parameter.name)).join(', ');
  return `// ${documentation.replaceAll(/\s+/g, ' ')}\n${literal(name)}: [${names}]`;
}

/** A string in a script; nothing in it ends the script or the line. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Comments stand on lines of their own. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n')
    .concat('\n');
}

/** For browsers as old as the pages: ES5, XMLHttpRequest. */
const RUNTIME = `
// What a failed callback is given.
function Failure(message, stackTrace, exceptionType, statusCode, timedOut, errorObject) {
  this.get_message = function () { return message; };
  this.get_stackTrace = function () { return stackTrace; };
  this.get_exceptionType = function () { return exceptionType; };
  this.get_statusCode = function () { return statusCode; };
  this.get_timedOut = function () { return timedOut; };
  this.get_errorObject = function () { return errorObject; };
}

// A file as numbers, which is how ASP.NET writes one; a date as its instant.
function written(key, value) {
  return value instanceof Uint8Array ? Array.prototype.slice.call(value) : value;
}

function parse(text) {
  try { return JSON.parse(text); } catch (error) { return undefined; }
}

function failureOf(request, timedOut) {
  var said = parse(request.responseText || '') || {};
  var message = said.Message || (timedOut ? 'The call took too long.' : 'The call failed.');
  return new Failure(message, said.StackTrace || '', said.ExceptionType || '', request.status || -1, timedOut, said);
}

function callback(given, otherwise) {
  return typeof given === 'function' ? given : otherwise;
}

function invoke(proxy, operation, given) {
  var names = OPERATIONS[operation];
  var parameters = {};
  for (var i = 0; i < names.length; i++) parameters[names[i]] = given[i];
  var succeeded = callback(given[names.length], proxy.get_defaultSucceededCallback());
  var failed = callback(given[names.length + 1], proxy.get_defaultFailedCallback());
  var context = given[names.length + 2];
  if (context === undefined || context === null) context = proxy.get_defaultUserContext();
  var request = new XMLHttpRequest();
  var done = false;
  function fail(timedOut) {
    if (done) return;
    done = true;
    var failure = failureOf(request, timedOut);
    if (failed) failed(failure, context, operation);
    else if (window.console) window.console.error(NAME + '.' + operation + ': ' + failure.get_message());
  }
  request.open('POST', proxy.get_path() + '/' + encodeURIComponent(operation), true);
  request.setRequestHeader('Content-Type', 'application/json; charset=utf-8');
  request.timeout = proxy.get_timeout();
  request.ontimeout = function () { fail(true); };
  request.onerror = function () { fail(false); };
  request.onload = function () {
    var answer = parse(request.responseText);
    var refused = request.getResponseHeader('jsonerror') === 'true' || request.status < 200 || request.status > 299;
    if (refused || answer === undefined || done) return fail(false);
    done = true;
    if (succeeded) succeeded(answer.d, context, operation);
  };
  request.send(JSON.stringify(parameters, written));
  function abort() { done = true; request.abort(); }
  return { abort: abort, get_executor: function () { return { abort: abort }; } };
}

function define(target, name, value) {
  Object.defineProperty(target, name, { value: value, configurable: true, enumerable: true, writable: true });
}

// Used as it is, or made with new for settings of one's own.
function Proxy() {
  property(this, 'path', PATH);
  property(this, 'timeout', 0);
  property(this, 'defaultUserContext', null);
  property(this, 'defaultSucceededCallback', null);
  property(this, 'defaultFailedCallback', null);
}

function property(target, name, value) {
  define(target, 'get_' + name, function () { return value; });
  define(target, 'set_' + name, function (next) { value = next; });
}

function addOperation(operation) {
  define(Proxy.prototype, operation, function () { return invoke(this, operation, arguments); });
  define(Proxy, operation, function () { return invoke(shared, operation, arguments); });
}

for (var operation in OPERATIONS) addOperation(operation);
var shared = new Proxy();
for (var setting in shared) if (/^[gs]et_/.test(setting)) define(Proxy, setting, shared[setting]);
window[NAME] = Proxy;`;
