<?php
// Calls Give and gives what it got to Take, for the WSDL of each sample: PHP's ext/soap.
foreach (array_slice($argv, 1) as $url) {
    $name = basename(parse_url($url, PHP_URL_PATH), '.asmx');
    try {
        $client = new SoapClient($url, ['cache_wsdl' => WSDL_CACHE_NONE, 'features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
        $given = $client->Give();
        echo $name, "\t", $client->Take(['value' => $given->GiveResult])->TakeResult, "\n";
    } catch (Throwable $error) {
        echo $name, "\t", get_class($error), ': ', strtok($error->getMessage(), "\n"), "\n";
    }
}
