<?php
/** The service of servers.system.ts by PHP's SoapServer; WSDL names the contract, STYLE its style. */

class Wrapped
{
    public function Sum($in)
    {
        return ['SumResult' => $in->a + $in->b];
    }

    public function Give($in)
    {
        return ['GiveResult' => $in->order ?? null];
    }

    public function Fail()
    {
        throw new SoapFault('Client', 'It broke.');
    }
}

class Rpc
{
    public function Sum($a, $b)
    {
        return $a + $b;
    }

    public function Give($order)
    {
        return $order;
    }

    public function Fail()
    {
        throw new SoapFault('Client', 'It broke.');
    }
}

$options = ['cache_wsdl' => WSDL_CACHE_NONE, 'features' => SOAP_SINGLE_ELEMENT_ARRAYS];
$server = new SoapServer(getenv('WSDL'), $options);
$server->setClass(getenv('STYLE') === 'rpc' ? 'Rpc' : 'Wrapped');
$server->handle();
