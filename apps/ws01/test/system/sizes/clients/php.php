<?php
// php.php URL CALLS: PHP's SoapClient. Each call prints its way, its name, ok or error, and the answer or the message.
ini_set('memory_limit', '1G');
ini_set('default_socket_timeout', '600');
[, $url, $calls] = $argv;
$options = ['cache_wsdl' => WSDL_CACHE_NONE, 'location' => $url];
$ways = [
  'PHP SoapClient 1.1' => ['soap_version' => SOAP_1_1],
  'PHP SoapClient 1.2' => ['soap_version' => SOAP_1_2],
  'PHP SoapClient gzip' => ['compression' => SOAP_COMPRESSION_ACCEPT | SOAP_COMPRESSION_GZIP | 5],
  'PHP SoapClient keep_alive off' => ['keep_alive' => false],
];
foreach ($ways as $way => $more) {
  $client = new SoapClient("$url?WSDL", $options + $more);
  foreach (file($calls, FILE_IGNORE_NEW_LINES) as $line) {
    $fields = explode("\t", $line);
    $values = [];
    foreach (array_slice($fields, 3) as $pair) {
      [$name, $path] = explode('=', $pair, 2);
      $values[$name] = $name === 'FileImg' ? base64_decode(file_get_contents($path)) : file_get_contents($path);
    }
    try {
      $result = $client->__soapCall($fields[1], [$values])->{"$fields[1]Result"};
      $said = ['ok', is_bool($result) ? var_export($result, true) : $result];
    } catch (Throwable $error) {
      $said = ['error', $error->getMessage()];
    }
    echo implode("\t", [$way, $fields[0], ...str_replace(["\n", "\t"], ' ', $said)]), "\n";
  }
}
