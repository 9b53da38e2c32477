<?php
// countUserPosted on PHP's SoapServer: parses the call, echoes one parameter; no credential, no database.
class Ws01
{
    public function countUserPosted(object $call): array
    {
        return ['countUserPostedResult' => $call->lastFewDays];
    }
}

$server = new SoapServer(__DIR__ . '/count-user-posted.wsdl', ['cache_wsdl' => WSDL_CACHE_MEMORY]);
$server->setClass(Ws01::class);
$server->handle();
